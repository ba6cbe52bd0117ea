import { PasskeyError } from '../errors.js';

/**
 * The host of a URL as an RP ID: lower case, punycode, without port. An IPv6 address keeps its brackets. Whether the host may be an RP ID is not
 * asked here: see `isIpAddress`.
 *
 * @throws PasskeyError `validation_failed` when `url` is no absolute http or https URL.
 */
export function rpIdFromUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new PasskeyError(
      'validation_failed',
      `Expected an absolute http or https URL, got ${JSON.stringify(url.slice(0, 100))}. Send for example "https://example.com".`,
    );
  }
  return parsed.hostname;
}

/** A host as URLs write it, or undefined when it is none. Takes IPv6 addresses with and without brackets. */
function normalizeHost(host: string): string | undefined {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  if (host === '' || /[/?#@\\\s]/.test(host) || !URL.canParse(`http://${bracketed}`)) {
    return undefined;
  }
  const { hostname, port } = new URL(`http://${bracketed}`);
  return port === '' ? hostname : undefined;
}

/** True for IPv4 and IPv6 addresses in every spelling that a URL takes. Browsers refuse them as RP IDs. */
export function isIpAddress(host: string): boolean {
  const normalized = normalizeHost(host);
  return normalized !== undefined && (normalized.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(normalized));
}

/** True for `localhost`, names below it, 127.0.0.0/8 and ::1 (also as an IPv4-mapped address). */
export function isLoopbackHost(host: string): boolean {
  const normalized = normalizeHost(host)?.replace(/\.$/, '');
  if (normalized === undefined) {
    return false;
  }
  if (isIpAddress(normalized)) {
    return normalized.startsWith('127.') || normalized === '[::1]' || normalized.startsWith('[::ffff:7f');
  }
  return normalized === 'localhost' || normalized.endsWith('.localhost');
}

/**
 * Whether an origin on `host` may use `rpId`: HTML's "is a registrable domain suffix of or is equal to". Suffixes begin at a dot, IP addresses
 * equal only themselves, and a single label other than `localhost` is nobody's suffix.
 *
 * The public suffix list is not part of this package: `co.uk` counts as registrable here, which browsers refuse.
 */
export function isRegistrableSuffix(rpId: string, host: string): boolean {
  const suffix = normalizeHost(rpId);
  const whole = normalizeHost(host);
  if (suffix === undefined || whole === undefined) {
    return false;
  }
  if (suffix === whole) {
    return true;
  }
  if (isIpAddress(suffix) || isIpAddress(whole) || !whole.endsWith(`.${suffix}`)) {
    return false;
  }
  return suffix === 'localhost' || suffix.replace(/\.$/, '').includes('.');
}
