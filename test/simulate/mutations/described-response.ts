import { asObject, isObject } from '../../../src/kernel/json-value.js';
import { decodeBase64 } from '../../../src/webauthn/base64url.js';
import { type CborValue, decodeCbor } from '../../../src/webauthn/cbor.js';
import { children, contents, type DerElement, decodeDer } from '../../../src/webauthn/der.js';
import { time } from '../../../src/webauthn/der-values.js';

/** Values of a response by their paths, in order. Bytes are in hex. */
export type Facts = ReadonlyMap<string, string>;

type Fact = readonly [path: string, value: string];

/** Shorter bytes are never drawn at random: they are numbers, flags or object identifiers. */
const SHORT = 12;
/** Longer credential IDs than the standard allows are drawn by their case. */
const LONG_DATA = 1023;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * Describes a response in every member, down to the leaves of its certificates. Of what is signed anew each time, only the kind is described,
 * and of a time its distance to `now`.
 */
export function describeResponse(response: unknown, now: number): Facts {
  const facts = new Map(listJson(response, '', now));
  // Copies are described only where they differ.
  for (const [copy, original] of COPIES) {
    if (facts.has(copy) && facts.get(copy) === facts.get(original)) facts.set(copy, `as ${original}`);
  }
  return facts;
}

const COPIES = [
  ['rawId', 'id'],
  ['response.authenticatorData', 'authData'],
] as const;

/** Ends the path of the order of an object's members. */
const ORDER = ' order';

function listJson(value: unknown, path: string, now: number): readonly Fact[] {
  const isEmpty = Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
  if (isEmpty || value === null || typeof value !== 'object') return describeLeaf(value, path, now);
  const entries = Object.entries(value);
  const order: Fact = [`${path}${ORDER}`, entries.map(([name]) => name).join(' ')];
  return [order, ...entries.flatMap(([name, member]) => listJson(member, path === '' ? name : `${path}.${name}`, now))];
}

function describeLeaf(value: unknown, path: string, now: number): readonly Fact[] {
  const plain: Fact = [path, JSON.stringify(value) ?? 'undefined'];
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (decoded === undefined) return [plain];
  const { bytes } = decoded;
  switch (path) {
    case 'response.clientDataJSON':
      return [[path, JSON.stringify(Buffer.from(bytes).toString('latin1'))]];
    case 'response.attestationObject':
      return listObject(bytes, path, now) ?? [[path, hex(bytes)]];
    case 'response.authenticatorData':
    case 'response.signature':
    case 'response.publicKey':
      return [[path, describeData(bytes)]];
    default:
      return bytes.length > LONG_DATA ? [[path, describeData(bytes)]] : [plain];
  }
}

const describeData = (bytes: Uint8Array): string => (bytes.length > LONG_DATA ? `${bytes.length} bytes` : hex(bytes));

function listObject(bytes: Uint8Array, path: string, now: number): readonly Fact[] | undefined {
  const read = attempt(() => decodeCbor(bytes));
  if (read === undefined) return undefined;
  const rest = bytes.slice(read.end);
  return [...listCbor(read.value, '', now), ...(rest.length === 0 ? [] : [[`${path} rest`, hex(rest)] as const])];
}

function listCbor(value: CborValue, path: string, now: number): readonly Fact[] {
  if (value instanceof Uint8Array) {
    const facts: readonly Fact[] = path === 'authData' ? [[path, describeData(value)]] : listBytes(value, path, now);
    // An ECDSA signature is one or two bytes longer or shorter by chance.
    const isOdd = path.endsWith('.sig') && facts.length === 1 && value[0] === 0x30;
    return isOdd ? [[path, 'no signature in DER']] : facts;
  }
  if (Array.isArray(value) && value.length > 0) return value.flatMap((each, index) => listCbor(each, `${path}.${index}`, now));
  if (value instanceof Map && value.size > 0) {
    const order: Fact = [`${path}${ORDER} in CBOR`, [...value.keys()].map(String).join(' ')];
    return [order, ...[...value].flatMap(([key, each]) => listCbor(each, path === '' ? String(key) : `${path}.${String(key)}`, now))];
  }
  return [[path, value instanceof Map ? '{}' : typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined')]];
}

function listBytes(bytes: Uint8Array, path: string, now: number): readonly Fact[] {
  const element = bytes.length > 2 ? attempt(() => decodeDer(bytes)) : undefined;
  const leaves = element?.constructed === true ? attempt(() => listDer(element, path)) : undefined;
  return (leaves && join(leaves)) ?? describeJws(bytes, path, now) ?? [[path, describeBytes(bytes)]];
}

/** Joins the leaves of each part of a certificate, such as its subject or its extensions. */
function join(leaves: readonly Fact[]): readonly Fact[] {
  const parts = new Map<string, string>();
  for (const [path, value] of leaves) {
    const part = path.split('/').slice(0, 3).join('/');
    const before = parts.get(part);
    parts.set(part, before === undefined ? value : `${before} ${value}`);
  }
  return [...parts];
}

const describeBytes = (bytes: Uint8Array): string => (bytes.length <= SHORT ? hex(bytes) : `${bytes.length} bytes`);

/** Describes a signed text of JSON, as SafetyNet has it: its header and its payload. */
function describeJws(bytes: Uint8Array, path: string, now: number): readonly Fact[] | undefined {
  const parts = Buffer.from(bytes).toString('latin1').split('.');
  const read = parts.slice(0, 2).map((part) => attempt(() => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown));
  const [header, payload] = read;
  if (!isObject(header)) return undefined;
  const { x5c, ...others } = header;
  const certificates = Array.isArray(x5c) ? x5c : [];
  const { timestampMs, nonce, ...rest } = asObject(payload);
  return [
    [`${path}.header`, JSON.stringify(others)],
    ...certificates.flatMap((each, index) => listBytes(decodeBase64(String(each))?.bytes ?? new Uint8Array(), `${path}.x5c.${index}`, now)),
    [`${path}.payload`, isObject(payload) ? JSON.stringify(rest) : `${parts[1]?.length} characters`],
    [`${path}.nonce`, `${typeof nonce} of ${String(nonce).length}`],
    [`${path}.timestampMs`, typeof timestampMs === 'number' ? distance(timestampMs, now) : (JSON.stringify(timestampMs) ?? 'undefined')],
    [`${path}.parts`, String(parts.length)],
  ];
}

const distance = (at: number, now: number): string => `${Math.round((at - now) / 3_600_000)} hours`;

function listDer(element: DerElement, path: string): readonly Fact[] {
  const { class: kind, tag, constructed } = element;
  const name = kind === 'universal' ? String(tag) : `${kind}-${tag}`;
  if (constructed) return children(element).flatMap((child, index) => listDer(child, `${path}/${index}`));
  const value = contents(element);
  if (kind === 'universal' && (tag === 23 || tag === 24)) return [[path, new Date(time(element, 'time')).toISOString()]];
  const within = tag === 4 && kind === 'universal' && value.length > 2 ? attempt(() => decodeDer(value)) : undefined;
  const leaves = within?.constructed === true ? attempt(() => listDer(within, path)) : undefined;
  if (leaves !== undefined) return leaves;
  // A number that is drawn may begin with a zero byte, or lack one.
  const isDrawn = value.length > 6 && kind === 'universal' && (tag === 2 || tag === 3);
  const isText = kind === 'universal' && [12, 19, 22].includes(tag);
  const text = isText ? JSON.stringify(Buffer.from(value).toString('utf8')) : describeBytes(value);
  return [[path, `${name}:${isDrawn ? 'long' : text}`]];
}

const LONGEST = 44;

function shorten(text: string, path: string): string {
  const longest = path.startsWith('attStmt') ? 5 * LONGEST : LONGEST;
  return text.length <= longest ? text : `${text.slice(0, longest / 2)}…${text.length}…${text.slice(-longest / 2)}`;
}

/** Lists in what one response differs from another: of a value, only from where to where it differs. */
export function listChanges(before: Facts, after: Facts): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is || (path.includes(ORDER) && !isReordered(was, is))) return [];
    if (was === undefined) return [`+${path} ${shorten(is ?? '', path)}`];
    if (is === undefined) return [`-${path}`];
    const start = [...was].findIndex((character, at) => character !== is[at]);
    const from = start === -1 ? was.length : start;
    const longest = Math.min(was.length, is.length) - from;
    const alike = Array.from({ length: longest }, (_, at) => at).findIndex((at) => was.at(-1 - at) !== is.at(-1 - at));
    const end = alike === -1 ? longest : alike;
    if (path === 'response.signature' && from + end < SAME) return [`${path} ${describeSignature(is)}`];
    const [old, now] = [was, is].map((text) => shorten(text.slice(from, text.length - end), path));
    return [`${path} ${from === 0 ? '' : `@${from} `}${old} -> ${now}`];
  });
}

const isReordered = (was = '', is = ''): boolean => was.split(' ').toSorted().join() === is.split(' ').toSorted().join();

/** How many digits two signatures share at least, if one is made from the other. */
const SAME = 20;

function describeSignature(digits: string): string {
  const leaves = listBytes(Buffer.from(digits, 'hex'), '', 0);
  return `another: ${leaves.map(([path, value]) => `${path} ${value}`).join(' ')}`;
}
