import { PasskeyError } from '../errors.js';

/**
 * Parses a URL, relative to `base` if given; undefined if the string is not a URL.
 *
 * Does not use `URL.canParse`: on Node 20, after some thousands of calls, when V8 has optimised its caller, it starts to return false for
 * hosts such as bücher.example.
 */
export function parseUrl(text: string, base?: URL | string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Converts the host of a URL to an RP ID: lower case, punycode, without port. An IPv6 address keeps its brackets. Does not check whether
 * the host may be an RP ID: see `isIpAddress`.
 *
 * @throws PasskeyError `validation_failed` unless `url` is an absolute http or https URL.
 */
export function rpIdFromUrl(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === undefined || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new PasskeyError(
      'validation_failed',
      `Expected an absolute http or https URL, got ${JSON.stringify(url.slice(0, 100))}. Send for example "https://example.com".`,
    );
  }
  return parsed.hostname;
}

/**
 * Converts a host to its form in URLs: lower case, punycode, without port; undefined if the string is not a host. Accepts IPv6 addresses
 * with and without brackets.
 */
export function canonicalHost(host: string): string | undefined {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = host === '' || /[/?#@\\\s]/.test(host) ? undefined : parseUrl(`http://${bracketed}`);
  return url?.port === '' ? url.hostname : undefined;
}

/** Tests whether a host is an IPv4 or IPv6 address, in any spelling that URLs allow. Browsers refuse addresses as RP IDs. */
export function isIpAddress(host: string): boolean {
  const normalized = canonicalHost(host);
  return normalized !== undefined && (normalized.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(normalized));
}
