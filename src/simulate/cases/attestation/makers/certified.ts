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

/** Changes to the parts of a statement, harmful or not. */

// What the statement is about.

type AboutEdit = (input: AttestationInput) => AttestationInput;

export const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** The same credential, for client data of another ceremony. */
export const otherClientData: AboutEdit = (input) => ({ ...input, clientDataHash: sha256(encodeUtf8('other client data')) });

/** The same credential with the last bit of the signature counter flipped. */
export const otherCounter: AboutEdit = (input) => ({
  ...input,
  authenticatorData: flipBit(OFFSETS.signCount + 3)(input.authenticatorData),
});

// What is signed, of authenticator data and client data hash.

export const withoutClientDataHash: ByteEdit = (signed) => signed.slice(0, -SHA256_BYTES);
export const withoutAuthenticatorData: ByteEdit = (signed) => signed.slice(-SHA256_BYTES);

// Members of the statement.

/** Sets a member. */
export function withMember(name: string, value: CborValue): (attStmt: CborMap) => CborMap {
  return (attStmt) => new Map([...attStmt, [name, value]]);
}

export function withoutMember(name: string): (attStmt: CborMap) => CborMap {
  return (attStmt) => new Map([...attStmt].filter(([member]) => member !== name));
}

/** Changes a member that is a byte string. */
export function editMember(name: string, edit: ByteEdit): (attStmt: CborMap) => CborMap {
  return (attStmt) => {
    const value = attStmt.get(name);
    return value instanceof Uint8Array ? withMember(name, edit(value))(attStmt) : attStmt;
  };
}

// What a certificate says.

export type CertificateEdit = (fields: CertificateFields) => CertificateFields;

/** Adds an extension, or replaces the one with the same OID. */
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

/** Replaces the attribute of the subject with the same OID. */
export function withAttribute(attribute: Attribute): CertificateEdit {
  return (fields) => ({ ...fields, subject: fields.subject.map((other) => (other[0] === attribute[0] ? attribute : other)) });
}

/** The public test authority. Targets trust its root if a case needs that. */
export const AUTHORITY = createAttestationAuthority();

/** Other keys under the same names: a server that only compares names takes its root for the test root. */
export const NAMESAKE = createAttestationAuthority({ seed: 'passkey authority of a forger' });

/** An untrusted authority with names of its own. */
export const FORGER = makeAuthority({ ...NAMESAKE.profile, commonName: 'Forged attestation', organization: 'Forger' });

interface IssuedBy {
  readonly issuer: Pick<Issuer, 'key' | 'name'>;
  /** The certificates after the attestation certificate in `x5c`. */
  readonly path: readonly Uint8Array[];
}

/** How a statement differs from an honest one. Signatures are made after the changes. */
export interface StatementChange {
  /** Another subject than the registration at hand. */
  readonly about?: (input: AttestationInput) => AttestationInput;
  /** The attestation certificate, before its issuer signs it. */
  readonly leaf?: (fields: CertificateFields, input: AttestationInput) => CertificateFields;
  /** The issuer of the attestation certificate, given its key and subject. */
  readonly issued?: (own: { readonly key: AttestationKey; readonly name: Name }) => IssuedBy;
  readonly x5c?: (x5c: readonly Uint8Array[]) => readonly Uint8Array[];
  /** The attestation key, certified and signing. */
  readonly key?: (input: AttestationInput) => AttestationKey | Promise<AttestationKey>;
  /** Another signer than the certified key. */
  readonly signer?: (input: AttestationInput, certified: AttestationKey) => AttestationKey;
  /** Changes the data before they are signed. */
  readonly signs?: ByteEdit;
  /** Last of all. */
  readonly members?: (attStmt: CborMap, input: AttestationInput) => CborMap | Promise<CborMap>;
}

/** The purpose and the key of a certificate. */
type KeyToCertify = Omit<Leaf, 'publicKey'> & { readonly key: AttestationKey; readonly input: AttestationInput };

/** The key with its certificates, both after the changes. */
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

/** The attestation key: that of the change, otherwise that of the model. */
export async function makeKey(line: AttestationLine, input: AttestationInput, { key }: StatementChange): Promise<AttestationKey> {
  return key?.(input) ?? AUTHORITY.key(line, input.aaguid);
}

/** The finished statement. */
export async function finishStatement(
  fmt: string,
  attStmt: CborMap,
  input: AttestationInput,
  { members }: StatementChange,
): Promise<StatementToWrite> {
  return { fmt, attStmt: (await members?.(attStmt, input)) ?? attStmt };
}

const authorityKey = ({ key }: Pick<Issuer, 'key'>) => WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(key.publicKey));

/** A CA below another one, named `commonName`; `edit` changes its certificate before it is signed. */
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

/** A P-256 key that nothing in the registration names. */
export const strangeKey = (): AttestationKey => ecAttestationKey(derive('key of a stranger', 32));

/** {@link strangeKey} as a credential public key of ES256. */
export function strangeCoseKey(): CoseKey {
  const { algorithm, publicKey } = strangeKey();
  return { kty: KEY_TYPES.EC2, alg: algorithm, crv: 1, x: publicKey.slice(-64, -32), y: publicKey.slice(-32) };
}
