import { registrableDomain } from '../webauthn/registrable-suffix.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { Caller } from './caller.js';
import { domException } from './members.js';

/**
 * Checks that the caller may use an AppID, and returns that AppID (§10.1.1 step 1, §10.1.2). Like browsers, does not read facet lists: an
 * AppID must be an https URL on the registrable domain of the caller. An empty AppID means the caller's origin.
 *
 * @param member name of the member in error messages, e.g. `publicKey.extensions.appid`.
 * @throws DOMException `SyntaxError` for a string that is not a URL, `SecurityError` for an AppID that the caller may not use.
 */
export function checkAppId({ origin }: Caller, appId: string, member: string): string {
  const url = parseUrl(appId === '' ? origin : appId);
  if (url === undefined) throw domException('SyntaxError', `Expected ${member} to be a URL; got ${JSON.stringify(appId)}.`);
  const domain = registrableDomain(parseUrl(origin)?.hostname ?? '');
  if (url.protocol === 'https:' && domain !== undefined && registrableDomain(url.hostname) === domain) return appId === '' ? origin : appId;
  const expected = domain === undefined ? 'the caller to have a registrable domain' : `${member} to be an https URL on ${domain}`;
  throw domException('SecurityError', `Expected ${expected}; got ${JSON.stringify(appId)} from ${origin}.`);
}
