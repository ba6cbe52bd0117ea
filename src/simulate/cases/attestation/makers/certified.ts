import { createHash } from 'node:crypto';
import {
  type AttestationKey,
  type CertifiedKey,
  ES384,
  ecAttestationKey,
  RS256,
  rsaAttestationKey,
} from '../../../../authenticator/attestation/attestation-key.js';
import {
  type AttestationLine,
  type CertificateFields,
  createAttestationAuthority,
  type Issuer,
  issueCertificate,
  issuerExtensions,
  keyIdentifier,
  type Leaf,
  makeAuthority,
} from '../../../../authenticator/attestation/authority.js';
import type { AttestationInput } from '../../../../authenticator/attestation/format.js';
import { pooledRsaKey } from '../../../../authenticator/rsa-pool.js';
import { encodeUtf8 } from '../../../../kernel/bytes.js';
import { KEY_TYPES } from '../../../../webauthn/algorithms.js';
import type { StatementToWrite } from '../../../../webauthn/attestation-object.js';
import { OFFSETS } from '../../../../webauthn/authenticator-data.js';
import type { CborMap, CborValue } from '../../../../webauthn/cbor.js';
import {
  type Attribute,
  country,
  type ExtensionToWrite,
  type Name,
  named,
  WRITE_EXTENSION,
} from '../../../../webauthn/certificate-writer.js';
import type { CoseKey } from '../../../../webauthn/cose-key.js';
import { NAME_ATTRIBUTE } from '../../../../webauthn/distinguished-name.js';
import { SHA256_BYTES } from '../../../../webauthn/limits.js';
import { type ByteEdit, flipBit } from '../../../engine/edits.js';

/** Functions that change one part of an attestation statement. Some changes leave it valid. */

// What the statement is about.

type AboutEdit = (input: AttestationInput) => AttestationInput;

export const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** Replaces the client data hash, as if the statement came from another ceremony. */
export const otherClientData: AboutEdit = (input) => ({ ...input, clientDataHash: sha256(encodeUtf8('other client data')) });

/** Flips the last bit of the signature counter in the authenticator data. */
export const otherCounter: AboutEdit = (input) => ({
  ...input,
  authenticatorData: flipBit(OFFSETS.signCount + 3)(input.authenticatorData),
});

// What is signed, of authenticator data and client data hash.

export const withoutClientDataHash: ByteEdit = (signed) => signed.slice(0, -SHA256_BYTES);
export const withoutAuthenticatorData: ByteEdit = (signed) => signed.slice(-SHA256_BYTES);

// Members of the statement.

/** Sets a member of the attestation statement. */
export function withMember(name: string, value: CborValue): (attStmt: CborMap) => CborMap {
  return (attStmt) => new Map([...attStmt, [name, value]]);
}

export function withoutMember(name: string): (attStmt: CborMap) => CborMap {
  return (attStmt) => new Map([...attStmt].filter(([member]) => member !== name));
}

/** Changes a member of the attestation statement if it is a byte string. */
export function editMember(name: string, edit: ByteEdit): (attStmt: CborMap) => CborMap {
  return (attStmt) => {
    const value = attStmt.get(name);
    return value instanceof Uint8Array ? withMember(name, edit(value))(attStmt) : attStmt;
  };
}

// What a certificate says.

export type CertificateEdit = (fields: CertificateFields) => CertificateFields;

/** Adds an extension to a certificate, or replaces the one with the same OID. */
export function withExtension(extension: ExtensionToWrite): CertificateEdit {
  return (fields) => ({
    ...fields,
    extensions: fields.extensions.some(({ oid }) => oid === extension.oid)
      ? fields.extensions.map((other) => (other.oid === extension.oid ? extension : other))
      : [...fields.extensions, extension],
  });
}

export function withoutExtension(oid: string): CertificateEdit {
  return (fields) => ({ ...fields, extensions: fields.extensions.filter((extension) => extension.oid !== oid) });
}

export function withFields(change: Partial<CertificateFields>): CertificateEdit {
  return (fields) => ({ ...fields, ...change });
}

export function withoutAttribute(name: keyof typeof NAME_ATTRIBUTE): CertificateEdit {
  return (fields) => ({ ...fields, subject: fields.subject.filter(([oid]) => oid !== NAME_ATTRIBUTE[name]) });
}

/** Replaces the subject attribute that has the same OID. */
export function withAttribute(attribute: Attribute): CertificateEdit {
  return (fields) => ({ ...fields, subject: fields.subject.map((other) => (other[0] === attribute[0] ? attribute : other)) });
}

/** The public test authority. Some cases need a target that trusts its root. */
export const AUTHORITY = createAttestationAuthority();

/**
 * An authority with the names of the test authority but other keys. A server that compares only names mistakes the root of this authority
 * for the trusted root.
 */
export const NAMESAKE = createAttestationAuthority({ seed: 'passkey authority of a forger' });

/** An untrusted authority with its own names and keys. */
export const FORGER = makeAuthority({ ...NAMESAKE.profile, commonName: 'Forged attestation', organization: 'Forger' });

interface IssuedBy {
  readonly issuer: Pick<Issuer, 'key' | 'name'>;
  /** The certificates that follow the attestation certificate in `x5c`. */
  readonly path: readonly Uint8Array[];
}

/** Describes how a statement differs from an honest one. The changes are made before signing, so the signatures stay valid. */
export interface StatementChange {
  /** Replaces the registration that the statement vouches for. */
  readonly about?: (input: AttestationInput) => AttestationInput;
  /** Changes the attestation certificate before its issuer signs it. */
  readonly leaf?: (fields: CertificateFields, input: AttestationInput) => CertificateFields;
  /** Chooses the issuer of the attestation certificate, given the certified key and its subject name. */
  readonly issued?: (own: { readonly key: AttestationKey; readonly name: Name }) => IssuedBy;
  readonly x5c?: (x5c: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Makes the attestation key, which is certified and signs the statement. */
  readonly key?: (input: AttestationInput) => AttestationKey | Promise<AttestationKey>;
  /** Makes another key sign the statement instead of the certified key. */
  readonly signer?: (input: AttestationInput, certified: AttestationKey) => AttestationKey;
  /** Changes the signed data before they are signed. */
  readonly signs?: ByteEdit;
  /** Changes the finished statement, as the last step. */
  readonly members?: (attStmt: CborMap, input: AttestationInput) => CborMap | Promise<CborMap>;
}

/** A key to certify, and the subject and extensions of its certificate. */
type KeyToCertify = Omit<Leaf, 'publicKey'> & { readonly key: AttestationKey; readonly input: AttestationInput };

/** Certifies an attestation key, and applies the changes to the key and its certificates. */
export function certifiedKey(line: AttestationLine, to: KeyToCertify, change: StatementChange): CertifiedKey {
  const { x5c = (all) => all, signer, signs } = change;
  const signing = signer?.(to.input, to.key) ?? to.key;
  return {
    key: signs === undefined ? signing : { ...signing, sign: (data) => signing.sign(signs(data)) },
    x5c: x5c(certify(line, to, change)),
  };
}

function certify(line: AttestationLine, { key, input, ...about }: KeyToCertify, { leaf, issued }: StatementChange): readonly Uint8Array[] {
  const prepared = AUTHORITY.prepare(line, { ...about, publicKey: key.publicKey });
  const { issuer, path } = issued?.({ key, name: prepared.fields.subject }) ?? prepared;
  const below = issued === undefined ? prepared.fields : withExtension(authorityKey(issuer))(prepared.fields);
  return [issueCertificate(leaf?.(below, input) ?? below, issuer), ...path];
}

/**
 * Makes the attestation key with the `key` function of the change, or, by default, as the test authority does for the authenticator model.
 */
export async function makeKey(line: AttestationLine, input: AttestationInput, { key }: StatementChange): Promise<AttestationKey> {
  return key?.(input) ?? AUTHORITY.key(line, input.aaguid);
}

/** Applies the last change to the members of a statement, and returns the statement with its format name. */
export async function finishStatement(
  fmt: string,
  attStmt: CborMap,
  input: AttestationInput,
  { members }: StatementChange,
): Promise<StatementToWrite> {
  return { fmt, attStmt: (await members?.(attStmt, input)) ?? attStmt };
}

const authorityKey = ({ key }: Pick<Issuer, 'key'>) => WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(key.publicKey));

/** Makes a CA whose certificate another CA issues. `edit` changes that certificate before it is signed. */
export function issuerBelow(
  above: Issuer,
  commonName: string,
  { key, edit = (fields) => fields }: { readonly key?: AttestationKey; readonly edit?: CertificateEdit } = {},
): Issuer {
  const { derive, notBefore, notAfter, organization } = AUTHORITY.profile;
  const own = key ?? ecAttestationKey(derive(`${commonName} key`, 32, new Uint8Array()));
  const name = [named('CN', commonName), named('O', organization), country(AUTHORITY.profile.country)];
  const fields = {
    serialNumber: 7n,
    notBefore,
    notAfter,
    subject: name,
    publicKey: own.publicKey,
    extensions: issuerExtensions(own, above),
  };
  return { key: own, name, certificate: issueCertificate(edit(fields), above) };
}

// More keys of the test authority, always the same for the same purpose.

const derive = (purpose: string, length: number) => AUTHORITY.profile.derive(purpose, length, new Uint8Array());

export const p384Key = (purpose: string): AttestationKey => ecAttestationKey(derive(purpose, 48), ES384);
export const rsaKey = (purpose: string): AttestationKey => rsaAttestationKey(pooledRsaKey(2048, derive(purpose, 1)[0] ?? 0), RS256);

/** Makes a P-256 key that has nothing to do with the registration. */
export const strangeKey = (): AttestationKey => ecAttestationKey(derive('key of a stranger', 32));

/** Converts the public key of {@link strangeKey} to a COSE key for ES256. */
export function strangeCoseKey(): CoseKey {
  const { algorithm, publicKey } = strangeKey();
  return { kty: KEY_TYPES.EC2, alg: algorithm, crv: 1, x: publicKey.slice(-64, -32), y: publicKey.slice(-32) };
}
