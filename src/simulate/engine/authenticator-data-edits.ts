import { createHash } from 'node:crypto';
import { concatBytes } from '../../kernel/bytes.js';
import {
  type AttestedCredentialData,
  decodeAuthenticatorData,
  encodeAuthenticatorData,
  FLAG,
  OFFSETS,
} from '../../webauthn/authenticator-data.js';
import { type CborMap, type CborValue, decodeCborMap, encodeCbor } from '../../webauthn/cbor.js';
import { COSE_LABELS } from '../../webauthn/cose-key.js';
import { AAGUID_BYTES, SHA256_BYTES } from '../../webauthn/limits.js';
import { type ByteEdit, setFlags } from './edits.js';

/** One edit after the other. */
export function inOrder<T>(...edits: readonly ((value: T) => T)[]): (value: T) => T {
  return (value) => edits.reduce((edited, edit) => edit(edited), value);
}

export function append(more: Uint8Array): ByteEdit {
  return (bytes) => concatBytes(bytes, more);
}

/** Puts other bytes in place of as many. */
export function overwrite(at: number, part: Uint8Array): ByteEdit {
  return (bytes) => bytes.map((byte, index) => part[index - at] ?? byte);
}

export const hashText = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());

export function setRpIdHash(hash: Uint8Array): ByteEdit {
  return overwrite(OFFSETS.rpIdHash, hash.subarray(0, SHA256_BYTES));
}

/** Extension data, and the flag that announces them. */
export function setExtensions(cbor: Uint8Array): ByteEdit {
  return inOrder(setFlags(FLAG.ed), append(cbor));
}

/** An extension output that an authenticator may give unasked: CTAP 2.3 §12.1, level 1. */
export const CRED_PROTECT = encodeCbor(new Map([['credProtect', 1]]));

// Attested credential data (§6.5.1) of a registration without extensions.

export function editAttested(edit: (attested: AttestedCredentialData) => AttestedCredentialData): ByteEdit {
  return (bytes) => {
    const data = decodeAuthenticatorData(bytes);
    const { attestedCredentialData: attested } = data;
    return encodeAuthenticatorData({ ...data, attestedCredentialData: attested && edit(attested) });
  };
}

/** The ends of the parts whose length depends on the credential. */
interface AttestedEnds {
  readonly credentialId: number;
  readonly publicKey: number;
}

/** Cuts after a number of bytes that depends on the ends of the parts. */
export function cutAt(at: (ends: AttestedEnds) => number): ByteEdit {
  return (bytes) => {
    const { attestedCredentialData: attested } = decodeAuthenticatorData(bytes);
    const credentialId = OFFSETS.credentialId + (attested?.credentialId.length ?? 0);
    const publicKey = credentialId + (attested?.credentialPublicKey.length ?? 0);
    return bytes.slice(0, at({ credentialId, publicKey }));
  };
}

/** Announces another length of the credential ID, which stays as it is. */
export function announceIdLength(length: number): ByteEdit {
  return overwrite(OFFSETS.credentialIdLength, Uint8Array.of(length >> 8, length & 0xff));
}

/** The credential public key as other bytes. */
export function setPublicKey(publicKey: Uint8Array): ByteEdit {
  return editAttested((attested) => ({ ...attested, credentialPublicKey: publicKey }));
}

/** Sets members of the credential public key by their labels; `undefined` removes one. */
export function setKeyMembers(...members: readonly (readonly [label: number, value: CborValue])[]): ByteEdit {
  return editKey((key) => new Map([...key, ...members].filter(([label]) => !isRemoved(members, label))));
}

function isRemoved(members: readonly (readonly [label: number, value: CborValue])[], label: CborValue): boolean {
  return members.some(([removed, value]) => removed === label && value === undefined);
}

/** Edits a byte string of the credential public key. */
export function editKeyBytes(label: number, edit: ByteEdit): ByteEdit {
  return editKey((key) => {
    const value = key.get(label);
    return value instanceof Uint8Array ? new Map([...key, [label, edit(value)]]) : key;
  });
}

/** The sign bit of y in place of y (RFC 9053 §7.1.1). */
export const compressPoint: ByteEdit = editKey((key) => {
  const y = key.get(COSE_LABELS.y);
  return y instanceof Uint8Array ? new Map([...key, [COSE_LABELS.y, ((y.at(-1) ?? 0) & 1) === 1]]) : key;
});

function editKey(edit: (key: CborMap) => CborMap): ByteEdit {
  return editAttested((attested) => {
    const { value } = decodeCborMap(attested.credentialPublicKey);
    return { ...attested, credentialPublicKey: encodeCbor(edit(value)) };
  });
}

/** Repeats a member of the credential public key at its end. */
export function repeatKeyMember(label: number): ByteEdit {
  return editAttested((attested) => {
    const { credentialPublicKey: key } = attested;
    const [head = 0, ...rest] = key;
    const { value } = decodeCborMap(key);
    // The number of members is in the lower bits of the first byte.
    const repeated = concatBytes(Uint8Array.of(head + 1, ...rest), encodeCbor(label), encodeCbor(value.get(label)));
    return { ...attested, credentialPublicKey: repeated };
  });
}

/** Attested credential data with an AAGUID of zeros, to add to authenticator data without any. */
export function attestedCredential(credentialId: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const length = Uint8Array.of(credentialId.length >> 8, credentialId.length & 0xff);
  return concatBytes(new Uint8Array(AAGUID_BYTES), length, credentialId, publicKey);
}
