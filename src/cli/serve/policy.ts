import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PasskeyError } from '../../errors.js';
import { DEFAULT_POLICY, type Policy } from '../../relying-party/policy.js';
import type { ServeSettings } from '../config/settings.js';

/**
 * @throws PasskeyError `configuration_invalid` when a file of roots cannot be read or holds no certificate, or when there are roots and browsers
 * are not asked for statements.
 */
export async function policyOf(settings: ServeSettings): Promise<Policy> {
  const roots = await Promise.all((settings.attestationRoots ?? []).map(certificatesOf));
  requireStatements(settings, roots.length);
  return {
    algorithms: [...new Set(settings.algorithms ?? DEFAULT_POLICY.algorithms)],
    attestation: settings.attestation,
    userVerification: settings.userVerification,
    residentKey: settings.residentKey,
    attestationRoots: roots.flat(),
    topOrigins: settings.topOrigin ?? DEFAULT_POLICY.topOrigins,
    timeout: settings.timeout,
    challengeTtl: settings.challengeTtl ?? 2 * settings.timeout,
  };
}

/** With `indirect` too, a client may replace the statement (§5.4.7). The FIDO endpoints take the conveyance from the request. */
function requireStatements({ attestation, fidoApi }: ServeSettings, roots: number): void {
  if (roots > 0 && !fidoApi && attestation !== 'direct' && attestation !== 'enterprise') {
    throw new PasskeyError(
      'configuration_invalid',
      `--attestation-roots expects --attestation direct or enterprise; got ${attestation}. Otherwise browsers need not pass on the authenticator's statement, and registrations without a trusted one are refused: add --attestation direct, or leave the roots out.`,
    );
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

async function certificatesOf(file: string): Promise<readonly string[]> {
  const wrong = (what: string, cause?: unknown) =>
    new PasskeyError('configuration_invalid', `--attestation-roots expects PEM certificates; ${file} ${what}.`, { cause });
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw wrong(`cannot be read (${cause.code ?? cause.message})`, cause);
  });
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw wrong('holds none');
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw wrong(`has one that does not parse (number ${index + 1})`, cause);
    }
  }
  return certificates;
}
