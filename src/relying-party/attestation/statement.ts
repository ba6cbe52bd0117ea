import { concatBytes } from '../../kernel/bytes.js';
import { MAX_CHAIN_CERTIFICATES } from '../../kernel/limits.js';
import { count } from '../../kernel/wording.js';
import type { AttestedCredentialData } from '../../webauthn/authenticator-data.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { type Certificate, decodeCertificate } from '../../webauthn/certificate.js';
import { type CoseKey, decodeCoseKey } from '../../webauthn/cose-key.js';
import type { MlDsaVerifier } from './ml-dsa.js';
import { attempt, judge, type Requirement, type SubCheck } from './sub-check.js';

/**
 * Attestation types of W3C WebAuthn L3 §6.5.3. `basic-or-attca`: the type is `basic` or `attca`, but the statement alone does not show
 * which (§8.2, §8.6).
 */
export type AttestationType = 'none' | 'self' | 'basic' | 'attca' | 'anonca' | 'basic-or-attca' | 'compound' | 'unknown';

/** Input of the procedure that verifies an attestation statement (§6.5.4). */
export interface StatementInput {
  readonly attStmt: CborMap;
  readonly authData: Uint8Array;
  readonly rpIdHash: Uint8Array;
  readonly credential: AttestedCredentialData;
  /** The credential's public key, if it has already been decoded. */
  readonly credentialKey?: CoseKey | undefined;
  /** SHA-256 of the serialized client data. */
  readonly clientDataHash: Uint8Array;
  /** Time at which certificates must be valid, in milliseconds since the epoch. */
  readonly at: number;
  /** Verifies ML-DSA signatures. Given if a key or certificate needs it and Node does not support ML-DSA: see `loadMlDsaFor`. */
  readonly mlDsa?: MlDsaVerifier | undefined;
}

/** Result of the procedure that verifies an attestation statement (§6.5.4). */
export interface StatementFinding {
  readonly checks: readonly SubCheck[];
  readonly attestationType: AttestationType;
  /** The attestation trust path, beginning with the attestation certificate. */
  readonly certificates: readonly Certificate[];
}

/** Makes the bytes that are signed in most attestation formats: the authenticator data, followed by the hash of the client data. */
export function signedBytes({ authData, clientDataHash }: StatementInput): Uint8Array {
  return concatBytes(authData, clientDataHash);
}

interface MemberKinds {
  readonly bytes: Uint8Array;
  readonly integer: number;
  readonly text: string;
  /** Certificates in DER; at least one. */
  readonly certificates: readonly Uint8Array[];
}
type MemberKind = keyof MemberKinds;
export type Shape = Readonly<Record<string, MemberKind>>;
export type Members<S extends Shape> = { readonly [Name in keyof S]: MemberKinds[S[Name]] };

const KINDS: Readonly<Record<MemberKind, { readonly name: string; readonly is: (value: CborValue) => boolean }>> = {
  bytes: { name: 'a byte string', is: (value) => value instanceof Uint8Array },
  integer: { name: 'an integer', is: (value) => typeof value === 'number' },
  text: { name: 'a text string', is: (value) => typeof value === 'string' },
  certificates: {
    name: 'an array of one or more byte strings',
    is: (value) => Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof Uint8Array),
  },
};

/**
 * Reads the members of a statement that its format requires in CDDL. Ignores unknown members, since the CDDL maps in §8 are read as open to
 * more members.
 */
export function readMembers<const S extends Shape>(
  attStmt: CborMap,
  reference: string,
  shape: S,
): { readonly check: SubCheck; readonly members: Members<S> | undefined } {
  const wanted = Object.entries(shape);
  const wrong = wanted.find(([name, kind]) => !KINDS[kind].is(attStmt.get(name)));
  const requirement: Requirement = {
    slug: 'syntax',
    reference,
    expected: wanted.map(([name, kind]) => `${name}: ${KINDS[kind].name}`).join(', '),
    hint: 'The statement violates the syntax of its format: the authenticator made it wrong, or it was changed in transit.',
  };
  if (wrong !== undefined) {
    const [name, kind] = wrong;
    return { check: judge(requirement, false, `${name} is ${describeWrong(attStmt.get(name), kind)}`), members: undefined };
  }
  const members = Object.fromEntries(wanted.map(([name]) => [name, attStmt.get(name)])) as Members<S>;
  return { check: judge(requirement, true, [...attStmt.keys()].map(String).join(', ')), members };
}

function describeWrong(value: CborValue | undefined, kind: MemberKind): string {
  if (value === undefined) return 'missing';
  return Array.isArray(value) && value.length === 0 ? 'an empty array' : `something other than ${KINDS[kind].name}`;
}

/** Decodes every certificate of `x5c`; undefined if a certificate cannot be read, or if there are more than 16. */
export function readCertificates(
  x5c: readonly Uint8Array[],
  reference: string,
): { readonly check: SubCheck; readonly certificates: readonly [Certificate, ...Certificate[]] | undefined } {
  const requirement: Requirement = {
    slug: 'certificates',
    reference,
    expected: 'X.509 certificates in DER',
    hint: 'A certificate of x5c is malformed: the authenticator made it wrong, or it was changed in transit.',
  };
  if (x5c.length > MAX_CHAIN_CERTIFICATES) {
    const received = `${x5c.length}, more than the ${MAX_CHAIN_CERTIFICATES} that are read`;
    return { check: judge(requirement, false, received), certificates: undefined };
  }
  const read = x5c.map((der, index) => ({ index, outcome: attempt(() => decodeCertificate(der)) }));
  const certificates: Certificate[] = [];
  for (const { index, outcome } of read) {
    if (!outcome.ok) {
      return { check: judge(requirement, false, `x5c[${index}]: ${outcome.message}`), certificates: undefined };
    }
    certificates.push(outcome.value);
  }
  const [first, ...rest] = certificates;
  const check = judge(requirement, first !== undefined, count(certificates.length, 'certificate'));
  return { check, certificates: first && [first, ...rest] };
}

/** Decodes the credential public key in the authenticator data. */
export function readCredentialKey({ credential, credentialKey }: StatementInput): {
  readonly check: SubCheck;
  readonly key: CoseKey | undefined;
} {
  const outcome = attempt(() => credentialKey ?? decodeCoseKey(credential.credentialPublicKey));
  const requirement: Requirement = {
    slug: 'credential-public-key',
    reference: '§6.5.1',
    expected: 'a COSE_Key with the members that its algorithm requires',
    hint: 'The authenticator made a key that cannot verify any signature.',
  };
  return {
    check: judge(requirement, outcome.ok, outcome.ok ? 'as expected' : outcome.message),
    key: outcome.ok ? outcome.value : undefined,
  };
}
