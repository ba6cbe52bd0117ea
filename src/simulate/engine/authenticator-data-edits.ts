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

/** Combines edits into one that applies them one after another. */
export function inOrder<T>(...edits: readonly ((value: T) => T)[]): (value: T) => T {
  return (value) => edits.reduce((edited, edit) => edit(edited), value);
}

export function append(more: Uint8Array): ByteEdit {
  return (bytes) => concatBytes(bytes, more);
}

/** Overwrites the bytes from position `at` on with `part`, without changing the total length. */
export function overwrite(at: number, part: Uint8Array): ByteEdit {
  return (bytes) => bytes.map((byte, index) => part[index - at] ?? byte);
}

export const hashText = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());

export function setRpIdHash(hash: Uint8Array): ByteEdit {
  return overwrite(OFFSETS.rpIdHash, hash.subarray(0, SHA256_BYTES));
}

/** Appends extension data and sets the flag ED, which announces it. */
export function setExtensions(cbor: Uint8Array): ByteEdit {
  return inOrder(setFlags(FLAG.ed), append(cbor));
}

/** Unsolicited extension output, which an authenticator may add without a request: credProtect level 1 (CTAP 2.3 §12.1). */
export const CRED_PROTECT = encodeCbor(new Map([['credProtect', 1]]));

// Attested credential data (§6.5.1) of a registration without extensions.

export function editAttested(edit: (attested: AttestedCredentialData) => AttestedCredentialData): ByteEdit {
  return (bytes) => {
    const data = decodeAuthenticatorData(bytes);
    const { attestedCredentialData: attested } = data;
    return encodeAuthenticatorData({ ...data, attestedCredentialData: attested && edit(attested) });
  };
}

/** Offsets at which the variable-length parts of attested credential data end. */
interface AttestedEnds {
  readonly credentialId: number;
  readonly publicKey: number;
}

/** Truncates authenticator data at an offset that is computed from the ends of its parts. */
export function cutAt(at: (ends: AttestedEnds) => number): ByteEdit {
  return (bytes) => {
    const { attestedCredentialData: attested } = decodeAuthenticatorData(bytes);
    const credentialId = OFFSETS.credentialId + (attested?.credentialId.length ?? 0);
    const publicKey = credentialId + (attested?.credentialPublicKey.length ?? 0);
    return bytes.slice(0, at({ credentialId, publicKey }));
  };
}

/** Changes the credential ID length in the authenticator data, but not the ID itself. */
export function announceIdLength(length: number): ByteEdit {
  return overwrite(OFFSETS.credentialIdLength, Uint8Array.of(length >> 8, length & 0xff));
}

/** Replaces the credential public key with other bytes. */
export function setPublicKey(publicKey: Uint8Array): ByteEdit {
  return editAttested((attested) => ({ ...attested, credentialPublicKey: publicKey }));
}

/** Sets members of the credential public key by their labels; `undefined` removes a member. */
export function setKeyMembers(...members: readonly (readonly [label: number, value: CborValue])[]): ByteEdit {
  return editKey((key) => new Map([...key, ...members].filter(([label]) => !isRemoved(members, label))));
}

function isRemoved(members: readonly (readonly [label: number, value: CborValue])[], label: CborValue): boolean {
  return members.some(([removed, value]) => removed === label && value === undefined);
}

/** Edits a byte-string member of the credential public key. */
export function editKeyBytes(label: number, edit: ByteEdit): ByteEdit {
  return editKey((key) => {
    const value = key.get(label);
    return value instanceof Uint8Array ? new Map([...key, [label, edit(value)]]) : key;
  });
}

/** Replaces the y coordinate with its sign bit, which is the compressed form of a point (RFC 9053 §7.1.1). */
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

/** Appends a second copy of a member to the credential public key. */
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

/** Makes attested credential data with an AAGUID of zeros, to append to authenticator data that has none. */
export function attestedCredential(credentialId: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const length = Uint8Array.of(credentialId.length >> 8, credentialId.length & 0xff);
  return concatBytes(new Uint8Array(AAGUID_BYTES), length, credentialId, publicKey);
}
