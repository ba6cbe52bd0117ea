import { isObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { DEFAULT_POLICY } from '../../relying-party/policy.js';
import { ATTACHMENTS, FORMER_TRANSPORTS, HINTS, knownValue, listNames, TRANSPORTS } from '../../webauthn/enumerations.js';
import {
  CHALLENGE_BYTES,
  MAX_CREDENTIAL_DESCRIPTORS,
  MAX_CREDENTIAL_ID_BYTES,
  MIN_CHALLENGE_BYTES,
  MIN_CREDENTIAL_ID_BYTES,
} from '../../webauthn/limits.js';
import { asciiText, decodedTwice, MISREADINGS } from '../../webauthn/text-encoding.js';
import { decodeText, readMember } from '../annotate/read-credential.js';
import { encodingMistake } from '../report/encoding.js';
import { type Advice, advise, adviseWords, unknownMembers } from './advice.js';

/**
 * Shortest and longest timeout that cause no advice, in milliseconds. §15.1 recommends 5 to 10 minutes. The default of this package's
 * relying party is shorter, and also causes no advice.
 */
const TIMEOUT = { least: DEFAULT_POLICY.timeout, most: 600_000 } as const;

/** Gives advice on text that should be base64url without padding. Returns the decoded bytes if the text can be decoded. */
export function* lintBytes(pointer: string, value: unknown): Generator<Advice, Uint8Array | undefined> {
  if (typeof value !== 'string') {
    const message =
      value === undefined || value === null
        ? 'It is missing; base64url of the bytes is expected.'
        : 'Expected a string: JSON cannot hold an ArrayBuffer (it becomes {} or a list of numbers); write its bytes as base64url.';
    yield advise('error', pointer, message);
    return undefined;
  }
  const member = readMember(value);
  const mistake = encodingMistake(pointer, member);
  if (mistake !== undefined) {
    const [severity, why] =
      mistake.mistake === 'hexadecimal'
        ? (['warning', 'A browser reads it as base64url and gets other bytes.'] as const)
        : (['error', 'parse…OptionsFromJSON() accepts only base64url without padding.'] as const);
    yield advise(severity, pointer, `The value ${mistake.message.slice(pointer.length + 1)} ${why}`);
  }
  return decodeText(member);
}

/**
 * Matches a token that a server signed or encrypted: JWT, JWE, PASETO, Fernet, or a format of itsdangerous, Django or Rails. Random bytes in
 * base64url may contain `--`, so a message of Rails needs a signature in hexadecimal, or a tag with padding.
 */
const TOKEN =
  /^(?:ey[\w-]+\.[\w-]*\.[\w-]+(?:\.[\w-]*){0,2}|v\d\.(?:public|local)\.[\w-]+(?:\.[\w-]+)?|gAAAA[\w-]{40,}={0,2}|[\w+/=%-]{8,}--(?:[\da-f]{40,}|[\w+/%]{16,}--[\w+/%]{22,}(?:==|%3D%3D))|[\w-]{8,}[.:][\w-]{4,}[.:][\w-]{20,})$/;
const STATELESS =
  'The challenge is a signed token, so the server stores none: it can be used again until it expires (§13.4.3). Record the tokens that were used, or store a random challenge.';

export function* lintChallenge(value: unknown): Generator<Advice> {
  const pointer = '/challenge';
  if (value === undefined || value === null) {
    return yield advise('error', pointer, `The challenge is missing; make ${CHALLENGE_BYTES} random bytes for each ceremony.`);
  }
  if (typeof value === 'string' && TOKEN.test(value)) {
    const encoded = 'A browser accepts only base64url: encode the bytes of the token.';
    yield advise('error', pointer, `This is a signed token as plain text. ${encoded}`);
    return yield advise('warning', pointer, STATELESS);
  }
  const bytes = yield* lintBytes(pointer, value);
  if (bytes === undefined) return;
  const text = asciiText(bytes);
  if (text !== undefined && TOKEN.test(text)) return yield advise('warning', pointer, STATELESS);
  if (bytes.length < MIN_CHALLENGE_BYTES) {
    const least = `§13.4.3 asks for at least ${MIN_CHALLENGE_BYTES} random ones; use ${CHALLENGE_BYTES}.`;
    yield advise('error', pointer, `${bytes.length} bytes are too few: ${least}`);
  } else if (text !== undefined || new Set(bytes).size <= bytes.length / 8) {
    const better = `use ${CHALLENGE_BYTES} bytes of a cryptographic random generator.`;
    yield advise('warning', pointer, `The bytes are plain text or repeat themselves, so this challenge may be guessed; ${better}`);
  }
}

export function* lintTimeout(value: unknown): Generator<Advice> {
  const pointer = '/timeout';
  if (value === undefined) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) {
    return yield advise('error', pointer, `A whole number of milliseconds is expected; got ${JSON.stringify(value)}.`);
  }
  if (value < 1000) {
    const meant = `the unit is milliseconds, so write ${value * 1000} for ${value} seconds.`;
    yield advise('error', pointer, `${value} milliseconds pass before a user can react; ${meant}`);
  } else if (value < TIMEOUT.least) {
    const why = 'people who need more time, or another device, are cut off. Use 300000.';
    yield advise('note', pointer, `${value / 1000} seconds are below the recommended range of 300 to 600 (§15.1): ${why}`);
  } else if (value > TIMEOUT.most) {
    yield advise(
      'note',
      pointer,
      `${value / 1000} seconds are above the recommended range of 300 to 600 (§15.1); browsers may shorten it.`,
    );
  }
}

export function* lintDescriptors(pointer: string, value: unknown): Generator<Advice> {
  if (value === undefined) return;
  if (!Array.isArray(value)) return yield advise('error', pointer, 'An array of { type, id, transports } is expected.');
  if (value.length > MAX_CREDENTIAL_DESCRIPTORS) {
    const limit = `Chrome and other Chromium browsers throw a RangeError above ${MAX_CREDENTIAL_DESCRIPTORS}`;
    const advice = `List the ${MAX_CREDENTIAL_DESCRIPTORS} used last.`;
    yield advise('error', pointer, `${value.length} credentials are too many: ${limit}. ${advice}`);
  }
  const seen = new Set<unknown>();
  for (const [index, entry] of value.entries()) yield* lintDescriptor(`${pointer}/${index}`, entry, seen);
}

function* lintDescriptor(pointer: string, entry: unknown, seen: Set<unknown>): Generator<Advice> {
  if (!isObject(entry)) return yield advise('error', pointer, 'An object { type: "public-key", id } is expected.');
  const { type, id, transports } = entry;
  yield* unknownMembers(pointer, entry, ['type', 'id', 'transports']);
  if (type !== 'public-key') {
    yield advise('error', `${pointer}/type`, `"public-key" is expected; browsers ignore the entry with ${JSON.stringify(type)}.`);
  }
  yield* lintCredentialId(`${pointer}/id`, id);
  if (typeof id === 'string' && seen.has(id)) yield advise('warning', `${pointer}/id`, 'This credential is named twice.');
  seen.add(id);
  yield* lintTransports(`${pointer}/transports`, transports);
}

/** Matches plain IDs that happen to be valid base64url: a UUID, a number, a word with a number such as `user-42`. */
export const PLAIN_IDS = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{1,15}|[a-z]{3,}[-_]\d+)$/i;

function* lintCredentialId(pointer: string, value: unknown): Generator<Advice> {
  const names = 'so no authenticator knows it';
  if (typeof value === 'string' && PLAIN_IDS.test(value)) {
    const what = `${JSON.stringify(value)} looks like an ID of your database as plain text`;
    return yield advise('warning', pointer, `${what}, ${names}; send the ID of the credential, as response.id had it at registration.`);
  }
  const bytes = yield* lintBytes(pointer, value);
  if (bytes === undefined) return;
  const text = asciiText(bytes);
  if (bytes.length === 0) {
    const why = 'the value in your database is empty, or was read in another encoding than it was written in.';
    yield advise('error', pointer, `The credential ID is empty and names nothing: ${why}`);
  } else if (decodedTwice(bytes) !== undefined) {
    yield advise('warning', pointer, `The credential ID ${MISREADINGS['encoded-twice'].replace(/;.*/, '')}, ${names}; encode it once.`);
  } else if (text !== undefined && bytes.length >= MIN_CREDENTIAL_ID_BYTES) {
    yield advise('warning', pointer, `The bytes of the credential ID are the text ${JSON.stringify(text)}, ${names}; send response.id.`);
  } else if (bytes.length < MIN_CREDENTIAL_ID_BYTES) {
    const least = `authenticators make at least ${MIN_CREDENTIAL_ID_BYTES} (§6.1)`;
    yield advise(
      'warning',
      pointer,
      `The credential ID has ${count(bytes.length, 'byte')}, and ${least}: it was cut off, or is another ID.`,
    );
  } else if (bytes.length > MAX_CREDENTIAL_ID_BYTES) {
    yield advise('warning', pointer, `The credential ID has ${bytes.length} bytes, and may have ${MAX_CREDENTIAL_ID_BYTES} at most (§4).`);
  }
}

function* lintTransports(pointer: string, value: unknown): Generator<Advice> {
  if (!Array.isArray(value) || value.length === 0) {
    const better = 'send those that getTransports() gave at registration.';
    return yield advise('note', pointer, `Without transports a browser must try all of them; ${better}`);
  }
  for (const transport of value) {
    if (knownValue(transport, TRANSPORTS) !== undefined) continue;
    const today = FORMER_TRANSPORTS.get(transport);
    const renamed = today === undefined ? '' : ` any more; it is called "${today}"`;
    yield advise('note', pointer, `${JSON.stringify(transport)} is not a transport of the standard${renamed}; browsers ignore it.`);
  }
}

export function* lintHints(value: unknown, attachment: unknown): Generator<Advice> {
  if (value === undefined) return;
  if (!Array.isArray(value)) return yield advise('error', '/hints', 'An array is expected, such as ["security-key"].');
  const known = listNames(HINTS);
  for (const [index, hint] of value.entries()) yield* adviseWords(`/hints/${index}`, hint, known, 'the others');
  const hinted = knownValue(value[0], known);
  if (hinted === undefined || knownValue(attachment, ATTACHMENTS) === undefined || attachment === HINTS[hinted]) return;
  const both = `The hint ${JSON.stringify(hinted)} contradicts authenticatorAttachment ${JSON.stringify(attachment)}`;
  yield advise('warning', '/hints', `${both}; where both are given, newer browsers follow the hint.`);
}
