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

/**
 * Makes an attestation statement for one registration. Its fault, if any, is introduced before signing, so the statement has no other
 * fault.
 */
export type StatementMaker = (input: AttestationInput) => Promise<StatementToWrite>;

interface CommonRow {
  /** Id of the case, `register.<format>-<what>`. It never changes. */
  readonly id: string;
  readonly title: string;
  /** The attestation statement format that the target must accept. */
  readonly format: AttestationFormatId;
  /** The section of the standard and the requirement it states. */
  readonly rule: string;
  /** Explains what an attacker gains if the rule is not enforced. For a valid statement, it says which users a refusal locks out. */
  readonly why: string;
  /** Our slug for the step of §7.1 that decides the case. */
  readonly slug: 'attestation-object' | 'attestation-format' | 'attestation-statement' | 'attestation-trust';
  /**
   * If true, the row runs only on targets that trust the public test root and no other. A correct target that does not assess trust may
   * accept the statement.
   */
  readonly needsTrust: boolean;
  /**
   * Skips the row for targets that trust only certain roots. Such targets refuse the statement for another reason, which proves nothing.
   */
  readonly onlyWithoutTrust?: true;
  /**
   * Marks a row with self attestation, whether complete or not. If the row requests attestation, the target must be one that accepts self
   * attestation.
   */
  readonly selfAttestation?: true;
  /** Why a correct server may decide otherwise. Undefined if the standard leaves no choice. */
  readonly disputed?: string;
  /** COSE algorithm identifier of the credential; default: ES256. */
  readonly algorithm?: number;
  /** COSE algorithm identifier of the statement's signature. Set only if targets that do not offer this algorithm may not know it. */
  readonly statementAlgorithm?: number;
  /** The attestation conveyance that the relying party requests; default: `direct`. */
  readonly attestation?: AttestationConveyancePreference;
  /** Changes the authenticator data before the statement is made; default: sets our test AAGUID. */
  readonly authenticatorData?: ByteEdit;
  readonly make: StatementMaker;
}

interface AcceptedRow extends CommonRow {
  readonly expected: 'accepted';
}

export interface RefusedRow extends CommonRow {
  readonly expected: 'refused';
  /** The error code with which our own API refuses the statement. */
  readonly code: 'attestation_malformed' | 'attestation_untrusted' | 'attestation_format_unsupported';
  /** The check in our own verifier that fails. It names the broken rule. */
  readonly check: string;
  /** Further checks in our own verifier that fail, because rules of the standard overlap. */
  readonly also?: readonly string[];
}

/** One attestation statement to send (§8): valid, or with a single fault. */
export type AttestationRow = AcceptedRow | RefusedRow;

/** A row without the members that its group shares. Its id is `register.<format>-` followed by the key under which the row is listed. */
export type Shortened<Row extends CommonRow> = Omit<Row, 'id' | 'format' | 'expected' | 'slug' | 'code' | 'needsTrust'>;

const describeRows = <Row extends CommonRow>(format: AttestationFormatId, rows: Rows<Shortened<Row>>) =>
  Object.entries(rows).map(([id, row]) => ({ ...row, id: `register.${format}-${id}`, format }));

/** Gives several rows the same broken rule, and the same check in our verifier that detects the violation. */
export function breaking(
  rule: string,
  check: string,
  rows: Rows<Omit<Shortened<RefusedRow>, 'rule' | 'check'>>,
): Rows<Shortened<RefusedRow>> {
  return mapRows(rows, (row) => ({ ...row, rule, check }));
}

/** Makes rows that every correct server refuses, whatever roots it trusts (§7.1 step 22). */
export function refused(format: AttestationFormatId, rows: Rows<Shortened<RefusedRow>>): readonly RefusedRow[] {
  return describeRows<RefusedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'refused',
    slug: 'attestation-statement',
    code: 'attestation_malformed',
    needsTrust: false,
  }));
}

/** Makes rows whose statements are valid but whose certificates lead to no trusted root (§7.1 step 24). */
export function untrusted(format: AttestationFormatId, rows: Rows<Shortened<RefusedRow>>): readonly RefusedRow[] {
  return describeRows<RefusedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'refused',
    slug: 'attestation-trust',
    code: 'attestation_untrusted',
    needsTrust: true,
  }));
}

/** Makes rows that every correct target accepts, whether it trusts the test root or has no roots. */
export function accepted(format: AttestationFormatId, rows: Rows<Shortened<AcceptedRow>>): readonly AcceptedRow[] {
  return describeRows<AcceptedRow>(format, rows).map((row) => ({
    ...row,
    expected: 'accepted',
    slug: 'attestation-statement',
    needsTrust: false,
  }));
}

/** An AAGUID of no real authenticator model, used in the statements of the cases. */
const AAGUID = parseAaguid('70617373-6b65-4079-a074-657374737465');

/** Sets the AAGUID in authenticator data that hold attested credential data. */
export function setAaguid(aaguid: Uint8Array): ByteEdit {
  return (bytes) => {
    const edited = bytes.slice();
    edited.set(aaguid, OFFSETS.aaguid);
    return edited;
  };
}

/**
 * Replaces the attestation statement of a finished registration with the one that the row describes.
 *
 * @param source the credential with its private key
 * @param now returns milliseconds since the epoch
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
