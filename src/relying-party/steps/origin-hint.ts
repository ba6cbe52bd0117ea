import { isLoopbackHost } from '../../webauthn/rp-id.js';

/** One sentence on why an origin is not an expected one, from what distinguishes it from the nearest. */
export function originHint(received: string, expected: readonly string[], flag = '--origin'): string {
  if (expected.length === 0) {
    return `No origin is expected here; allow it with ${flag}.`;
  }
  const advice = expected.map((origin) => difference(received, origin)).find((hint) => hint !== undefined);
  return advice ?? `Open the page under the expected origin, ask for options with its app_url, or allow the origin with ${flag}.`;
}

function difference(received: string, expected: string): string | undefined {
  if (received === `${expected}/`) {
    return 'An origin ends without a slash.';
  }
  if (received.toLowerCase() === expected.toLowerCase()) {
    return 'Scheme and host of an origin are lower case.';
  }
  if (!URL.canParse(received) || !URL.canParse(expected)) {
    return undefined;
  }
  const [a, b] = [new URL(received), new URL(expected)];
  if (a.host === b.host && a.protocol !== b.protocol) {
    return `Only the scheme differs (${a.protocol} against ${b.protocol}); behind a proxy, give the origin that the browser shows.`;
  }
  if (a.protocol === b.protocol && a.hostname === b.hostname) {
    return `Only the port differs (${a.port || 'none'} against ${b.port || 'none'}); the port is part of the origin.`;
  }
  if (a.hostname === `www.${b.hostname}` || b.hostname === `www.${a.hostname}`) {
    return 'Only "www." differs; it is part of the origin.';
  }
  if (isLoopbackHost(a.hostname) && isLoopbackHost(b.hostname)) {
    return `Both are this machine, but ${a.hostname} and ${b.hostname} are different origins; use localhost throughout.`;
  }
  return undefined;
}
