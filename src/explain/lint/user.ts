import { encodeUtf8 } from '../../kernel/bytes.js';
import { isObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { MAX_USER_HANDLE_BYTES } from '../../webauthn/limits.js';
import { asciiText } from '../../webauthn/text-encoding.js';
import { type Advice, advise, unknownMembers } from './advice.js';
import { lintBytes } from './members.js';

/** As many as a UUID has; shorter ones are mostly counted up, and then every project has the same. */
const LEAST_USER_HANDLE_BYTES = 16;
/** IDs that are base64url by chance: a UUID, a number, a word with a number such as `user-42`. */
const PLAIN_IDS = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{1,15}|[a-z]{3,}[-_]\d+)$/i;

/** `user` of creation options (WebAuthn L3 §5.4.3). */
export function lintUser(value: unknown): Advice[] {
  if (!isObject(value)) {
    return [advise('error', '/user', 'An object { id, name, displayName } is expected.')];
  }
  const { id, name, displayName } = value;
  return [
    ...unknownMembers('/user', value, ['id', 'name', 'displayName', 'icon']),
    ...('icon' in value ? [advise('note', '/user/icon', 'Icons were removed from the standard; leave it out.')] : []),
    ...lintUserId(id),
    ...(typeof name === 'string' && name !== ''
      ? []
      : [advise('error', '/user/name', 'A name is required: it is what people choose their passkey by.')]),
    ...(typeof displayName === 'string' ? [] : [advise('error', '/user/displayName', 'A text is required; it may be empty.')]),
  ];
}

function lintUserId(value: unknown): Advice[] {
  if (typeof value === 'string' && /@/.test(value)) {
    return [
      advise(
        'error',
        '/user/id',
        'This is an e-mail address as plain text; user.id is base64url of up to 64 random bytes that say nothing about the user (§14.6.1).',
      ),
    ];
  }
  const { advice, bytes } = lintBytes('/user/id', value);
  if (bytes === undefined) {
    return advice;
  }
  const text = asciiText(bytes);
  if (text === undefined && typeof value === 'string' && PLAIN_IDS.test(value)) {
    const encoded = JSON.stringify(encodeBase64url(encodeUtf8(value)));
    return [
      advise(
        value.length % 4 === 1 ? 'error' : 'warning',
        '/user/id',
        `${JSON.stringify(value)} looks like an ID of your database as plain text, and browsers read user.id as base64url; encode it (${encoded} stands for that text), or better use random bytes.`,
      ),
    ];
  }
  if (bytes.length === 0 || bytes.length > MAX_USER_HANDLE_BYTES) {
    advice.push(advise('error', '/user/id', `1 to ${MAX_USER_HANDLE_BYTES} bytes are allowed; these are ${bytes.length}.`));
  } else if (/@/.test(text ?? '')) {
    advice.push(
      advise(
        'warning',
        '/user/id',
        'The bytes are an e-mail address: authenticators show user handles without verifying the user; use random bytes (§14.6.1).',
      ),
    );
  } else if (bytes.length < LEAST_USER_HANDLE_BYTES) {
    advice.push(
      advise(
        'note',
        '/user/id',
        `This user handle is short (${bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`}): keychains replace a passkey that has the same rp.id and user.id, so short or predictable handles collide between projects that share an rp.id, such as localhost. Use 64 random bytes (§5.4.3, §14.6.1).`,
      ),
    );
  }
  return advice;
}
