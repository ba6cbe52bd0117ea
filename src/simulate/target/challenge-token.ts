import { readUtf8 } from '../../kernel/bytes.js';
import { asObject, parseJson } from '../../kernel/json-value.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import type { ChallengeToken } from './driver.js';

/** Minimum length, in characters, at which a value is taken for an encrypted challenge. Session IDs and CSRF tokens are shorter. */
const MIN_SEALED = 150;

/** Minimum length, in bytes, at which a challenge is taken to contain signed data. Random challenges are shorter. */
const MIN_SIGNED = 65;

/** Minimum length, in bytes, at which a readable challenge is taken for a token. */
const MIN_TEXT = 40;

interface Given {
  /** Time at which the options arrived, in milliseconds since the epoch. */
  readonly now: number;
  /** Values that the target sent with the options and expects back with the response, by variable name. */
  readonly variables: readonly (readonly [name: string, value: unknown])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
}

/**
 * Finds the token in which the client returns the challenge to a target that does not store challenges: a variable, a cookie, or the
 * challenge itself if it is a token.
 */
export function findToken(challenge: string, { variables, cookies, now }: Given): ChallengeToken | undefined {
  const candidates = [
    ...variables.flatMap(([name, value]) => (typeof value === 'string' ? [{ in: 'variable', name, text: value } as const] : [])),
    ...cookies.map(([name, text]) => ({ in: 'cookie', name, text }) as const),
  ];
  const holding = candidates.find(({ text }) => readTexts(text).some((read) => read.includes(challenge)));
  const sealed = candidates.find(({ text }) => text.length >= MIN_SEALED && readTexts(text).length === 1);
  const token = holding ?? sealed;
  if (token !== undefined) return { ...token, lifetime: readLifetime(token.text, now) };
  const bytes = decodeBase64(challenge)?.bytes ?? new Uint8Array();
  const said = readUtf8(bytes);
  if (bytes.length < (said === undefined ? MIN_SIGNED : MIN_TEXT)) return undefined;
  return { in: 'challenge', name: 'challenge', text: challenge, lifetime: readLifetime(said ?? '', now) };
}

/**
 * Lists the readable forms of a token: the string itself, and those of its dot-separated parts that contain readable text after base64
 * decoding.
 */
function readTexts(text: string): readonly string[] {
  const plain = unescape(text);
  return [plain, ...plain.split('.').flatMap((part) => readUtf8(decodeBase64(part)?.bytes ?? Uint8Array.of(0xff)) ?? [])];
}

/** Decodes a string that may be URL-encoded, such as the value of a cookie. Returns a string with invalid escapes unchanged. */
function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Members of a token that may hold its expiry (`EXPIRY`) or its time of issue (`ISSUED`). A number counts seconds, as in a JWT, or
 * milliseconds.
 */
const EXPIRY = ['exp', 'expires', 'expiresAt', 'expires_at', 'expiry'] as const;
const ISSUED = ['iat', 'issuedAt', 'issued_at', 'createdAt', 'created_at'] as const;

const LATEST_SECONDS = 1e11;

/** Reads for how many milliseconds a token claims to be valid. Undefined if the token contains no expiry in plain text. */
function readLifetime(text: string, now: number): number | undefined {
  const members = readTexts(text).map((read) => asObject(parseJson(read)));
  const read = (names: readonly string[]) => members.flatMap((each) => names.flatMap((name) => readTime(each[name]) ?? []))[0];
  const expires = read(EXPIRY);
  return expires === undefined ? undefined : expires - (read(ISSUED) ?? now);
}

function readTime(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const time = Number.isNaN(Number(value)) ? Date.parse(String(value)) : Number(value);
  if (Number.isNaN(time)) return undefined;
  return time < LATEST_SECONDS ? time * 1000 : time;
}
