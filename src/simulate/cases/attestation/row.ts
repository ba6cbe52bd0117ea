import { createHash } from 'node:crypto';
import { readAttestationInput } from '../../../authenticator/attestation/attest-again.js';
import type { AttestationInput } from '../../../authenticator/attestation/format.js';
import type { CredentialSource } from '../../../authenticator/credential-source.js';
import { parseAaguid } from '../../../webauthn/aaguid.js';
import { decodeAttestationObject, encodeAttestationObject, type StatementToWrite } from '../../../webauthn/attestation-object.js';
import { OFFSETS } from '../../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import type { AttestationConveyancePreference, AttestationFormatId } from '../../../webauthn/enumerations.js';
import type { RegistrationResponseJSON } from '../../../webauthn/json.js';
import { mapRows, type Rows } from '../../engine/case.js';
import type { ByteEdit } from '../../engine/edits.js';

/** Makes a new statement for one registration. Signs after the change, so that nothing else is wrong. */
export type StatementMaker = (input: AttestationInput) => Promise<StatementToWrite>;

interface CommonRow {
  /** `register.<format>-<what>`. Stable. */
  readonly id: string;
  readonly title: string;
  /** The format that the target must take. */
  readonly format: AttestationFormatId;
  /** The section, and its requirement. */
  readonly rule: string;
  /** The gain of an attacker if the rule is not enforced; for accepted rows, the users who are locked out. */
  readonly why: string;
  /** The step of §7.1 that decides, by our slug. */
  readonly slug: 'attestation-object' | 'attestation-format' | 'attestation-statement' | 'attestation-trust';
  /** The target must trust the public test root and no other; a correct target that does not assess trust may accept. */
  readonly needsTrust: boolean;
  /** A target that trusts roots refuses for another reason too, so that the row proves nothing there. */
  readonly onlyWithoutTrust?: true;
  /** The statement is self attestation, or the remains of one: the target must accept self attestation if it asks for attestation. */
  readonly selfAttestation?: true;
  /** The reason why a correct server may decide otherwise; absent if the standard leaves no choice. */
  readonly disputed?: string;
  /** COSEAlgorithmIdentifier of the credential; default ES256. */
  readonly algorithm?: number;
  /** COSEAlgorithmIdentifier of the statement, if the target may not know it unless it offers it. */
  readonly statementAlgorithm?: number;
  /** The attestation that the relying party asks for; default `direct`. */
  readonly attestation?: AttestationConveyancePreference;
  /** Changes the authenticator data before the statement is made; default: an AAGUID of ours. */
  readonly authenticatorData?: ByteEdit;
  readonly make: StatementMaker;
}

interface AcceptedRow extends CommonRow {
  readonly expected: 'accepted';
}

export interface RefusedRow extends CommonRow {
  readonly expected: 'refused';
  /** The error code of our own API. */
  readonly code: 'attestation_malformed' | 'attestation_untrusted' | 'attestation_format_unsupported';
  /** Our sub-check that fails: the one rule that is broken. */
  readonly check: string;
  /** Other sub-checks that fail, because rules of the standard overlap. */
  readonly also?: readonly string[];
}

/** A case of §8: one statement, valid or with one fault. */
export type AttestationRow = AcceptedRow | RefusedRow;

/** A row without the members of its group; its key is the last part of its id, behind `register.` and the format. */
export type Shortened<Row extends CommonRow> = Omit<Row, 'id' | 'format' | 'expected' | 'slug' | 'code' | 'needsTrust'>;

const describeRows = <Row extends CommonRow>(format: AttestationFormatId, rows: Rows<Shortened<Row>>) =>
  Object.entries(rows).map(([id, row]) => ({ ...row, id: `register.${format}-${id}`, format }));

/** Rows that break one rule, which one sub-check of ours is about. */
export function breaking(
  rule: string,
  check: string,
  rows: Rows<Omit<Shortened<RefusedRow>, 'rule' | 'check'>>,
): Rows<Shortened<RefusedRow>> {
  return mapRows(rows, (row) => ({ ...row, rule, check }));
}

/** Rows that any server refuses, whatever roots it trusts (§7.1 step 22). */
export function refused(format: AttestationFormatId, rows: Rows<Shortened<RefusedRow>>): readonly RefusedRow[] {
  return describeRows<RefusedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'refused',
    slug: 'attestation-statement',
    code: 'attestation_malformed',
    needsTrust: false,
  }));
}

/** Rows with a valid statement whose certificates lead to no trusted root (§7.1 step 24). */
export function untrusted(format: AttestationFormatId, rows: Rows<Shortened<RefusedRow>>): readonly RefusedRow[] {
  return describeRows<RefusedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'refused',
    slug: 'attestation-trust',
    code: 'attestation_untrusted',
    needsTrust: true,
  }));
}

/** Rows that must be accepted, both by a target that trusts the test root and by one without roots. */
export function accepted(format: AttestationFormatId, rows: Rows<Shortened<AcceptedRow>>): readonly AcceptedRow[] {
  return describeRows<AcceptedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'accepted',
    slug: 'attestation-statement',
    needsTrust: false,
  }));
}

/** A model of no vendor, which the statements are about. */
const AAGUID = parseAaguid('70617373-6b65-4079-a074-657374737465');

/** Puts an AAGUID into authenticator data with attested credential data. */
export function setAaguid(aaguid: Uint8Array): ByteEdit {
  return (bytes) => {
    const edited = bytes.slice();
    edited.set(aaguid, OFFSETS.aaguid);
    return edited;
  };
}

/**
 * Replaces the statement of a finished registration with that of a row.
 *
 * @param source the credential's private side
 * @param now milliseconds since the epoch
 */
export async function attestAnew(
  { authenticatorData: edit = setAaguid(AAGUID), make }: Pick<AttestationRow, 'authenticatorData' | 'make'>,
  honest: RegistrationResponseJSON,
  source: CredentialSource,
  now: () => number,
): Promise<RegistrationResponseJSON> {
  const { clientDataJSON, attestationObject, ...rest } = honest.response;
  const authData = edit(decodeAttestationObject(decodeBase64url(attestationObject)).authData);
  const clientDataHash = new Uint8Array(createHash('sha256').update(decodeBase64url(clientDataJSON)).digest());
  const made = await make(await readAttestationInput({ made: { authData }, clientDataHash, source, now }));
  return {
    ...honest,
    response: {
      ...rest,
      clientDataJSON,
      // The client's copy, for pages that cannot read CBOR.
      authenticatorData: encodeBase64url(authData),
      attestationObject: encodeBase64url(encodeAttestationObject({ ...made, authData })),
    },
  };
}
