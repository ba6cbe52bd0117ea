import { concatBytes, countBytes } from './bytes.js';
import { type CborMap, decodeCborMap, encodeCbor } from './cbor.js';
import { malformed, readingCbor } from './malformed.js';

/** Flags of authenticator data (WebAuthn L3 §6.1). */
export interface AuthenticatorFlags {
  /** Bit 0: user present. */
  readonly up: boolean;
  /** Bit 2: user verified. */
  readonly uv: boolean;
  /** Bit 3: backup eligible. */
  readonly be: boolean;
  /** Bit 4: backed up. */
  readonly bs: boolean;
  /** Bit 6: attested credential data included. */
  readonly at: boolean;
  /** Bit 7: extension data included. */
  readonly ed: boolean;
  /** The byte as it came, reserved bits 1 and 5 included. */
  readonly byte: number;
}

/** WebAuthn L3 §6.5.1. */
export interface AttestedCredentialData {
  /** 16 bytes. */
  readonly aaguid: Uint8Array;
  /** Up to 65535 bytes fit here; that 1023 is the most allowed is a step of the registration. */
  readonly credentialId: Uint8Array;
  /** COSE_Key as it stands there: one CBOR map, not looked into. */
  readonly credentialPublicKey: Uint8Array;
}

/** WebAuthn L3 §6.1. */
export interface AuthenticatorData {
  /** SHA-256 of the RP ID, 32 bytes. */
  readonly rpIdHash: Uint8Array;
  readonly flags: AuthenticatorFlags;
  /** Unsigned, 32 bits. */
  readonly signCount: number;
  readonly attestedCredentialData?: AttestedCredentialData;
  readonly extensions?: CborMap;
  /** The extensions' CBOR as it came. */
  readonly extensionBytes?: Uint8Array;
}

/** What `encodeAuthenticatorData` takes; decoded authenticator data is one. */
export interface AuthenticatorDataInput {
  readonly rpIdHash: Uint8Array;
  /** AT and ED follow from what is there. Of `byte` only the reserved bits are used. */
  readonly flags: { readonly up: boolean; readonly uv: boolean; readonly be: boolean; readonly bs: boolean; readonly byte?: number };
  readonly signCount: number;
  readonly attestedCredentialData?: AttestedCredentialData | undefined;
  readonly extensions?: CborMap | undefined;
  /** Written instead of `extensions` when given. */
  readonly extensionBytes?: Uint8Array | undefined;
}

const CODE = 'authenticator_data_malformed';
const SUBJECT = 'The authenticator data';
const RP_ID_HASH_LENGTH = 32;
const FIXED_LENGTH = 37;
const AAGUID_LENGTH = 16;
const RESERVED_BITS = 0b0010_0010;
const FLAG = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 } as const;

/**
 * Reads authenticator data (WebAuthn L3 §6.1) to its last byte; whatever follows the announced parts is an error.
 *
 * @throws PasskeyError `authenticator_data_malformed` naming the first wrong byte.
 */
export function decodeAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < FIXED_LENGTH) {
    throw malformed(CODE, SUBJECT, bytes.length, `expected at least ${FIXED_LENGTH} bytes, got ${bytes.length}`);
  }
  const flags = decodeFlags(bytes[RP_ID_HASH_LENGTH] ?? 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = FIXED_LENGTH;
  const attested = flags.at ? readAttestedCredentialData(bytes, view, end) : undefined;
  end = attested?.end ?? end;
  const extensionsAt = end;
  const extensions = flags.ed ? readingCbor(CODE, `${SUBJECT} (extensions)`, () => decodeCborMap(bytes, extensionsAt)) : undefined;
  end = extensions?.end ?? end;
  if (end !== bytes.length) {
    const announced = `the flags announce ${flags.at ? '' : 'no '}attested credential data and ${flags.ed ? '' : 'no '}extensions`;
    throw malformed(CODE, SUBJECT, end, `expected its end, got ${countBytes(bytes.length - end, 'more byte')} (${announced})`);
  }
  return {
    rpIdHash: copy(bytes, 0, RP_ID_HASH_LENGTH),
    flags,
    signCount: view.getUint32(RP_ID_HASH_LENGTH + 1),
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
  const idAt = start + AAGUID_LENGTH + 2;
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
      `expected a credential ID of ${countBytes(idLength)} from byte ${idAt} on, got ${bytes.length - idAt}`,
    );
  }
  const { end } = readingCbor(CODE, `${SUBJECT} (credential public key)`, () => decodeCborMap(bytes, keyAt));
  return {
    data: {
      aaguid: copy(bytes, start, start + AAGUID_LENGTH),
      credentialId: copy(bytes, idAt, keyAt),
      credentialPublicKey: copy(bytes, keyAt, end),
    },
    end,
  };
}

/** A copy of its own memory, also of a Buffer, whose own `slice` shares. */
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
  if (rpIdHash.length !== RP_ID_HASH_LENGTH) {
    throw malformed(CODE, SUBJECT, 0, `expected an RP ID hash of ${RP_ID_HASH_LENGTH} bytes, got ${rpIdHash.length}`);
  }
  if (!Number.isInteger(signCount) || signCount < 0 || signCount > 0xffffffff) {
    throw malformed(CODE, SUBJECT, RP_ID_HASH_LENGTH + 1, `expected a sign count of 32 bits, got ${signCount}`);
  }
  const extensionBytes = data.extensionBytes ?? (data.extensions && encodeCbor(data.extensions));
  const fixed = new Uint8Array(FIXED_LENGTH);
  fixed.set(rpIdHash);
  const set = (flag: number, on: boolean) => (on ? flag : 0);
  fixed[RP_ID_HASH_LENGTH] =
    set(FLAG.up, flags.up) |
    set(FLAG.uv, flags.uv) |
    set(FLAG.be, flags.be) |
    set(FLAG.bs, flags.bs) |
    set(FLAG.at, attestedCredentialData !== undefined) |
    set(FLAG.ed, extensionBytes !== undefined) |
    ((flags.byte ?? 0) & RESERVED_BITS);
  new DataView(fixed.buffer).setUint32(RP_ID_HASH_LENGTH + 1, signCount);
  const attested = attestedCredentialData === undefined ? new Uint8Array() : encodeAttestedCredentialData(attestedCredentialData);
  return concatBytes(fixed, attested, extensionBytes ?? new Uint8Array());
}

function encodeAttestedCredentialData({ aaguid, credentialId, credentialPublicKey }: AttestedCredentialData): Uint8Array {
  if (aaguid.length !== AAGUID_LENGTH) {
    throw malformed(CODE, SUBJECT, FIXED_LENGTH, `expected an AAGUID of ${AAGUID_LENGTH} bytes, got ${aaguid.length}`);
  }
  if (credentialId.length > 0xffff) {
    throw malformed(
      CODE,
      SUBJECT,
      FIXED_LENGTH + AAGUID_LENGTH,
      `expected a credential ID of at most 65535 bytes, got ${credentialId.length}`,
    );
  }
  const length = Uint8Array.of(credentialId.length >> 8, credentialId.length & 0xff);
  return concatBytes(aaguid, length, credentialId, credentialPublicKey);
}
