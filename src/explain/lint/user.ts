import { encodeUtf8 } from '../../kernel/bytes.js';
import { isObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { MAX_USER_HANDLE_BYTES } from '../../webauthn/limits.js';
import { asciiText } from '../../webauthn/text-encoding.js';
import { decodeText, readMember } from '../annotate/read-credential.js';
import { type Advice, advise, unknownMembers } from './advice.js';
import { lintBytes, PLAIN_IDS } from './members.js';

/**
 * Length, in bytes, of the shortest user handle that causes no advice: that of a UUID. Most shorter handles are counters, which are the
 * same in every project.
 */
const LEAST_USER_HANDLE_BYTES = 16;
/** Gives advice on the member `user` of creation options (WebAuthn L3 §5.4.3). */
export function* lintUser(value: unknown): Generator<Advice> {
  if (!isObject(value)) return yield advise('error', '/user', 'An object { id, name, displayName } is expected.');
  const { id, name, displayName } = value;
  yield* unknownMembers('/user', value, ['id', 'name', 'displayName', 'icon']);
  if ('icon' in value) yield advise('note', '/user/icon', 'Icons were removed from the standard; leave it out.');
  yield* lintUserId('/user/id', id);
  if (typeof name !== 'string' || name === '') {
    yield advise('error', '/user/name', 'A name is required: people choose their passkey by it.');
  }
  if (typeof displayName !== 'string') yield advise('error', '/user/displayName', 'A string is required; it may be empty.');
}

function* lintUserId(pointer: string, value: unknown): Generator<Advice> {
  if (typeof value === 'string' && value.includes('@')) {
    const better = 'user.id should be up to 64 random bytes in base64url that reveal nothing about the user (§14.6.1).';
    return yield advise('error', pointer, `This is an e-mail address as plain text; ${better}`);
  }
  const own = typeof value === 'string' && PLAIN_IDS.test(value) ? decodeText(readMember(value)) : undefined;
  if (own !== undefined && asciiText(own) === undefined) {
    const encoded = JSON.stringify(encodeBase64url(encodeUtf8(String(value))));
    const what = `${JSON.stringify(value)} looks like an ID of your database as plain text, and browsers read user.id as base64url`;
    const better = `encode it (${encoded} stands for that text), or better use random bytes.`;
    return yield advise(String(value).length % 4 === 1 ? 'error' : 'warning', pointer, `${what}; ${better}`);
  }
  const bytes = yield* lintBytes(pointer, value);
  if (bytes === undefined) return;
  if (bytes.length === 0 || bytes.length > MAX_USER_HANDLE_BYTES) {
    yield advise('error', pointer, `1 to ${MAX_USER_HANDLE_BYTES} bytes are allowed; these are ${bytes.length}.`);
  } else if (asciiText(bytes)?.includes('@')) {
    const better = 'authenticators show user handles without verifying the user; use random bytes (§14.6.1).';
    yield advise('warning', pointer, `The bytes are an e-mail address: ${better}`);
  } else if (bytes.length < LEAST_USER_HANDLE_BYTES) {
    const collides =
      'keychains replace a passkey that has the same rp.id and user.id, so short or predictable handles collide between projects that share an rp.id, such as localhost. Use 64 random bytes (§5.4.3, §14.6.1).';
    yield advise('note', pointer, `This user handle is short (${count(bytes.length, 'byte')}): ${collides}`);
  }
}
