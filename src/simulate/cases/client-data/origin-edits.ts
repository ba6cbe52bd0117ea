import { isIP } from 'node:net';
import { notApplicable } from '../../engine/scenario.js';

/** Another site, which no target accepts. */

export const OTHER_SITE = 'https://other-site.example';

/** Replaces the host of an origin, and keeps its scheme and port. */
export function withHost(origin: string, host: string): string {
  const { protocol, port } = new URL(origin);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

export const readHost = (origin: string): string => new URL(origin).hostname;

/** Settings of an application whose RP ID is a subdomain. */
export const ON_SUBDOMAIN = { origin: 'https://login.shop.example' } as const;

/** Derives the parent domain of a subdomain, or ends the case if the host has no parent domain. */
export function parentDomain(host: string): string {
  const [, parent] = /^[^.]+\.(.+)$/.exec(host) ?? [];
  if (parent === undefined || isIP(host) !== 0) throw notApplicable('the RP ID is not a subdomain');
  return parent;
}

/** Replaces the first dot in the host of an origin with a letter. */
export function dotReplaced(origin: string): string {
  const host = readHost(origin);
  if (!host.includes('.') || isIP(host) !== 0) throw notApplicable('the host of the origin has no dot');
  return withHost(origin, host.replace('.', 'x'));
}

export function otherScheme(origin: string): string {
  return origin.startsWith('https:') ? origin.replace('https:', 'http:') : origin.replace('http:', 'https:');
}

export function withoutPort(origin: string): string {
  if (new URL(origin).port === '') throw notApplicable('the origin names no port');
  return origin.replace(/:\d+$/, '');
}

/** Rewrites the port of an origin in an equivalent form that no browser uses. */
export function portRespelled(origin: string): string {
  const { protocol, port } = new URL(origin);
  return port === '' ? `${origin}:${protocol === 'https:' ? 443 : 80}` : origin.replace(/\d+$/, `0${port}`);
}

const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у' };

/**
 * Makes an origin whose host looks like the right one, by replacing a Latin letter with its Cyrillic look-alike. The result is in ASCII, as
 * browsers write it.
 */
export function lookAlike(origin: string): string {
  const host = readHost(origin);
  const similar = host.replace(/[aceopxy]/, (letter) => CYRILLIC[letter] ?? letter);
  return withHost(origin, readHost(`https://${similar === host ? `ı${host}` : similar}`));
}
