import { createHash } from 'node:crypto';
import type { CertificateFields } from '../../../../authenticator/attestation/authority.js';
import type { AttestationInput } from '../../../../authenticator/attestation/format.js';
import { encodeUtf8 } from '../../../../kernel/bytes.js';
import { OFFSETS } from '../../../../webauthn/authenticator-data.js';
import type { CborMap, CborValue } from '../../../../webauthn/cbor.js';
import type { Attribute, ExtensionToWrite } from '../../../../webauthn/certificate-writer.js';
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

/** Applies all edits, in order. */
export function each(...edits: readonly CertificateEdit[]): CertificateEdit {
  return (fields) => edits.reduce((edited, edit) => edit(edited), fields);
}

type AttributeName = keyof typeof NAME_ATTRIBUTE;

export function withoutAttribute(name: AttributeName): CertificateEdit {
  return (fields) => ({ ...fields, subject: fields.subject.filter(([oid]) => oid !== NAME_ATTRIBUTE[name]) });
}

/** Replaces the attribute of the subject with the same OID. */
export function withAttribute(attribute: Attribute): CertificateEdit {
  return (fields) => ({ ...fields, subject: fields.subject.map((other) => (other[0] === attribute[0] ? attribute : other)) });
}
