import { isIP } from 'node:net';
import { notApplicable } from '../../engine/scenario.js';

/** Origins that are not the right one, made of it. */

export const OTHER_SITE = 'https://other-site.example';

/** The same origin with another host. */
export function withHost(origin: string, host: string): string {
  const { protocol, port } = new URL(origin);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

export const readHost = (origin: string): string => new URL(origin).hostname;

/** An application whose RP ID is a subdomain. */
export const ON_SUBDOMAIN = { origin: 'https://login.shop.example' } as const;

/** The domain that a subdomain belongs to. */
export function parentDomain(host: string): string {
  const [, parent] = /^[^.]+\.(.+)$/.exec(host) ?? [];
  if (parent === undefined || isIP(host) !== 0) throw notApplicable('the RP ID is no subdomain');
  return parent;
}

/** With a letter in place of the first dot of the host. */
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

/** Another text for the same port, as no browser writes it. */
export function portRespelled(origin: string): string {
  const { protocol, port } = new URL(origin);
  return port === '' ? `${origin}:${protocol === 'https:' ? 443 : 80}` : origin.replace(/\d+$/, `0${port}`);
}

const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у' };

/** A host that looks like the right one, in the ASCII form that browsers write: one Latin letter is the Cyrillic one of the same shape. */
export function lookAlike(origin: string): string {
  const host = readHost(origin);
  const similar = host.replace(/[aceopxy]/, (letter) => CYRILLIC[letter] ?? letter);
  return withHost(origin, readHost(`https://${similar === host ? `ı${host}` : similar}`));
}
