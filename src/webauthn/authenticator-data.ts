import { concatBytes } from '../kernel/bytes.js';
import { count } from '../kernel/wording.js';
import { type CborMap, decodeCborMap, encodeCbor } from './cbor.js';
import { malformed, readingCbor } from './decoding-error.js';
import { AAGUID_BYTES, isSignCount, SHA256_BYTES } from './limits.js';

/** The flags of authenticator data (WebAuthn L3 §6.1). Bits 1 and 5 are reserved. */
export const FLAGS = [
  { key: 'up', name: 'UP', bit: 0, meaning: 'user present' },
  { key: 'uv', name: 'UV', bit: 2, meaning: 'user verified (PIN, biometry)' },
  { key: 'be', name: 'BE', bit: 3, meaning: 'backup eligible (may be synced)' },
  { key: 'bs', name: 'BS', bit: 4, meaning: 'backed up now' },
  { key: 'at', name: 'AT', bit: 6, meaning: 'attested credential data follow' },
  { key: 'ed', name: 'ED', bit: 7, meaning: 'extension data follow' },
] as const;
export type FlagKey = (typeof FLAGS)[number]['key'];
export const RESERVED_FLAG_BITS: readonly number[] = [1, 5];

/** Byte value with only one flag set, by the flag's name, e.g. `FLAG.uv`. */
export const FLAG = Object.fromEntries(FLAGS.map(({ key, bit }) => [key, 1 << bit])) as Readonly<Record<FlagKey, number>>;

/** Byte offsets of the parts of authenticator data. The offsets from `aaguid` on apply only if attested credential data are included. */
export const OFFSETS = { rpIdHash: 0, flags: 32, signCount: 33, aaguid: 37, credentialIdLength: 53, credentialId: 55 } as const;

/** The flags of authenticator data: each flag by its name, and the raw byte, which includes the reserved bits. */
export interface AuthenticatorFlags extends Readonly<Record<FlagKey, boolean>> {
  readonly byte: number;
}

/** Attested credential data: ID and public key of a new credential (WebAuthn L3 §6.5.1). */
export interface AttestedCredentialData {
  /** AAGUID of the authenticator, 16 bytes. */
  readonly aaguid: Uint8Array;
  /** Credential ID. The format allows up to 65,535 bytes; a registration step enforces the limit of 1023 bytes. */
  readonly credentialId: Uint8Array;
  /** COSE_Key as received: one CBOR map, undecoded. */
  readonly credentialPublicKey: Uint8Array;
}

/** Decoded authenticator data (WebAuthn L3 §6.1). */
export interface AuthenticatorData {
  /** SHA-256 of the RP ID, 32 bytes. */
  readonly rpIdHash: Uint8Array;
  readonly flags: AuthenticatorFlags;
  /** Signature counter, an unsigned 32-bit integer. */
  readonly signCount: number;
  readonly attestedCredentialData?: AttestedCredentialData;
  readonly extensions?: CborMap;
  /** CBOR of the authenticator extension outputs as received. */
  readonly extensionBytes?: Uint8Array;
}

/** Input of `encodeAuthenticatorData`. Decoded authenticator data also fit this type. */
export interface AuthenticatorDataInput {
  readonly rpIdHash: Uint8Array;
  /**
   * Flags to write. AT and ED are not given here, because they follow from the included data. Only the reserved bits of `byte` are used.
   */
  readonly flags: { readonly up: boolean; readonly uv: boolean; readonly be: boolean; readonly bs: boolean; readonly byte?: number };
  readonly signCount: number;
  readonly attestedCredentialData?: AttestedCredentialData | undefined;
  readonly extensions?: CborMap | undefined;
  /** Encoded extension outputs. If given, they are written instead of `extensions`. */
  readonly extensionBytes?: Uint8Array | undefined;
}

const CODE = 'authenticator_data_malformed';
const SUBJECT = 'The authenticator data';
const FIXED_LENGTH: number = OFFSETS.aaguid;
const RESERVED_BITS = RESERVED_FLAG_BITS.reduce((mask, bit) => mask | (1 << bit), 0);

/**
 * Reads authenticator data (WebAuthn L3 §6.1).
 *
 * @throws PasskeyError `authenticator_data_malformed` naming the first wrong byte, or the first byte after the parts that the flags
 * announce.
 */
export function decodeAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < FIXED_LENGTH) {
    throw malformed(CODE, SUBJECT, bytes.length, `expected at least ${FIXED_LENGTH} bytes, got ${bytes.length}`);
  }
  const flags = decodeFlags(bytes[OFFSETS.flags] ?? 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = FIXED_LENGTH;
  const attested = flags.at ? readAttestedCredentialData(bytes, view, end) : undefined;
  end = attested?.end ?? end;
  const extensionsAt = end;
  const extensions = flags.ed ? readingCbor(CODE, `${SUBJECT} (extensions)`, () => decodeCborMap(bytes, extensionsAt)) : undefined;
  end = extensions?.end ?? end;
  if (end !== bytes.length) {
    const announced = `the flags announce ${flags.at ? '' : 'no '}attested credential data and ${flags.ed ? '' : 'no '}extensions`;
    throw malformed(CODE, SUBJECT, end, `expected nothing after it, got ${count(bytes.length - end, 'more byte')} (${announced})`);
  }
  return {
    rpIdHash: copy(bytes, 0, SHA256_BYTES),
    flags,
    signCount: view.getUint32(OFFSETS.signCount),
    ...(attested && { attestedCredentialData: attested.data }),
    ...(extensions && { extensions: extensions.value, extensionBytes: copy(bytes, extensionsAt, end) }),
  };
}

function decodeFlags(byte: number): AuthenticatorFlags {
  const has = (flag: number) => (byte & flag) !== 0;
  return { up: has(FLAG.up), uv: has(FLAG.uv), be: has(FLAG.be), bs: has(FLAG.bs), at: has(FLAG.at), ed: has(FLAG.ed), byte };
}

function readAttestedCredentialData(bytes: Uint8Array, view: DataView, start: number): { data: AttestedCredentialData; end: number } {
  const subject = `${SUBJECT} (attested credential data)`;
  const idAt = start + AAGUID_BYTES + 2;
  if (bytes.length < idAt) {
    throw malformed(
      CODE,
      subject,
      bytes.length,
      `expected 18 bytes of AAGUID and credential ID length from byte ${start} on, got ${bytes.length - start}`,
    );
  }
  const idLength = view.getUint16(idAt - 2);
  const keyAt = idAt + idLength;
  if (bytes.length < keyAt) {
    throw malformed(
      CODE,
      subject,
      bytes.length,
      `expected a credential ID of ${count(idLength, 'byte')} from byte ${idAt} on, got ${bytes.length - idAt}`,
    );
  }
  const { end } = readingCbor(CODE, `${SUBJECT} (credential public key)`, () => decodeCborMap(bytes, keyAt));
  return {
    data: {
      aaguid: copy(bytes, start, start + AAGUID_BYTES),
      credentialId: copy(bytes, idAt, keyAt),
      credentialPublicKey: copy(bytes, keyAt, end),
    },
    end,
  };
}

/** Copies a range of bytes into new memory. (`slice` of a Buffer would share the memory.) */
function copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return Uint8Array.from(bytes.subarray(start, end));
}

/**
 * Writes authenticator data (WebAuthn L3 §6.1).
 *
 * @throws PasskeyError `authenticator_data_malformed` when a part does not fit its field.
 */
export function encodeAuthenticatorData(data: AuthenticatorDataInput): Uint8Array {
  const { rpIdHash, flags, signCount, attestedCredentialData } = data;
  if (rpIdHash.length !== SHA256_BYTES) {
    throw malformed(CODE, SUBJECT, 0, `expected an RP ID hash of ${SHA256_BYTES} bytes, got ${rpIdHash.length}`);
  }
  if (!isSignCount(signCount)) {
    throw malformed(CODE, SUBJECT, OFFSETS.signCount, `expected a sign count of 32 bits, got ${signCount}`);
  }
  const extensionBytes = data.extensionBytes ?? (data.extensions && encodeCbor(data.extensions));
  const fixed = new Uint8Array(FIXED_LENGTH);
  fixed.set(rpIdHash);
  const set = (flag: number, on: boolean) => (on ? flag : 0);
  fixed[OFFSETS.flags] =
    set(FLAG.up, flags.up) |
    set(FLAG.uv, flags.uv) |
    set(FLAG.be, flags.be) |
    set(FLAG.bs, flags.bs) |
    set(FLAG.at, attestedCredentialData !== undefined) |
    set(FLAG.ed, extensionBytes !== undefined) |
    ((flags.byte ?? 0) & RESERVED_BITS);
  new DataView(fixed.buffer).setUint32(OFFSETS.signCount, signCount);
  const attested = attestedCredentialData === undefined ? new Uint8Array() : encodeAttestedCredentialData(attestedCredentialData);
  return concatBytes(fixed, attested, extensionBytes ?? new Uint8Array());
}

function encodeAttestedCredentialData({ aaguid, credentialId, credentialPublicKey }: AttestedCredentialData): Uint8Array {
  if (aaguid.length !== AAGUID_BYTES) {
    throw malformed(CODE, SUBJECT, FIXED_LENGTH, `expected an AAGUID of ${AAGUID_BYTES} bytes, got ${aaguid.length}`);
  }
  if (credentialId.length > 0xffff) {
    throw malformed(
      CODE,
      SUBJECT,
      FIXED_LENGTH + AAGUID_BYTES,
      `expected a credential ID of at most 65535 bytes, got ${credentialId.length}`,
    );
  }
  const length = Uint8Array.of(credentialId.length >> 8, credentialId.length & 0xff);
  return concatBytes(aaguid, length, credentialId, credentialPublicKey);
}
