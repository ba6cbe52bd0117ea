import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import { PasskeyError } from '../../errors.js';
import { remember } from '../../kernel/remember.js';
import { count } from '../../kernel/wording.js';

/** Addresses to connect to, with a port or without, by the name of the host. */
export type Addresses = Readonly<Record<string, string>>;

/** The address to connect to for a URL: that given for its host, otherwise the host itself. */
export function findAddress({ protocol, hostname, port }: URL, addresses: Addresses = {}) {
  const address = addresses[hostname] === undefined ? undefined : new URL(`${protocol}//${addresses[hostname]}`);
  const standard = protocol === 'https:' ? 443 : 80;
  return { hostname: (address?.hostname ?? hostname).replace(/^\[|\]$/g, ''), port: Number(address?.port || port || standard) };
}

/**
 * The option of TLS for roots to trust beside the usual ones.
 *
 * @throws PasskeyError `usage` for roots that are no certificates.
 */
export function trust(pem: string | undefined): { readonly secureContext?: tls.SecureContext } {
  if (pem === undefined) return {};
  try {
    return { secureContext: trustWith(pem) };
  } catch (cause) {
    const expected = 'Expected PEM certificates of roots to trust ("-----BEGIN CERTIFICATE-----" …)';
    throw new PasskeyError('usage', `${expected}; got a text of ${count(pem.length, 'character')} without a readable one.`, { cause });
  }
}

/** Reading all roots takes longer than a handshake, and a diagnosis makes many connections. */
const trustWith = remember((pem: string) => {
  new X509Certificate(pem);
  return tls.createSecureContext({ ca: [...trustedRoots(), pem] });
});

/**
 * The trusted roots, including those of the system and of NODE_EXTRA_CA_CERTS if this version of Node.js exposes them (22.15 and 23.10, or
 * later).
 */
function trustedRoots(): readonly string[] {
  const ask: unknown = Reflect.get(tls, 'getCACertificates');
  const known: unknown = typeof ask === 'function' ? Reflect.apply(ask, tls, ['default']) : undefined;
  return Array.isArray(known) ? known.filter((root) => typeof root === 'string') : tls.rootCertificates;
}

/** Node's codes for a certificate without a trusted root. */
export const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];
