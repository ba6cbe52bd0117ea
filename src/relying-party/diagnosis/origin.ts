import { toHex } from '../../kernel/bytes.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import { isIpAddress, parseUrl } from '../../webauthn/rp-id.js';

const ANDROID = 'android:apk-key-hash:';

/** Explains, in one sentence, how an unexpected origin differs from the most similar expected one. */
export function originHint(received: string, expected: readonly string[], flag = '--origin (expectedOrigin in your call)'): string {
  if (received.startsWith(ANDROID)) {
    return androidHint(received, expected, flag);
  }
  if (expected.length === 0) {
    return `No origin is expected here; allow it with ${flag}.`;
  }
  // Of several expected origins, compare with the most similar one: that of the same host first.
  const advice = [misspelling, sameSite, otherSite].flatMap((judge) => expected.map((origin) => judge(received, origin, flag)));
  return (
    advice.find((hint) => hint !== undefined) ??
    aloneHint(received) ??
    `Open the page under the expected origin, request options with its app_url, or allow the origin with ${flag}. If a file of your site names it, compare both with \`passkey doctor --target\`.`
  );
}

/** Describes how the received origin is a misspelling of the expected one; undefined if the two are different origins. */
function misspelling(received: string, expected: string): string | undefined {
  if (received === `${expected}/`) {
    return 'An origin does not end with a slash, and browsers write none. Remove the slash in the program that made this client data.';
  }
  if (expected === `${received}/`) {
    return 'The expected origin is written with a slash at its end. Remove the slash: an origin has none.';
  }
  if (received.toLowerCase() === expected.toLowerCase()) {
    return received === received.toLowerCase()
      ? `The expected origin has capital letters; browsers write scheme and host in lower case, so expect ${received}.`
      : `Browsers write scheme and host in lower case. Write ${expected} in the program that made this client data.`;
  }
  if (expected.includes('*') && matchesWildcard(received, expected)) {
    return `Origins have no wildcards (§7.1 compares them as they are); expect ${received}, and list each other origin.`;
  }
  return /^[\w.-]+(?::\d+)?\/?$/.test(expected) && received.endsWith(`//${expected.replace(/\/$/, '')}`)
    ? `The expected origin is written without its scheme; expect ${received}.`
    : undefined;
}

function matchesWildcard(received: string, expected: string): boolean {
  const [before = '', after = ''] = expected.split(/\*+/);
  return received.length > before.length + after.length && received.startsWith(before) && received.endsWith(after);
}

function sameSite(received: string, expected: string, flag: string): string | undefined {
  const [a, b] = [parseUrl(received), parseUrl(expected)];
  if (a === undefined || b === undefined) {
    return undefined;
  }
  if (a.origin === b.origin && a.origin !== 'null') {
    return expected === b.origin
      ? `A browser writes an origin without path, default port and non-ASCII letters. Write ${b.origin} in the program that made this client data.`
      : `The expected origin must be written as a browser does, without path, default port and non-ASCII letters: expect ${b.origin}.`;
  }
  const host = hostDifference(a.hostname, b.hostname);
  return host === undefined ? undefined : sameHost(a, b, host, flag);
}

function otherSite(received: string, expected: string, flag: string): string | undefined {
  const [a, b] = [parseUrl(received), parseUrl(expected)];
  return a === undefined || b === undefined ? undefined : otherHost(a, b, flag);
}

/** Names the difference between two spellings of a host: empty if they are equal, undefined if they are different hosts. */
function hostDifference(a: string, b: string): '' | '"www."' | 'a dot at the end of the host' | undefined {
  if (a === b) {
    return '';
  }
  if (a === `www.${b}` || b === `www.${a}`) {
    return '"www."';
  }
  return a === `${b}.` || b === `${a}.` ? 'a dot at the end of the host' : undefined;
}

function sameHost(a: URL, b: URL, host: string, flag: string): string {
  const parts = [
    ...(host === '' ? [] : [host]),
    ...(a.protocol === b.protocol ? [] : ['the scheme']),
    ...(a.port === b.port ? [] : ['the port']),
  ];
  const [first = '', ...rest] = parts;
  const last = rest.at(-1);
  const sentence = last === undefined ? `only ${first} differs` : `${parts.slice(0, -1).join(', ')} and ${last} differ`;
  const orAppUrl = isLoopbackHost(a.hostname) ? `, or set app_url to ${a.origin}` : '';
  const remedy =
    a.protocol === b.protocol
      ? `Open the page under ${b.origin}, or allow ${a.origin} with ${flag}.`
      : `Behind a proxy, give the origin that the browser shows with ${flag}${orAppUrl}.`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}: the page was at ${a.origin}, and ${b.origin} is expected. ${remedy}`;
}

function otherHost(a: URL, b: URL, flag: string): string | undefined {
  const [isHere, isExpectedHere] = [isLoopbackHost(a.hostname), isLoopbackHost(b.hostname)];
  if (isHere && isExpectedHere) {
    return `Both are this machine, but ${a.hostname} and ${b.hostname} are different origins; use localhost throughout.`;
  }
  if (isExpectedHere && !isIpAddress(a.hostname) && /^https?:$/.test(a.protocol)) {
    return `The page was opened as ${a.origin} (through a proxy or a tunnel?), but the origin of this machine is expected. Give the origin that the browser shows as app_url, or allow it with ${flag}.`;
  }
  if (isHere && /^https?:$/.test(b.protocol)) {
    return `The page ran on this machine, but ${b.origin} is expected. Open it there, or allow ${a.origin} with ${flag} while you develop.`;
  }
  if (a.hostname.endsWith(`.${b.hostname}`)) {
    return `${a.hostname} is a subdomain of the expected host, but a separate origin; allow it too if the page is yours.`;
  }
  return b.hostname.endsWith(`.${a.hostname}`)
    ? `The expected origin belongs to a subdomain of ${a.hostname}; allow ${a.origin} too if the page is yours.`
    : undefined;
}

/** Explains a mistake in an origin that is visible even if the expected origin is unknown; undefined if there is none. */
function aloneHint(received: string): string | undefined {
  if (received === 'null') {
    return 'The page has an opaque origin (a sandboxed iframe, or a file opened from disk); serve it over https or from localhost.';
  }
  const url = parseUrl(received);
  if (url?.protocol.endsWith('-extension:')) {
    return 'The request comes from a browser extension. Allow its origin, which contains the identifier of the extension.';
  }
  return url !== undefined && isIpAddress(url.hostname)
    ? 'Browsers refuse WebAuthn on IP addresses. Open the page as localhost, or under a host name with https.'
    : undefined;
}

const CHECK = 'Check assetlinks.json with `passkey doctor --target`.';

function androidHint(received: string, expected: readonly string[], flag: string): string {
  const hash = decodeBase64(received.slice(ANDROID.length))?.bytes;
  if (hash?.length !== 32) {
    return 'This is not the origin of an Android app: write android:apk-key-hash: and the SHA-256 of its signing certificate as base64url without padding.';
  }
  const mine = fingerprint(hash);
  const others = expected.filter((origin) => origin.startsWith(ANDROID));
  if (others.some((origin) => sameHash(origin, hash))) {
    return "The app's hash is the expected one in another encoding; write both as base64url without padding.";
  }
  return others.length > 0
    ? `The app is signed with another certificate (a debug build, or Play App Signing), whose SHA-256 is ${mine}; if it is yours, allow its origin with ${flag}. ${CHECK}`
    : `The call came from an Android app whose certificate has the SHA-256 ${mine}; allow its origin with ${flag}, and list the fingerprint in its assetlinks.json. ${CHECK}`;
}

/** Tells whether an Android origin contains a hash: in base64, in base64url, or in the hexadecimal form of assetlinks.json. */
function sameHash(origin: string, hash: Uint8Array): boolean {
  const text = origin.slice(ANDROID.length);
  const bytes = decodeBase64(text)?.bytes;
  return text.replaceAll(':', '').toLowerCase() === toHex(hash) || (bytes !== undefined && toHex(bytes) === toHex(hash));
}

/** Writes a hash in the form that keytool and assetlinks.json use. */
function fingerprint(hash: Uint8Array): string {
  return (toHex(hash).toUpperCase().match(/../g) ?? []).join(':');
}
