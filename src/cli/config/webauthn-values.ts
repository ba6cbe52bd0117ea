import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { ALGORITHMS } from '../../webauthn/algorithms.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { parsed, type Source } from './values.js';

/** Reads an http(s) origin and returns it in the form that browsers send. Accepts a trailing slash, but no path. */
export function origin(raw: string | number): string | undefined {
  const url = typeof raw === 'string' ? parseUrl(raw) : undefined;
  if (url === undefined) return undefined;
  const bare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return bare && (url.protocol === 'http:' || url.protocol === 'https:') ? url.origin : undefined;
}

/** Reads a host in the form that a `Host` header has, without the port. An IPv6 address gets brackets. */
export function allowedHost(raw: string | number): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const name = raw.trim();
  const bracketed = isIP(name) === 6 ? `[${name}]` : name;
  if (/[/?#@\\\s]/.test(bracketed) || /:\d*$/.test(bracketed)) return undefined;
  return parseUrl(`http://${bracketed}`)?.hostname;
}

/** Reads a host to listen on. It is like {@link allowedHost}, but an IPv6 address gets no brackets. */
export function hostName(raw: string | number): string | undefined {
  return allowedHost(raw)?.replace(/^\[|\]$/g, '');
}

/** Makes the path of a store absolute. Returns `memory:` and URLs unchanged. */
export function storeLocation(raw: string | number, { base }: Source): string | undefined {
  if (typeof raw !== 'string') return undefined;
  if (/^\s*(?:[a-z][a-z0-9+.-]+:\/\/|(?:memory|postgres|postgresql):)/i.test(raw)) return raw;
  return isAbsolute(raw) ? raw : resolve(base, raw);
}

/** Reads the value of `--app`: the origin of a dev server, or the path of a folder. Makes the path absolute. */
export function frontEnd(raw: string | number, { base }: Source): string | undefined {
  if (typeof raw !== 'string') return undefined;
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(raw) ? origin(raw) : resolve(base, raw);
}

/** Reads a number of 1 or more, or `off`. */
export function countOrOff(raw: string | number): number | 'off' | undefined {
  if (raw === 'off') return 'off';
  const count = typeof raw === 'number' ? raw : /^\d{1,9}$/.test(raw.trim()) ? Number(raw) : Number.NaN;
  return Number.isInteger(count) && count >= 1 ? count : undefined;
}

/** Algorithms that the verification library supports. The library needs Node 24 for ML-DSA; our own verification steps do not. */
const OFFERABLE = ALGORITHMS.filter(({ library }) => library !== undefined);

/** The kind of values that are a COSEAlgorithmIdentifier, written as a name (`ES256`) or a number (`-7`). */
export const algorithm = parsed({
  placeholder: 'name',
  expects: `an algorithm that can be verified here, by name or number: ${OFFERABLE.map(({ name, id }) => `${name} (${id})`).join(', ')}`,
  parse: (raw) =>
    OFFERABLE.find(({ name, id }) =>
      typeof raw === 'number' ? id === raw : name.toLowerCase() === raw.toLowerCase() || String(id) === raw,
    )?.id,
});
