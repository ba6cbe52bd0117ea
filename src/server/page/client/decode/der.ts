/** One element of DER (X.690): tag, content and where it stands. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag and length included. */
  readonly whole: Uint8Array;
}

export const TAG = { boolean: 0x01, integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30, set: 0x31 } as const;

/** @throws RangeError when the bytes end within the element, or its length is written in more than four bytes. */
export function readElement(bytes: Uint8Array, offset = 0): { element: DerElement; end: number } {
  const tag = byteAt(bytes, offset);
  let length = byteAt(bytes, offset + 1);
  let start = offset + 2;
  if (length > 0x7f) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) {
      throw new RangeError(`DER: a length of ${count} bytes at byte ${offset + 1}`);
    }
    length = 0;
    for (let index = 0; index < count; index++) {
      length = length * 256 + byteAt(bytes, start + index);
    }
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) {
    throw new RangeError(`DER: the element at byte ${offset} ends at ${end}, after the last byte (${bytes.length})`);
  }
  return { element: { tag, content: bytes.subarray(start, end), whole: bytes.subarray(offset, end) }, end };
}

/** The elements that stand one after another in `bytes`. */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { element, end } = readElement(bytes, offset);
    elements.push(element);
    offset = end;
  }
  return elements;
}

/** Dotted form of an object identifier's content. */
export function readOid(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset];
  if (byte === undefined) {
    throw new RangeError(`DER: expected a byte at ${offset}, the data end there`);
  }
  return byte;
}
