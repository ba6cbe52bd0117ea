import { isLocalhostName } from '../webauthn/loopback.js';
import { isRegistrableSuffix, publicSuffix } from '../webauthn/registrable-suffix.js';
import { canonicalHost, isIpAddress, parseUrl } from '../webauthn/rp-id.js';
import { domException } from './members.js';

/** The calling page: its origin, and how it is embedded. */
export interface Caller {
  /** Serialized, e.g. `https://login.example.com`; `null` is the opaque origin. */
  readonly origin: string;
  /** Not same-origin with its ancestors. */
  readonly crossOrigin: boolean;
  readonly topOrigin: string | undefined;
}

/** @throws TypeError for anything but a serialized origin, such as a URL with a path. */
export function checkOrigin(origin: string, member: string): string {
  if (origin === 'null') return origin;
  const parsed = parseUrl(origin)?.origin;
  if (parsed === origin) return origin;
  const hint = parsed === undefined || parsed === 'null' ? 'Give for example "https://example.com".' : `Give "${parsed}".`;
  throw new TypeError(
    `Expected ${member} to be an origin: scheme, host and a port that is not the default; got ${JSON.stringify(origin)}. ${hint}`,
  );
}

/**
 * The effective domain of the caller (§5.1.3 steps 6 and 7, §5.1.4).
 *
 * @throws DOMException `NotAllowedError` for an opaque origin, `SecurityError` for one that is not a secure context or whose host
 * is not a domain.
 */
export function effectiveDomain({ origin }: Caller): string {
  if (origin === 'null') throw domException('NotAllowedError', 'Expected a caller with an origin; its origin is opaque.');
  const { protocol, hostname } = new URL(origin);
  if (isIpAddress(hostname)) {
    throw domException(
      'SecurityError',
      `Expected the origin's host to be a domain; ${hostname} is an IP address. Use http://localhost for tests.`,
    );
  }
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocalhostName(hostname))) {
    throw domException('SecurityError', `Expected a secure context: https, or http on localhost; the origin is ${origin}.`);
  }
  return hostname;
}

/**
 * The RP ID of the ceremony (§5.1.3 step 8): the one in the options if the caller may use it, or else its effective domain. Like Chromium and
 * Firefox, and stricter than the text, it accepts only the spelling that URLs have.
 *
 * @throws DOMException as {@link effectiveDomain}, and `SecurityError` for an RP ID that is neither its effective domain nor a
 * registrable suffix of it, such as a public suffix.
 */
export function determineRpId(caller: Caller, asked: string | undefined, member: string): string {
  const domain = effectiveDomain(caller);
  if (asked === undefined) return domain;
  const canonical = canonicalHost(asked);
  const fits = isRegistrableSuffix(asked, domain);
  if (fits && asked === canonical) return asked;
  const reason = fits ? `: write it "${canonical}"` : domain.endsWith(`.${canonical}`) ? sharedSuffix(domain) : '';
  const detail = `got ${JSON.stringify(asked)} from ${caller.origin}${reason}`;
  throw domException('SecurityError', `Expected ${member} to be ${domain} or a registrable suffix of it; ${detail}.`);
}

function sharedSuffix(domain: string): string {
  return `, and ${publicSuffix(domain)} is a public suffix: an RP ID must be longer, or the whole host`;
}
