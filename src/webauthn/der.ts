import { count } from '../kernel/wording.js';
/** Syntax error in DER: the byte where the reader stopped, and what it expected there. */
export class DerSyntaxError extends Error {
  override readonly name = 'DerSyntaxError';
  /** Offset of the first wrong byte, from the start of the input. */
  readonly offset: number;
  readonly detail: string;

  constructor(offset: number, detail: string) {
    super(`byte ${offset}: ${detail}`);
    this.offset = offset;
    this.detail = detail;
  }
}

type DerClass = 'universal' | 'application' | 'context' | 'private';

/** One element of DER (X.690): its tag and its position in the array `source`, without copying any bytes. */
export interface DerElement {
  readonly class: DerClass;
  readonly tag: number;
  readonly constructed: boolean;
  readonly source: Uint8Array;
  /** Offset of the element's tag. */
  readonly start: number;
  /** Offset of the element's contents. */
  readonly contentStart: number;
  /** Offset of the first byte after the element. */
  readonly end: number;
}

/** Numbers of the universal tags (X.680 §8.6). */
export const TAG = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  enumerated: 10,
  utf8String: 12,
  sequence: 16,
  set: 17,
  printableString: 19,
  t61String: 20,
  ia5String: 22,
  utcTime: 23,
  generalizedTime: 24,
  universalString: 28,
  bmpString: 30,
} as const;

const CLASSES: readonly DerClass[] = ['universal', 'application', 'context', 'private'];
/** Exclusive upper limit of tag numbers: four groups of seven bits, more than any tag in use. */
const MAX_TAG = 2 ** 28;

/**
 * Reads the element at `offset`, which may not extend beyond `limit`. Rejects indefinite lengths and lengths in more bytes than needed.
 *
 * @throws DerSyntaxError
 */
function readDer(source: Uint8Array, offset = 0, limit = source.length): DerElement {
  const byte = (at: number): number => {
    const value = at < limit ? source[at] : undefined;
    if (value === undefined) {
      throw new DerSyntaxError(at, 'expected more bytes of a tag or length, got the end');
    }
    return value;
  };
  const first = byte(offset);
  let at = offset + 1;
  let tag = first & 0x1f;
  if (tag === 0x1f) {
    tag = 0;
    let group: number;
    do {
      group = byte(at++);
      tag = tag * 128 + (group & 0x7f);
      if (tag === 0 || tag >= MAX_TAG) {
        throw new DerSyntaxError(at - 1, 'expected a tag number in its shortest form');
      }
    } while (group >= 0x80);
  }
  const lengthAt = at;
  let length = byte(at++);
  if (length >= 0x80) {
    const size = length & 0x7f;
    if (size === 0 || size > 4) {
      throw new DerSyntaxError(lengthAt, size === 0 ? 'expected a definite length' : `expected a length of at most 4 bytes, got ${size}`);
    }
    length = 0;
    for (let index = 0; index < size; index++) {
      length = length * 256 + byte(at++);
    }
    if (length < 0x80 || length < 256 ** (size - 1)) {
      throw new DerSyntaxError(lengthAt, `expected the shortest form of the length ${length}`);
    }
  }
  if (at + length > limit) {
    throw new DerSyntaxError(lengthAt, `expected ${count(length, 'byte')} of contents, got ${limit - at}`);
  }
  return {
    class: CLASSES[first >> 6] ?? 'universal',
    tag,
    constructed: (first & 0x20) !== 0,
    source,
    start: offset,
    contentStart: at,
    end: at + length,
  };
}

/**
 * Reads `bytes` as exactly one DER element.
 *
 * @throws DerSyntaxError if the element is malformed or bytes follow it.
 */
export function decodeDer(bytes: Uint8Array): DerElement {
  const element = readDer(bytes);
  if (element.end !== bytes.length) {
    throw new DerSyntaxError(element.end, `expected nothing after the element, got ${count(bytes.length - element.end, 'more byte')}`);
  }
  return element;
}

/** Reads the elements inside a constructed element. @throws DerSyntaxError */
export function children(element: DerElement): DerElement[] {
  if (!element.constructed) {
    throw new DerSyntaxError(element.start, 'expected a constructed element');
  }
  const inside: DerElement[] = [];
  for (let at = element.contentStart; at < element.end; ) {
    const child = readDer(element.source, at, element.end);
    inside.push(child);
    at = child.end;
  }
  return inside;
}

/** Reads the element inside an explicit tag. @throws DerSyntaxError unless there is exactly one. */
export function inner(element: DerElement, name: string): DerElement {
  const [child, ...rest] = children(element);
  if (child === undefined || rest.length > 0) {
    throw new DerSyntaxError(element.contentStart, `expected one element of ${name}, got ${child === undefined ? 0 : 1 + rest.length}`);
  }
  return child;
}

/** Extracts the contents of an element, without tag and length, as a view of the source. */
export function contents({ source, contentStart, end }: DerElement): Uint8Array {
  return source.subarray(contentStart, end);
}

/** Extracts the whole element (tag, length and contents) as a view of the source. */
export function encoded({ source, start, end }: DerElement): Uint8Array {
  return source.subarray(start, end);
}

export function isUniversal(element: DerElement | undefined, tag: number): element is DerElement {
  return element?.class === 'universal' && element.tag === tag;
}

export function isContext(element: DerElement | undefined, tag: number): element is DerElement {
  return element?.class === 'context' && element.tag === tag;
}

/**
 * Checks that the element has the universal tag `tag`, and returns the element.
 *
 * @throws DerSyntaxError if the element has another tag; or, with the offset of the end of `parent`, if the element is missing.
 */
export function expectUniversal(element: DerElement | undefined, tag: number, name: string, parent?: DerElement): DerElement {
  if (element === undefined) {
    throw new DerSyntaxError(parent?.end ?? 0, `expected ${name}, got the end`);
  }
  if (element.class !== 'universal' || element.tag !== tag) {
    throw new DerSyntaxError(element.start, `expected ${name}, got ${showTag(element)}`);
  }
  return element;
}

export function showTag({ class: tagClass, tag }: DerElement): string {
  const name = tagClass === 'universal' ? Object.entries(TAG).find(([, value]) => value === tag)?.[0] : undefined;
  return name ?? `${tagClass} tag ${tag}`;
}

/** Reads the elements of a SEQUENCE. @throws DerSyntaxError */
export function sequence(element: DerElement | undefined, name: string, parent?: DerElement): DerElement[] {
  return children(expectUniversal(element, TAG.sequence, name, parent));
}

/** Reads the contents of an OCTET STRING. @throws DerSyntaxError */
export function octets(element: DerElement | undefined, name: string, parent?: DerElement): Uint8Array {
  return contents(expectUniversal(element, TAG.octetString, name, parent));
}
