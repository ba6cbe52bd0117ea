/** Makes other bytes of some; what it is given stays as it is. */
export type ByteEdit = (bytes: Uint8Array) => Uint8Array;

/** Authenticator data (WebAuthn L3 §6.1): RP ID hash, flags, sign count. */
const FLAGS_AT = 32;
const SIGN_COUNT_AT = 33;

export const FLAG = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 } as const;

export function setFlags(mask: number): ByteEdit {
  return (bytes) => bytes.map((byte, at) => (at === FLAGS_AT ? byte | mask : byte));
}

export function clearFlags(mask: number): ByteEdit {
  return (bytes) => bytes.map((byte, at) => (at === FLAGS_AT ? byte & ~mask : byte));
}

export function setSignCount(count: number): ByteEdit {
  return (bytes) => {
    const edited = bytes.slice();
    new DataView(edited.buffer).setUint32(SIGN_COUNT_AT, count);
    return edited;
  };
}

/** Turns the lowest bit of one byte; negative positions count from the end. */
export function flipBit(at: number): ByteEdit {
  return (bytes) => bytes.map((byte, index) => (index === (at + bytes.length) % bytes.length ? byte ^ 1 : byte));
}

export function appendByte(byte: number): ByteEdit {
  return (bytes) => Uint8Array.of(...bytes, byte);
}

export function cutTo(length: number): ByteEdit {
  return (bytes) => bytes.slice(0, length);
}
