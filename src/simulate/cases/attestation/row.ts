import type { AttestationInput } from '../../../authenticator/attestation/format.js';
import type { StatementToWrite } from '../../../webauthn/attestation-object.js';
import type { AttestationConveyancePreference, AttestationFormatId } from '../../../webauthn/enumerations.js';
import type { ByteEdit } from '../../engine/edits.js';

/** Makes a statement anew about one registration: whatever is signed is signed after the change. */
export type StatementMaker = (input: AttestationInput) => Promise<StatementToWrite>;

interface CommonRow {
  /** `register.<format>-<what>`. Stable. */
  readonly id: string;
  readonly title: string;
  /** What the target must offer. */
  readonly format: AttestationFormatId;
  /** The section, and what it asks for. */
  readonly rule: string;
  /** What an attacker gains where the rule is not enforced; of accepted rows who is locked out. */
  readonly why: string;
  /** The step of §7.1 that decides, by our slug. */
  readonly slug: 'attestation-object' | 'attestation-format' | 'attestation-statement' | 'attestation-trust';
  /** Whether the target must trust the public test root, and no other: else a correct one may accept. */
  readonly needsTrust: boolean;
  /** Where the target trusts roots, a correct one refuses. */
  readonly onlyWithoutTrust?: true;
  /** Why a correct server may decide otherwise; absent where the standard leaves no choice. */
  readonly disputed?: string;
  /** COSEAlgorithmIdentifier of the credential; default ES256. */
  readonly algorithm?: number;
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
  /** The sub-check of ours that finds it: the one rule that is broken. */
  readonly check: string;
  /** Sub-checks that fail with it, because rules of the standard overlap there. */
  readonly also?: readonly string[];
}

/** A case of §8: one statement, valid or with one fault. */
export type AttestationRow = AcceptedRow | RefusedRow;

/** A row without what its group says; `id` without `register.` and the format. */
type Shortened<Row extends CommonRow> = Omit<Row, 'format' | 'expected' | 'slug' | 'code' | 'needsTrust'>;

function described<Row extends CommonRow>(format: AttestationFormatId, row: Shortened<Row>) {
  return { ...row, id: `register.${format}-${row.id}`, format };
}

/** Rows that must be refused for the statement itself, whoever is trusted (§7.1 step 22). */
export function refused(format: AttestationFormatId, ...rows: readonly Shortened<RefusedRow>[]): readonly RefusedRow[] {
  return rows.map((row) => ({
    ...described(format, row),
    expected: 'refused',
    slug: 'attestation-statement',
    code: 'attestation_malformed',
    needsTrust: false,
  }));
}

/** Rows whose statement is good, and whose certificates lead to no trusted root (§7.1 step 24). */
export function untrusted(format: AttestationFormatId, ...rows: readonly Shortened<RefusedRow>[]): readonly RefusedRow[] {
  return rows.map((row) => ({
    ...described(format, row),
    expected: 'refused',
    slug: 'attestation-trust',
    code: 'attestation_untrusted',
    needsTrust: true,
  }));
}

/** Rows that must be accepted, with the test root trusted or with none. */
export function accepted(format: AttestationFormatId, ...rows: readonly Shortened<AcceptedRow>[]): readonly AcceptedRow[] {
  return rows.map((row) => ({ ...described(format, row), expected: 'accepted', slug: 'attestation-statement', needsTrust: false }));
}
