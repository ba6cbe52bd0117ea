import { Cursor } from './bytes.js';

/** One element of DER (X.690). */
export interface Der {
  /** 0 universal, 1 application, 2 context, 3 private. */
  readonly tagClass: number;
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

/** The element that the bytes begin with. */
export function readDer(bytes: Uint8Array): Der {
  const cursor = new Cursor(bytes);
  const first = cursor.number(1);
  let tag = first & 0x1f;
  if (tag === 0x1f) {
    tag = 0;
    for (let more = 0x80; more & 0x80; tag = (tag << 7) | (more & 0x7f)) more = cursor.number(1);
  }
  let length = cursor.number(1);
  if (length === 0x80 || length > 0x84) throw new Error('DER with an indefinite or immense length');
  if (length > 0x80) length = cursor.number(length - 0x80);
  const content = cursor.take(length);
  return { tagClass: first >> 6, tag, content, whole: Buffer.from(bytes.subarray(0, cursor.at)) };
}

/** One element and nothing after it. */
export function onlyDer(bytes: Uint8Array): Der {
  const der = readDer(bytes);
  if (der.whole.length !== bytes.length) throw new Error('bytes after a DER element');
  return der;
}

export function children({ content }: Pick<Der, 'content'>): Der[] {
  const found: Der[] = [];
  for (let at = 0; at < content.length; ) {
    const der = readDer(content.subarray(at));
    found.push(der);
    at += der.whole.length;
  }
  return found;
}

/** The child at a place. */
export function child(der: Pick<Der, 'content'>, place: number): Der {
  const found = children(der)[place];
  if (found === undefined) throw new Error(`DER without element ${place}`);
  return found;
}

export function toOid({ content }: Der): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...others] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...others].join('.');
}

/** Of at most 6 bytes. */
export const toNumber = ({ content }: Der): number => content.readIntBE(0, content.length);

/** An ECDSA signature is a SEQUENCE of two INTEGERs, each minimal and positive, and nothing more (§6.5.5). */
export function checkEcdsaSignature(signature: Uint8Array): void {
  const sequence = onlyDer(signature);
  const numbers = children(sequence);
  const minimal = ({ content }: Der) => {
    const [first = 0x80, second = 0x80] = content;
    return first < 0x80 && (content.length === 1 || first !== 0 || second >= 0x80);
  };
  if (sequence.whole[0] !== 0x30 || numbers.length !== 2) throw new Error('an ECDSA signature that is no SEQUENCE of two numbers');
  if (!numbers.every((number) => number.whole[0] === 0x02 && minimal(number))) throw new Error('an ECDSA signature without two INTEGERs');
}
