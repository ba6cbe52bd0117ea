import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';
import { PasskeyError } from '../../errors.js';
import { remember } from '../../kernel/remember.js';
import { count } from '../../kernel/wording.js';

/** Maps a host name, with or without a port, to the address to connect to. */
export type Addresses = Readonly<Record<string, string>>;

/** Finds the address to connect to for a URL: the one that `addresses` maps its host to, otherwise the host itself. */
export function findAddress({ protocol, hostname, port }: URL, addresses: Addresses = {}) {
  const address = addresses[hostname] === undefined ? undefined : new URL(`${protocol}//${addresses[hostname]}`);
  const standard = protocol === 'https:' ? 443 : 80;
  return { hostname: (address?.hostname ?? hostname).replace(/^\[|\]$/g, ''), port: Number(address?.port || port || standard) };
}

/**
 * Makes the TLS option that trusts these root certificates in addition to the usual ones.
 *
 * @throws PasskeyError `usage` if the PEM text has no readable certificate.
 */
export function trust(pem: string | undefined): { readonly secureContext?: tls.SecureContext } {
  if (pem === undefined) return {};
  try {
    return { secureContext: trustWith(pem) };
  } catch (cause) {
    const expected = 'Expected root certificates in PEM ("-----BEGIN CERTIFICATE-----" …)';
    throw new PasskeyError('usage', `${expected}; got ${count(pem.length, 'character')} without a readable certificate.`, { cause });
  }
}

/**
 * Makes the TLS context for additional root certificates, once for each PEM text. Reading all roots takes longer than a handshake, and a
 * diagnosis makes many connections.
 */
const trustWith = remember((pem: string) => {
  new X509Certificate(pem);
  return tls.createSecureContext({ ca: [...trustedRoots(), pem] });
});

/**
 * Lists the trusted root certificates. Includes those of the system and of NODE_EXTRA_CA_CERTS if Node.js exposes them (22.15, 23.10, or
 * later).
 */
function trustedRoots(): readonly string[] {
  const ask: unknown = Reflect.get(tls, 'getCACertificates');
  const known: unknown = typeof ask === 'function' ? Reflect.apply(ask, tls, ['default']) : undefined;
  return Array.isArray(known) ? known.filter((root) => typeof root === 'string') : tls.rootCertificates;
}

/** Node's error codes for a certificate that has no trusted root. */
export const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];
