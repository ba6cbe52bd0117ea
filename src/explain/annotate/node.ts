import { toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { providerName } from '../../webauthn/aaguid.js';

/**
 * One line of an annotated structure. `offset` (bytes) counts from the start of the outermost structure. For example, the offsets of
 * authenticator data and certificates inside an attestation object count from the start of the attestation object.
 */
export interface AnnotatedNode {
  readonly label: string;
  readonly offset?: number;
  /** Length in bytes. */
  readonly length?: number;
  /** The decoded value. Long byte strings are shortened; `offset` and `length` locate the whole string in the input. */
  readonly value?: string;
  /** Explains the value in words. */
  readonly note?: string;
  /** Reason why the value cannot be read, with the position of the first wrong byte. */
  readonly error?: string;
  readonly children?: readonly AnnotatedNode[];
}

export interface AnnotateOptions {
  /** Names a provider or security key by AAGUID (8-4-4-4-12, lower case). Default: the package's own table. */
  readonly aaguidName?: ((aaguid: string) => string | undefined) | undefined;
  /** RP IDs that an rpIdHash may stand for, by their SHA-256 in lower-case hexadecimal. */
  readonly rpIds?: ReadonlyMap<string, string> | undefined;
}

const SHOWN_BYTES = 32;

/** Writes bytes as lower-case hexadecimal, and omits all after the first 32. */
export function shortHex(bytes: Uint8Array): string {
  return `${toHex(bytes.subarray(0, SHOWN_BYTES))}${bytes.length > SHOWN_BYTES ? '…' : ''}`;
}

/** Annotates a byte string with its hexadecimal form and its number of bytes. */
export function bytesNode(label: string, bytes: Uint8Array, offset: number, note?: string): AnnotatedNode {
  return { label, offset, length: bytes.length, value: shortHex(bytes), note: note ?? count(bytes.length, 'byte') };
}

/** Calls `read` to make a line of the tree. If `read` throws, makes a line with the error instead. */
export function readable(
  label: string,
  read: () => AnnotatedNode,
  where: { readonly offset?: number; readonly length?: number } = {},
): AnnotatedNode {
  try {
    return read();
  } catch (error) {
    return { label, ...where, error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Finds the first line of a tree that has an error. Returns its error, and the labels on the path from the root to it, without the root.
 */
export function firstError({
  error,
  children = [],
}: AnnotatedNode): { readonly path: readonly string[]; readonly error: string } | undefined {
  if (error !== undefined) {
    return { path: [], error };
  }
  for (const child of children) {
    const found = firstError(child);
    if (found !== undefined) {
      return { path: [child.label, ...found.path], error: found.error };
    }
  }
  return undefined;
}

export function aaguidNote(aaguid: string, { aaguidName = providerName }: AnnotateOptions): string {
  if (/^[0-]+$/.test(aaguid)) {
    return 'all zero: the model is not revealed (no attestation was requested, or a U2F security key)';
  }
  return aaguidName(aaguid) ?? 'not in the table of names';
}

const SHOWN_CHARACTERS = 120;
/** Maximum number of JSON levels to show. No WebAuthn object is deeper, but hostile input may be, in order to exhaust the stack. */
const SHOWN_LEVELS = 20;

/** Annotates a JSON value. Members of an object and items of an array become child nodes. */
export function jsonNode(label: string, value: unknown, level = 0): AnnotatedNode {
  if (typeof value !== 'object' || value === null) {
    return { label, value: show(value) };
  }
  if (level === SHOWN_LEVELS) {
    return { label, note: 'more levels, not shown' };
  }
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== 'object' || item === null)
      ? { label, value: value.length === 0 ? '[]' : value.map(show).join(', ') }
      : { label, note: `array of ${value.length}`, children: value.map((item, index) => jsonNode(`[${index}]`, item, level + 1)) };
  }
  const entries = Object.entries(value);
  return entries.length === 0
    ? { label, value: '{}' }
    : { label, children: entries.map(([name, item]) => jsonNode(name, item, level + 1)) };
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
