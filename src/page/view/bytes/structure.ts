import type { TreeDocument } from '../../../explain/document-schema.js';
import type { JsonObject } from '../../../kernel/json-value.js';
import { decodeBase64 } from '../../../webauthn/base64url.js';
import { arrangeFields, type Field, treeToField } from '../../decode.js';
import { stringAt } from '../../json.js';

/** A field of the response whose bytes the page draws. */
export interface Structure {
  /** Name of the response's member, or `credentialPublicKey` for the public key of the credential record. */
  readonly name: string;
  readonly title: string;
  readonly bytes: Uint8Array;
  readonly field: Field;
  /** True if the bytes are text. */
  readonly text: boolean;
}

const TITLES: Readonly<Record<string, string>> = {
  attestationObject: 'Attestation object',
  authenticatorData: 'Authenticator data',
  clientDataJSON: 'Client data',
  signature: 'Signature',
  userHandle: 'User handle',
};

/** Splits the fields of a response into those with bytes and the others, both in reading order. */
export function findStructures(
  fields: readonly Field[],
  response: JsonObject,
): { readonly structures: readonly Structure[]; readonly rest: readonly Field[] } {
  const arranged = arrangeFields(fields);
  const structures = arranged.flatMap((field) => {
    const title = TITLES[field.name];
    const bytes = title === undefined ? undefined : decodeBase64(stringAt(response, 'response', field.name) ?? '')?.bytes;
    return title === undefined || bytes === undefined || bytes.length === 0
      ? []
      : [{ name: field.name, title, bytes, field, text: isText(bytes) }];
  });
  const drawn = new Set(structures.map(({ field }) => field));
  return { structures: structures.toSorted((a, b) => rank(a) - rank(b)), rest: arranged.filter((field) => !drawn.has(field)) };
}

/** Tests whether bytes are printable text, as in client data and some user handles. */
function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte !== 0x7f);
}

/** Computes a sort key that puts the structures of the authenticator before those of the client. */
function rank({ name }: Structure): number {
  return Object.keys(TITLES).indexOf(name);
}

/** Builds the structure of a credential record's public key, a COSE_Key in base64url. */
export function keyStructure(key: string | undefined, tree: TreeDocument | null): Structure | undefined {
  const bytes = key === undefined ? undefined : decodeBase64(key)?.bytes;
  if (bytes === undefined || bytes.length === 0) return undefined;
  const name = 'credentialPublicKey';
  return { name, title: 'Public key of the record', bytes, field: tree === null ? { name } : treeToField(tree), text: false };
}

/** Finds the offset of the byte at which decoding of a structure, or of the authenticator data in it, failed. */
export function findMalformed({ note, verdict, children = [] }: Field): number | undefined {
  const named = verdict === 'bad' ? / malformed at byte (\d+):/.exec(note ?? '')?.[1] : undefined;
  if (named !== undefined) return Number(named);
  const inner = children.find(({ name }) => name === 'authData');
  const within = inner && findMalformed(inner);
  if (within === undefined || inner?.at === undefined) return undefined;
  const { offset, length } = inner.at;
  // The head of a CBOR byte string has a byte more for lengths from 24, and one more from 256.
  return offset + (length <= 24 ? 1 : length <= 257 ? 2 : 3) + within;
}

/**
 * Colours of the byte segments, keyed by the field at which the segments begin. Inner fields have the same colour, unless they have their
 * own entry.
 */
const TONES: Readonly<Record<string, number>> = {
  rpIdHash: 1,
  flags: 4,
  signCount: 5,
  aaguid: 2,
  credentialIdLength: 3,
  credentialId: 3,
  credentialPublicKey: 6,
  extensions: 1,
  fmt: 2,
  alg: 4,
  sig: 5,
  x5c: 6,
  ver: 3,
  certInfo: 2,
  pubArea: 3,
  response: 5,
  type: 2,
  challenge: 1,
  origin: 3,
  crossOrigin: 4,
  topOrigin: 5,
  r: 1,
  s: 2,
  signature: 1,
  userHandle: 3,
};
/** Colours of the fields of a public key that is shown as a separate structure. */
const KEY_TONES: Readonly<Record<string, number>> = {
  'kty (1)': 2,
  'alg (3)': 4,
  'crv (-1)': 5,
  'x (-2)': 1,
  'y (-3)': 3,
  'n (-1)': 1,
  'e (-2)': 3,
  'pub (-1)': 1,
};

/** Consecutive bytes of one field. */
export interface Segment {
  /** Path of the field: the names from the structure down to the field, separated by slashes. */
  readonly path: string;
  readonly field: Field;
  /** Offset of the first byte of the segment. `end` is the offset after the last byte. */
  readonly start: number;
  readonly end: number;
  /** Number of the segment's colour; 0 for none. */
  readonly tone: number;
  /** True for bytes between the parts of the field: CBOR heads and keys, or the punctuation of JSON. */
  readonly frame: boolean;
}

/** Cuts the bytes of a structure into segments without gaps. Ignores fields whose position is unknown or outside their parent. */
export function cutSegments({ field, bytes, name }: Pick<Structure, 'field' | 'bytes' | 'name'>): Segment[] {
  const tones = name === 'credentialPublicKey' ? KEY_TONES : TONES;
  return cut({ ...field, at: { offset: 0, length: bytes.length } }, field.name, 0, tones);
}

function cut(field: Field, path: string, inherited: number, tones: Readonly<Record<string, number>>): Segment[] {
  const { offset: start, length } = field.at ?? { offset: 0, length: 0 };
  const end = start + length;
  const tone = tones[field.name] ?? inherited;
  const parts = findParts(field, start, end);
  if (parts.length === 0) return length === 0 ? [] : [{ path, field, start, end, tone, frame: false }];
  const segments: Segment[] = [];
  const frame = (from: number, to: number) => {
    if (from < to) segments.push({ path, field, start: from, end: to, tone, frame: true });
  };
  let at = start;
  for (const part of parts) {
    frame(at, part.at.offset);
    segments.push(...cut(part, `${path}/${part.name}`, tone, tones));
    at = part.at.offset + part.at.length;
  }
  frame(at, end);
  return segments;
}

type Placed = Field & { readonly at: NonNullable<Field['at']> };

/** Sorts the children of a field by the position of their bytes; empty if the children share bytes, as flags do. */
function findParts({ children = [] }: Field, start: number, end: number): Placed[] {
  const placed = children
    .filter((child): child is Placed => child.at !== undefined && child.at.length > 0)
    .filter(({ at }) => at.offset >= start && at.offset + at.length <= end)
    .toSorted((a, b) => a.at.offset - b.at.offset);
  const apart = placed.every(({ at }, index) => at.offset + at.length <= (placed[index + 1]?.at.offset ?? end));
  return apart ? placed : [];
}

/** Tests whether a segment belongs to the field at `path`. */
export function isWithin({ path: own, frame }: Segment, path: string | undefined): boolean {
  if (path === undefined) return false;
  // A field that has no segment of its own, such as a flag, shows in that of its parent.
  return own === path || own.startsWith(`${path}/`) || (!frame && path.startsWith(`${own}/`));
}

/**
 * Fields that each step of §7.1 and §7.2 checks. Maps the slug of the step to the ends of the fields' paths. Steps that check no bytes are
 * absent.
 */
const LOOKS_AT: Readonly<Record<string, readonly string[]>> = {
  'client-data-text': ['clientDataJSON'],
  'client-data': ['clientDataJSON'],
  type: ['clientDataJSON/type'],
  challenge: ['clientDataJSON/challenge'],
  origin: ['clientDataJSON/origin'],
  'cross-origin': ['clientDataJSON/crossOrigin'],
  'top-origin': ['clientDataJSON/topOrigin'],
  'attestation-object': ['attestationObject'],
  'rp-id-hash': ['rpIdHash'],
  'user-present': ['flags/UP'],
  'user-verified': ['flags/UV'],
  'backup-flags': ['flags/BE', 'flags/BS'],
  'backup-eligibility': ['flags/BE'],
  'backup-state': ['flags/BS'],
  algorithm: ['credentialPublicKey/alg (3)'],
  'attestation-format': ['attestationObject/fmt'],
  'attestation-statement': ['attestationObject/attStmt'],
  'trust-anchors': ['attestationObject/attStmt/x5c'],
  'attestation-trust': ['attestationObject/attStmt/x5c'],
  'credential-id': ['credentialId'],
  'credential-id-unused': ['credentialId'],
  'allow-credentials': ['id'],
  'user-handle': ['userHandle'],
  signature: ['signature'],
  'sign-count': ['signCount'],
  'extension-outputs': ['authData/extensions', 'authenticatorData/extensions'],
};

/** Tests whether a step checks the field at this path. */
function looksAt(slug: string | undefined, path: string): boolean {
  const ends = slug === undefined || !Object.hasOwn(LOOKS_AT, slug) ? [] : (LOOKS_AT[slug] ?? []);
  return ends.some((end) => path === end || path.endsWith(`/${end}`));
}

/** Lists the paths below `field` that a failed step checks. */
export function failedPaths(slug: string | undefined, field: Field, path = field.name): string[] {
  const own = looksAt(slug, path) ? [path] : [];
  return [...own, ...(field.children ?? []).flatMap((child) => failedPaths(slug, child, `${path}/${child.name}`))];
}

/** The part of a segment that is on one row of the hex dump. */
export interface Run {
  /** Index of the segment in the list of segments. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  /** True if the segment begins in this row. `last` is true if the segment ends in it. */
  readonly first: boolean;
  readonly last: boolean;
}

export interface Row {
  readonly offset: number;
  readonly runs: readonly Run[];
}

interface HexLayout {
  /** Total number of bytes in the hex dump. */
  readonly length: number;
  /** Number of bytes per row. */
  readonly columns: number;
  /** Paths of the folds that the user has opened. */
  readonly open: ReadonlySet<string>;
}

/** Lays out the rows of a hex dump. A closed fold is one entry, instead of one for each row inside. */
export function layOutRows(segments: readonly Segment[], { length, columns, open }: HexLayout): (Row | Fold)[] {
  return hideFolded(cutRows(segments, length, columns), { folds: findFolds(segments).filter(({ path }) => !open.has(path)), columns });
}

function cutRows(segments: readonly Segment[], length: number, columns: number): Row[] {
  const rows: { offset: number; runs: Run[] }[] = [];
  for (let offset = 0; offset < length; offset += columns) rows.push({ offset, runs: [] });
  for (const [index, { start, end }] of segments.entries()) {
    for (let from = start; from < end; ) {
      const to = Math.min(end, from - (from % columns) + columns);
      rows[Math.floor(from / columns)]?.runs.push({ segment: index, start: from, end: to, first: from === start, last: to === end });
      from = to;
    }
  }
  return rows;
}

/** Bytes that are hidden until the user opens the fold. */
export interface Fold {
  readonly path: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Number of bytes above which a segment, or the segments of one certificate, are folded. */
const LONG = 192;

/** Finds the long segments to fold: certificates, and keys and signatures of RSA and ML-DSA. */
function findFolds(segments: readonly Segment[]): Fold[] {
  const folds = new Map<string, Fold>();
  for (const { path, start, end, frame } of segments) {
    const certificate = /^(.*\/(x5c\[\d+\]))(?:\/|$)/.exec(path);
    if (frame && certificate === null) continue;
    const whole = certificate?.[1] ?? path;
    const name = certificate?.[2] ?? path.slice(path.lastIndexOf('/') + 1);
    const known = folds.get(whole);
    folds.set(whole, { path: whole, name, start: Math.min(known?.start ?? start, start), end: Math.max(known?.end ?? end, end) });
  }
  return [...folds.values()].filter(({ start, end }) => end - start > LONG);
}

/** Number of rows that stay visible at the beginning of a closed fold. */
const HEAD_ROWS = 3;
const TAIL_ROWS = 1;

interface Folding {
  readonly folds: readonly Fold[];
  readonly columns: number;
}

function hideFolded(rows: readonly Row[], { folds, columns }: Folding): (Row | Fold)[] {
  const drawn: (Row | Fold)[] = [];
  for (const row of rows) {
    const fold = folds.find(
      ({ start, end }) =>
        row.offset >= (Math.floor(start / columns) + HEAD_ROWS) * columns && row.offset < (Math.ceil(end / columns) - TAIL_ROWS) * columns,
    );
    const entry = fold ?? row;
    if (drawn.at(-1) !== entry) drawn.push(entry);
  }
  return drawn;
}
