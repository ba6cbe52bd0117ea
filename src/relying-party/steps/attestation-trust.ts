import { X509Certificate } from 'node:crypto';
import type { AttestationObject } from '../../webauthn/attestation-object.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { decodeUtf8 } from '../../webauthn/bytes.js';
import type { AttestationTrust } from '../credential-record.js';
import { leadsToAnchor, readRoots } from './certificate-chain.js';
import type { RegistrationContext } from './context.js';
import { type Check, fail, pass, skip } from './step.js';

export interface TrustAssessment {
  readonly trust: AttestationTrust;
  /** What the trust rests on, or why there is none. */
  readonly detail: string;
}

/**
 * §7.1 step 24, by a policy of ours: no attestation is acceptable and is recorded as `none`. A statement is `untrusted`
 * unless its certificate is one of the roots, or its certificates lead to one of them as of `now`. So self attestation,
 * which has no certificate, is never trusted.
 */
export function assessAttestation(attestation: AttestationObject, roots: readonly string[], now: number): TrustAssessment {
  if (attestation.fmt === 'none') {
    return { trust: 'none', detail: 'no attestation' };
  }
  if (roots.length === 0) {
    return { trust: 'untrusted', detail: 'a statement, with no roots to hold it against' };
  }
  const chain = certificates(attestation);
  if (chain === undefined) {
    return { trust: 'untrusted', detail: 'a certificate that cannot be read' };
  }
  const [leaf] = chain;
  if (leaf === undefined) {
    return { trust: 'untrusted', detail: 'self attestation, which no root vouches for' };
  }
  return leadsToAnchor(chain, readRoots(roots), now)
    ? { trust: 'trusted', detail: `a chain from ${showName(leaf.subject)} to a root` }
    : { trust: 'untrusted', detail: `a certificate of ${showName(leaf.subject)}, issued by ${showName(leaf.issuer)}` };
}

export const attestationTrust: Check<RegistrationContext> = ({ attestationObject, attestationRoots, now }) => {
  if (!attestationObject.ok) {
    return skip('the attestation object could not be read');
  }
  const { trust, detail } = assessAttestation(attestationObject.value, attestationRoots, now);
  if (attestationRoots.length === 0) {
    return skip('no attestation roots are configured, so that trust is not assessed');
  }
  const expected = `no attestation, or a chain to one of ${attestationRoots.length} roots`;
  return trust === 'untrusted'
    ? fail('attestation_untrusted', {
        expected,
        received: detail,
        hint: 'Add the root of this authenticator model to --attestation-roots, or register one of a model that is trusted.',
      })
    : pass(expected, detail);
};

/** The certificates of a statement, its own first; `[]` when there are none, undefined when one cannot be read. */
function certificates(attestation: AttestationObject): X509Certificate[] | undefined {
  try {
    return derCertificates(attestation).map((der) => new X509Certificate(der));
  } catch {
    return undefined;
  }
}

function derCertificates({ fmt, attStmt }: AttestationObject): Uint8Array[] {
  const x5c = fmt === 'android-safetynet' ? safetyNetCertificates(attStmt.get('response')) : attStmt.get('x5c');
  if (x5c === undefined) {
    return [];
  }
  if (!Array.isArray(x5c) || !x5c.every((der) => der instanceof Uint8Array)) {
    throw new TypeError('x5c is not an array of byte strings');
  }
  return x5c;
}

/** §8.5: the statement is a JWS, whose header holds the certificates in base64. */
function safetyNetCertificates(response: unknown): unknown {
  if (!(response instanceof Uint8Array)) {
    return undefined;
  }
  const header = decodeBase64(decodeUtf8(response).split('.')[0] ?? '')?.bytes ?? new Uint8Array();
  const { x5c } = JSON.parse(decodeUtf8(header)) as { x5c?: readonly string[] };
  return x5c?.map((text) => decodeBase64(text)?.bytes);
}

/** Node gives one attribute a line. */
function showName(name: string | undefined): string {
  return JSON.stringify((name ?? '').replaceAll('\n', ', '));
}
