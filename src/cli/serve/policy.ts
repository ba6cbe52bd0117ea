import { PasskeyError } from '../../errors.js';
import { readRoots } from '../../relying-party/attestation/roots.js';
import { DEFAULT_POLICY, type Policy } from '../../relying-party/policy.js';
import { writePem } from '../../webauthn/pem.js';
import type { ExecSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { readMetadataFiles, readRootFiles } from '../trust-files.js';

/**
 * Reads the attestation policy from the settings.
 *
 * @throws PasskeyError `configuration_invalid` if a file of root certificates or metadata cannot be used, or if the settings make browsers
 * withhold the attestation statements that these files are for; `usage` if only one of `--metadata` and `--metadata-root` is given.
 */
export async function readPolicy(io: Io, settings: ExecSettings): Promise<Policy> {
  // Without files, nothing of what reads them is loaded.
  const files = settings.attestationRoots ?? [];
  const roots = files.length === 0 ? [] : readRoots(await readRootFiles('--attestation-roots', files));
  const { metadata: blob, metadataRoot } = settings;
  const metadata = [blob, metadataRoot].some((each) => each !== undefined)
    ? await readMetadataFiles(io, { metadata: blob, metadataRoot })
    : undefined;
  if (roots.length > 0) requireStatements(settings, '--attestation-roots');
  if (metadata !== undefined) requireStatements(settings, '--metadata');
  return {
    algorithms: [...new Set(settings.algorithms ?? DEFAULT_POLICY.algorithms)],
    attestation: settings.attestation,
    userVerification: settings.userVerification,
    residentKey: settings.residentKey,
    attestationRoots: roots.map(({ bytes }) => writePem(bytes)),
    selfAttestation: settings.selfAttestation,
    metadata,
    topOrigins: settings.topOrigin ?? DEFAULT_POLICY.topOrigins,
    timeout: settings.timeout,
    challengeTtl: settings.challengeTtl ?? 2 * settings.timeout,
  };
}

/**
 * Refuses an attestation flag if browsers would send no attestation statements. Even with `indirect`, a client may replace the statement
 * (WebAuthn L3 §5.4.7). The FIDO endpoints are an exception, since each of their requests states the attestation conveyance.
 */
function requireStatements({ attestation, fidoApi }: ExecSettings, flag: string): void {
  if (fidoApi || attestation === 'direct' || attestation === 'enterprise') return;
  throw new PasskeyError(
    'configuration_invalid',
    `${flag} expects --attestation direct or enterprise; got ${attestation}. With ${attestation}, browsers may withhold the authenticator's attestation statement, and every registration without a trusted one is refused. Add --attestation direct, or leave ${flag} out.`,
  );
}
