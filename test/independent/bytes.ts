import { createHash } from 'node:crypto';

export const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const toBase64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Reads one run of bytes after another; every read past the end is an error. */
export class Cursor {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new RangeError(`${length} bytes wanted at ${this.at}, ${this.left} left`);
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  /** An unsigned big-endian number of at most 6 bytes. */
  number(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  /** Bytes behind their length, as TPMs write them. */
  sized(): Buffer {
    return this.take(this.number(2));
  }

  rest(): Buffer {
    return this.take(this.left);
  }
}
