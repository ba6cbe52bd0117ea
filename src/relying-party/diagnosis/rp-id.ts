import { createHash } from 'node:crypto';
import { encodeUtf8, equalBytes } from '../../webauthn/bytes.js';
import { isIpAddress, isRegistrableSuffix } from '../../webauthn/rp-id.js';
import { isPublicSuffix } from './public-suffixes.js';

export function hashOfRpId(text: string): Uint8Array {
  return createHash('sha256').update(encodeUtf8(text)).digest();
}

/** `a.b.c` gives itself, `b.c` and `c`: what a page of that host may have used as RP ID. */
export function hostSuffixes(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** The text whose SHA-256 an unexpected rpIdHash is, out of those that people come to use; undefined when it is none of them. */
export function preimageOfRpIdHash(
  hash: Uint8Array,
  { rpId, origin }: { readonly rpId: string; readonly origin: string },
): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const candidates = [
    ...hostSuffixes(url?.hostname ?? ''),
    ...(url === undefined ? [] : [origin, `${origin}/`, url.host, `www.${url.hostname}`]),
    ...hostSuffixes(rpId),
    rpId.toLowerCase(),
    rpId.toUpperCase(),
    `www.${rpId}`,
    `${rpId}.`,
    `https://${rpId}`,
    `https://${rpId}/`,
    `http://${rpId}`,
    'localhost',
    '127.0.0.1',
    '',
  ];
  return candidates.find((candidate) => equalBytes(hashOfRpId(candidate), hash));
}

/** One sentence on an rpIdHash that is not that of `rpId`; `preimage` is the text it is the hash of, where that is known. */
export function rpIdHint({
  rpId,
  origin,
  preimage,
}: {
  readonly rpId: string;
  readonly origin: string;
  readonly preimage: string | undefined;
}): string {
  const impossible = whyNoRpId(rpId, origin);
  if (preimage !== undefined && /^https?:/.test(preimage)) {
    return `The hash is that of the U2F AppID "${preimage}"; a credential of U2F days is verified against it when the options had the appid extension.`;
  }
  if (preimage?.includes(':')) {
    return `The RP ID was given as "${preimage}", with a port; an RP ID is a host name alone.`;
  }
  if (preimage !== undefined) {
    return `The credential was used for RP ID "${preimage}", and "${rpId}" is expected; use the same rp.id (rpId) in the options of registration and login.`;
  }
  return impossible ?? 'The credential belongs to another RP ID; use the same rp.id (rpId) in the options of registration and login.';
}

/** Why a browser would refuse this RP ID on a page of this origin; undefined when it would not, or the origin is no web origin. */
export function whyNoRpId(rpId: string, origin?: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(rpId)) {
    return `An RP ID is a host name, not a URL; use "${URL.canParse(rpId) ? new URL(rpId).hostname : 'example.org'}" instead of "${rpId}".`;
  }
  if (isIpAddress(rpId)) {
    return `"${rpId}" is an IP address, which browsers refuse as RP ID; use localhost, or a host name with https.`;
  }
  if (/[:/]/.test(rpId)) {
    return `An RP ID has no port and no path; use "${rpId.replace(/[:/].*$/, '')}" instead of "${rpId}".`;
  }
  if (rpId !== rpId.toLowerCase()) {
    return `An RP ID is lower case, as browsers write hosts; use "${rpId.toLowerCase()}".`;
  }
  if (isPublicSuffix(rpId)) {
    return `"${rpId}" is a public suffix, under which others register names too, and browsers refuse it; use the name below it that is yours.`;
  }
  const host = origin !== undefined && /^https?:/.test(origin) && URL.canParse(origin) ? new URL(origin).hostname : undefined;
  return host === undefined || isRegistrableSuffix(rpId, host)
    ? undefined
    : `"${rpId}" is neither the host of ${origin} nor a suffix of it at a dot; a browser refuses it there unless /.well-known/webauthn of "${rpId}" names the origin.`;
}
