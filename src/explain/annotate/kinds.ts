import { escapePointer } from '../../kernel/json-location.js';
import { isObject, isWithinDepth, type JsonObject, MAX_JSON_LEVELS, parseJson } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { readFlatCredential } from './flat-credential.js';
import { CEREMONY_FORMAT, isPageRun } from './page-run.js';

type JsonKind = 'registration' | 'authentication' | 'creation-options' | 'request-options' | 'fixture' | 'har' | 'page-run' | 'messages';
export type BinaryKind = 'attestation-object' | 'authenticator-data' | 'client-data' | 'cose-key' | 'certificate' | 'ctap2-answer';

export const KIND_NAMES: Readonly<Record<JsonKind | BinaryKind | 'error-text', string>> = {
  registration: 'registration response',
  authentication: 'authentication response',
  'creation-options': 'creation options',
  'request-options': 'request options',
  fixture: 'passkey fixture',
  har: 'HAR (HTTP archive)',
  'page-run': 'run of the test page',
  messages: 'options and responses',
  'attestation-object': 'attestation object',
  'authenticator-data': 'authenticator data',
  'client-data': 'client data',
  'cose-key': 'COSE key',
  certificate: 'X.509 certificate',
  'ctap2-answer': 'CTAP2 answer',
  'error-text': 'error message',
};

/**
 * Maximum number of nested wrapper objects to search. GraphQL, for example, has `{ data: { viewer: { beginRegistration: { options: {
 * publicKey: … } } } } }`.
 */
const MAX_DEPTH = 6;
const REQUEST_MEMBERS: readonly string[] = ['rpId', 'allowCredentials', 'userVerification'];
/** Members of WebAuthn options that other JSON objects often have too. */
const COMMON_MEMBERS: readonly string[] = ['timeout', 'hints', 'extensions'];
/** Length of the shortest plausible challenge, in base64url characters: 16 bytes. */
const LEAST_CHALLENGE = 22;

/** A WebAuthn object found in a JSON document; `pointer` is its JSON Pointer in that document. */
export interface FoundJson {
  readonly kind: JsonKind;
  readonly json: JsonObject;
  readonly pointer: string;
  /** Whether the credential's `response` was a string that contains JSON. */
  readonly isStringifiedTwice?: true;
}

/** Parses a string that contains a JSON object. */
export function readText(value: unknown): JsonObject | undefined {
  const json = typeof value === 'string' && /^\s*\{/.test(value) ? parseJson(value) : undefined;
  return isObject(json) && isWithinDepth(json, MAX_JSON_LEVELS) ? json : undefined;
}

/** Recognises a JSON document as a WebAuthn object, or finds the first one inside it; undefined if there is none. */
export function recogniseJson(value: unknown): FoundJson | undefined {
  const [first] = findAll(value);
  return first;
}

/**
 * Finds the WebAuthn objects of a document in order, including those in strings that contain JSON. Does not search inside the objects that
 * it finds.
 */
export function* findAll(given: unknown, pointer = '', depth = 0): Generator<FoundJson, undefined> {
  const value = readText(given) ?? given;
  if (!isObject(value)) {
    return;
  }
  // The fixture in such a file knows more than the run: the public key, and the outcome.
  const { format, fixture } = value;
  if (format === CEREMONY_FORMAT && isObject(fixture) && kindOfJson(fixture) === 'fixture') {
    yield { kind: 'fixture', json: fixture, pointer: `${pointer}/fixture` };
    return;
  }
  const read = readObject(value);
  if (read !== undefined) {
    yield { ...read, pointer };
    return;
  }
  if (depth === MAX_DEPTH) {
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    yield* findAll(member, `${pointer}/${escapePointer(name)}`, depth + 1);
  }
}

/**
 * Reads a WebAuthn object. Converts a credential to the standard form if its parts are all members of one object, or if its `response` is a
 * string that contains JSON.
 */
export function readObject(value: JsonObject): Omit<FoundJson, 'pointer'> | undefined {
  const kind = kindOfJson(value);
  if (kind !== undefined) return { kind, json: value };
  const response = readText(value['response']);
  const whole = response && { ...value, response };
  const stringified = whole && kindOfJson(whole);
  if (whole && stringified) return { kind: stringified, json: whole, isStringifiedTwice: true };
  const json = readFlatCredential(value);
  const flat = json && kindOfJson(json);
  return json && flat && { kind: flat, json };
}

/** Recognises a JSON object by the names of its members. */
export function kindOfJson(json: JsonObject): JsonKind | undefined {
  const has = (...names: readonly string[]) => names.every((name) => name in json);
  if (json['format'] === 'passkey-fixture') {
    return 'fixture';
  }
  if (isObject(json['log']) && Array.isArray(json['log']['entries'])) {
    return 'har';
  }
  if (isPageRun(json)) {
    return 'page-run';
  }
  const { response, challenge } = json;
  const credential = isObject(response) ? kindOfResponse(response) : undefined;
  if (credential !== undefined) {
    return credential;
  }
  // Options whose challenge was forgotten are recognised by two more of their members.
  if (has('challenge', 'pubKeyCredParams') || has('rp', 'user') || has('rp', 'pubKeyCredParams')) {
    return isObject(json['rp']) || has('challenge') ? 'creation-options' : undefined;
  }
  const named = (members: readonly string[]) => members.filter((name) => name in json).length;
  const isAlone = typeof challenge === 'string' && challenge.length >= LEAST_CHALLENGE && Object.keys(json).length === 1;
  const isRequest = has('challenge') ? !has('origin') && named(REQUEST_MEMBERS) + named(COMMON_MEMBERS) > 0 : named(REQUEST_MEMBERS) > 1;
  return isRequest || isAlone ? 'request-options' : undefined;
}

/** Infers the kind of ceremony from the members of a `response`, even if one of them is missing. */
function kindOfResponse(response: JsonObject): CeremonyKind | undefined {
  const has = (...names: readonly string[]) => names.some((name) => name in response);
  if (has('attestationObject')) {
    return 'registration';
  }
  if (has('signature')) {
    return has('clientDataJSON', 'authenticatorData') ? 'authentication' : undefined;
  }
  if (!has('clientDataJSON')) {
    return undefined;
  }
  return has('transports', 'publicKeyAlgorithm') ? 'registration' : has('authenticatorData') ? 'authentication' : undefined;
}
