import { decodeBase64 } from '../../webauthn/base64url.js';
import { toHex } from '../../webauthn/bytes.js';
import { isIpAddress, isLoopbackHost } from '../../webauthn/rp-id.js';

const ANDROID = 'android:apk-key-hash:';

/** One sentence on why an origin is not an expected one, from what distinguishes it from the nearest. */
export function originHint(received: string, expected: readonly string[], flag = '--origin'): string {
  if (received.startsWith(ANDROID)) {
    return androidHint(received, expected, flag);
  }
  if (expected.length === 0) {
    return `No origin is expected here; allow it with ${flag}.`;
  }
  const advice = expected.map((origin) => difference(received, origin)).find((hint) => hint !== undefined);
  return (
    advice ??
    aloneHint(received) ??
    `Open the page under the expected origin, ask for options with its app_url, or allow the origin with ${flag}.`
  );
}

function difference(received: string, expected: string): string | undefined {
  if (received === `${expected}/`) {
    return 'An origin ends without a slash.';
  }
  if (expected === `${received}/`) {
    return 'The expected origin is written with a slash at its end; an origin ends without one, so take it away there.';
  }
  if (received.toLowerCase() === expected.toLowerCase()) {
    return 'Scheme and host of an origin are lower case.';
  }
  if (!URL.canParse(received) || !URL.canParse(expected)) {
    return undefined;
  }
  const [a, b] = [new URL(received), new URL(expected)];
  return sameHost(a, b, expected) ?? otherHost(a, b);
}

function sameHost(a: URL, b: URL, expected: string): string | undefined {
  if (a.origin === b.origin && a.origin !== 'null') {
    return expected === b.origin
      ? `A browser writes this origin ${b.origin}: without path, default port and letters outside ASCII.`
      : `The expected origin must be written as a browser does: ${b.origin}, without path, default port and letters outside ASCII.`;
  }
  if (a.host === b.host && a.protocol !== b.protocol) {
    const local = isLoopbackHost(a.hostname) ? `, or set app_url to ${a.origin}` : '';
    return `Only the scheme differs (${a.protocol} against ${b.protocol}); behind a proxy, give the origin that the browser shows${local}.`;
  }
  return a.protocol === b.protocol && a.hostname === b.hostname
    ? `Only the port differs (${a.port || 'none'} against ${b.port || 'none'}); the port is part of the origin.`
    : undefined;
}

function otherHost(a: URL, b: URL): string | undefined {
  if (a.hostname === `www.${b.hostname}` || b.hostname === `www.${a.hostname}`) {
    return 'Only "www." differs; it is part of the origin.';
  }
  if (isLoopbackHost(a.hostname) && isLoopbackHost(b.hostname)) {
    return `Both are this machine, but ${a.hostname} and ${b.hostname} are different origins; use localhost throughout.`;
  }
  if (a.hostname === `${b.hostname}.` || b.hostname === `${a.hostname}.`) {
    return 'Only a dot at the end of the host differs; open the page without it.';
  }
  if (a.hostname.endsWith(`.${b.hostname}`)) {
    return `${a.hostname} is a subdomain of the expected host, and an origin of its own; allow it as well if the page is yours.`;
  }
  return b.hostname.endsWith(`.${a.hostname}`)
    ? `The expected origin is that of a subdomain of ${a.hostname}; allow ${a.origin} as well if the page is yours.`
    : undefined;
}

/** What can be said of an origin whatever was expected. */
function aloneHint(received: string): string | undefined {
  if (received === 'null') {
    return 'The page has an opaque origin (a sandboxed iframe, or a file opened from disk); serve it over https or from localhost.';
  }
  const url = URL.canParse(received) ? new URL(received) : undefined;
  if (url?.protocol.endsWith('-extension:')) {
    return 'A browser extension asked; its origin has the identifier of the extension and must be allowed by that name.';
  }
  return url !== undefined && isIpAddress(url.hostname)
    ? 'Browsers run no ceremony on an IP address; open the page as localhost, or under a host name with https.'
    : undefined;
}

function androidHint(received: string, expected: readonly string[], flag: string): string {
  const hash = decodeBase64(received.slice(ANDROID.length))?.bytes;
  if (hash?.length !== 32) {
    return 'The origin of an Android app is android:apk-key-hash: and the SHA-256 of its signing certificate as base64url without padding.';
  }
  const mine = fingerprint(hash);
  return expected.some((origin) => origin.startsWith(ANDROID))
    ? `The app is signed with another certificate than the expected one (a debug build, or Play App Signing): its SHA-256 is ${mine}.`
    : `An Android app asked, signed with the certificate of SHA-256 ${mine}; allow its origin with ${flag}, and name the fingerprint in /.well-known/assetlinks.json.`;
}

/** As keytool and assetlinks.json write it. */
function fingerprint(hash: Uint8Array): string {
  return (toHex(hash).toUpperCase().match(/../g) ?? []).join(':');
}
