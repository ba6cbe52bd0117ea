import { readCreationOptions, readRequestOptions } from '../../client/options.js';
import { createReading, type Reading } from '../../client/reading.js';
import { isObject, type JsonObject, parseUntrustedJson } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../../webauthn/limits.js';
import { shorten } from './exchange.js';

/** Options as the page would pass them to a browser, or the reason why the page could not pass them. */
export type ReadOptions<Options> =
  | { readonly options: Options; readonly remarks: readonly string[] }
  | { readonly problem: string; readonly remarks: readonly string[] };

type OnRemark = (remark: string) => void;

/**
 * Reads creation options in the variants that real servers send: as a JSON string, under `publicKey`, with null members, in padded base64,
 * or with values that browsers convert, such as numbers instead of strings. Each such variant adds a remark. The result is a problem if no
 * page and no browser could read the options.
 */
export function readCreation(found: unknown): ReadOptions<PublicKeyCredentialCreationOptionsJSON> {
  return read(found, (json, reading) => {
    readCreationOptions(json, reading);
    return edited(json, {
      timeout: (value) => reading.unsignedLong(value),
      pubKeyCredParams: each((parameter) => edited(parameter, { alg: (value) => reading.long(value) })),
      authenticatorSelection: within((selection) => edited(selection, { requireResidentKey: (value) => reading.boolean(value) })),
    }) as JsonObject & PublicKeyCredentialCreationOptionsJSON;
  });
}

/** Reads request options in the same variants as {@link readCreation} reads creation options. */
export function readRequest(found: unknown): ReadOptions<PublicKeyCredentialRequestOptionsJSON> {
  return read(found, (json, reading) => {
    readRequestOptions(json, reading);
    return edited(json, { timeout: (value) => reading.unsignedLong(value) }) as JsonObject & PublicKeyCredentialRequestOptionsJSON;
  });
}

/** Maximum number of remarks on the options of one ceremony. Options of a correct server cause no remarks. */
const MAX_REMARKS = 20;

function read<Options>(found: unknown, finish: (json: JsonObject, reading: Reading) => Options): ReadOptions<Options> {
  const remarks: string[] = [];
  const remark: OnRemark = (text) => {
    if (remarks.length < MAX_REMARKS) remarks.push(shorten(text));
    else remarks[MAX_REMARKS] = 'More remarks on the options are left out.';
  };
  const json = unwrap(found, remark);
  if (!isObject(json)) return { problem: `Expected the options of a ceremony, a JSON object; got ${shown(json)}.`, remarks };
  const reading = createReading('browser', ({ member, message }) => remark(`${member}: ${message}`));
  try {
    const plain = withinLimits(withUrlAlphabet(withoutNulls(json, 'publicKey', remark), remark), remark);
    return { options: finish(plain, reading), remarks };
  } catch (error) {
    // TypeError, RangeError or DOMException, as a browser throws them.
    if (!(error instanceof Error)) throw error;
    return { problem: shorten(error.message), remarks };
  }
}

function unwrap(found: unknown, remark: OnRemark): unknown {
  const json = typeof found === 'string' ? parseUntrustedJson(found) : found;
  if (typeof found === 'string' && json !== undefined) remark('The options are JSON inside a string.');
  return isObject(json) && isObject(json['publicKey']) ? json['publicKey'] : json;
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : shorten(JSON.stringify(value));

function withoutNulls(json: JsonObject, path: string, remark: OnRemark): JsonObject {
  const members = Object.entries(json).flatMap(([name, value]) => {
    const at = `${path}.${name}`;
    if (value !== null) return [[name, cleaned(value, at, remark)] as const];
    remark(`${at}: Expected a value or no such member; got null. Pages remove the member.`);
    return [];
  });
  return Object.fromEntries(members);
}

function cleaned(value: unknown, path: string, remark: OnRemark): unknown {
  if (Array.isArray(value)) return value.map((element: unknown, index) => cleaned(element, `${path}[${index}]`, remark));
  return isObject(value) ? withoutNulls(value, path, remark) : value;
}

/** Converts binary members from base64, in which many servers send them, to base64url, which the standard requires. */
function withUrlAlphabet(json: JsonObject, remark: OnRemark): JsonObject {
  const bytes = (path: string) => (value: unknown) => {
    const decoded = typeof value === 'string' && /[+/=]/.test(value) ? decodeBase64(value) : undefined;
    if (decoded === undefined) return value;
    remark(`${path}: Expected base64url without padding; got base64. Pages convert it.`);
    return encodeBase64url(decoded.bytes);
  };
  const descriptors = (name: string) => each((entry, index) => edited(entry, { id: bytes(`publicKey.${name}[${index}].id`) }));
  return edited(json, {
    challenge: bytes('publicKey.challenge'),
    user: within((user) => edited(user, { id: bytes('publicKey.user.id') })),
    excludeCredentials: descriptors('excludeCredentials'),
    allowCredentials: descriptors('allowCredentials'),
  });
}

/**
 * Shortens the lists of credentials in options. At a target that deletes nothing, one user collects more passkeys in a run than any real
 * user has, and no browser accepts lists of that length. Keeps the end of a list, where most servers put the newest passkey.
 */
function withinLimits(json: JsonObject, remark: OnRemark): JsonObject {
  const newest = (name: string) => (value: unknown) => {
    if (!Array.isArray(value) || value.length <= MAX_CREDENTIAL_DESCRIPTORS) return value;
    const expected = `Expected at most ${MAX_CREDENTIAL_DESCRIPTORS} entries, because browsers accept no more; got ${value.length}.`;
    remark(`publicKey.${name}: ${expected} The last ${MAX_CREDENTIAL_DESCRIPTORS} are used.`);
    return value.slice(-MAX_CREDENTIAL_DESCRIPTORS);
  };
  return edited(json, { excludeCredentials: newest('excludeCredentials'), allowCredentials: newest('allowCredentials') });
}

type Edit = (value: unknown) => unknown;

const within =
  (edit: (json: JsonObject) => JsonObject): Edit =>
  (value) =>
    isObject(value) ? edit(value) : value;

const each =
  (edit: (json: JsonObject, index: number) => JsonObject): Edit =>
  (value) =>
    Array.isArray(value) ? value.map((element: unknown, index) => (isObject(element) ? edit(element, index) : element)) : value;

/** Returns a copy of an object in which the named members are changed if they are present. */
function edited(json: JsonObject, edits: Readonly<Record<string, Edit>>): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, Object.hasOwn(edits, name) ? edits[name]?.(value) : value]));
}
