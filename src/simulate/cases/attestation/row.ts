import type { AttestationInput } from '../../../authenticator/attestation/format.js';
import type { StatementToWrite } from '../../../webauthn/attestation-object.js';
import type { AttestationConveyancePreference, AttestationFormatId } from '../../../webauthn/enumerations.js';
import type { ByteEdit } from '../../engine/edits.js';

/** Makes a new statement for one registration. Signatures are made after the change, so that nothing else is wrong. */
export type StatementMaker = (input: AttestationInput) => Promise<StatementToWrite>;

interface CommonRow {
  /** `register.<format>-<what>`. Stable. */
  readonly id: string;
  readonly title: string;
  /** What the target must offer. */
  readonly format: AttestationFormatId;
  /** The section, and what it asks for. */
  readonly rule: string;
  /** What an attacker gains if the rule is not enforced; for accepted rows, who is locked out. */
  readonly why: string;
  /** The step of §7.1 that decides, by our slug. */
  readonly slug: 'attestation-object' | 'attestation-format' | 'attestation-statement' | 'attestation-trust';
  /** Whether the target must trust the public test root and no other; a correct target that assesses no trust may accept. */
  readonly needsTrust: boolean;
  /** A target that trusts roots refuses for another reason too, so that the row proves nothing there. */
  readonly onlyWithoutTrust?: true;
  /** Whether the target must accept self attestation where it asks for attestation. */
  readonly selfAttestation?: true;
  /** Why a correct server may decide otherwise; absent if the standard leaves no choice. */
  readonly disputed?: string;
  /** COSEAlgorithmIdentifier of the credential; default ES256. */
  readonly algorithm?: number;
  /** COSEAlgorithmIdentifier of the statement, where the target need not know it unless it offers it. */
  readonly statementAlgorithm?: number;
  /** What the relying party asks for; default `direct`. */
  readonly attestation?: AttestationConveyancePreference;
  /** Changes the authenticator data before the statement is made; default: an AAGUID of ours. */
  readonly authenticatorData?: ByteEdit;
  readonly make: StatementMaker;
}

export interface AcceptedRow extends CommonRow {
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

/** A row without the members of its group; `id` without `register.` and the format. */
type Shortened<Row extends CommonRow> = Omit<Row, 'format' | 'expected' | 'slug' | 'code' | 'needsTrust'>;

function described<Row extends CommonRow>(format: AttestationFormatId, row: Shortened<Row>) {
  return { ...row, id: `register.${format}-${row.id}`, format };
}

/** Rows refused for the statement itself, whatever roots are trusted (§7.1 step 22). */
export function refused(format: AttestationFormatId, ...rows: readonly Shortened<RefusedRow>[]): readonly RefusedRow[] {
  return rows.map((row) => ({
    ...described(format, row),
    expected: 'refused',
    slug: 'attestation-statement',
    code: 'attestation_malformed',
    needsTrust: false,
  }));
}

/** Rows with a valid statement whose certificates lead to no trusted root (§7.1 step 24). */
export function untrusted(format: AttestationFormatId, ...rows: readonly Shortened<RefusedRow>[]): readonly RefusedRow[] {
  return rows.map((row) => ({
    ...described(format, row),
    expected: 'refused',
    slug: 'attestation-trust',
    code: 'attestation_untrusted',
    needsTrust: true,
  }));
}

/** Rows that must be accepted, both by a target that trusts the test root and by one without roots. */
export function accepted(format: AttestationFormatId, ...rows: readonly Shortened<AcceptedRow>[]): readonly AcceptedRow[] {
  return rows.map((row) => ({ ...described(format, row), expected: 'accepted', slug: 'attestation-statement', needsTrust: false }));
}
