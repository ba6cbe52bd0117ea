import { formatAaguid } from '../../webauthn/aaguid.js';
import { aaguidExtension } from '../../webauthn/attestation-extensions.js';
import { equalBytes } from '../../webauthn/bytes.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';

/** §8.2.1, §8.3.1: version 3. */
export function checkVersion({ version }: Certificate, reference: string): SubCheck {
  const requirement: Requirement = {
    slug: 'certificate-version',
    reference,
    expected: 'version 3',
    hint: 'The attestation certificate must be an X.509 certificate of version 3 (an INTEGER 2).',
  };
  return judge(requirement, version === 3, `version ${version}`);
}

/** §8.2.1, §8.3.1: CA false. Leaving the extension out means the same to X.509, so that only warns. */
export function checkBasicConstraints({ extensions: { basicConstraints } }: Certificate, reference: string): SubCheck {
  const requirement: Requirement = {
    slug: 'certificate-basic-constraints',
    reference,
    expected: 'basic constraints with CA set to false',
    hint: 'The attestation certificate must not be that of a CA.',
  };
  if (basicConstraints === undefined) {
    return decide(requirement, 'warn', 'no basic constraints, which means no CA');
  }
  return judge(requirement, !basicConstraints.ca, `CA set to ${basicConstraints.ca}`);
}

/** §8.2, §8.2.1, §8.3: where id-fido-gen-ce-aaguid is present it is not critical and names the AAGUID of the authenticator data. */
export function checkAaguid(certificate: Certificate, aaguid: Uint8Array, reference: string): SubCheck[] {
  const matches: Requirement = {
    slug: 'certificate-aaguid',
    reference,
    expected: `AAGUID ${formatAaguid(aaguid)}, as in the authenticator data`,
    hint: 'The attestation certificate belongs to another model than the authenticator data says.',
  };
  const notCritical: Requirement = {
    slug: 'certificate-aaguid-not-critical',
    reference: '§8.2.1',
    expected: 'id-fido-gen-ce-aaguid not marked critical',
    hint: 'The extension must not be marked critical.',
  };
  const found = attempt(() => aaguidExtension(certificate));
  if (!found.ok) {
    return [judge(matches, false, found.message)];
  }
  if (found.value === undefined) {
    return [decide(matches, 'skip', 'the certificate does not name an AAGUID')];
  }
  return [
    judge(matches, equalBytes(found.value.aaguid, aaguid), formatAaguid(found.value.aaguid)),
    judge(notCritical, !found.value.critical, found.value.critical ? 'critical' : 'not critical'),
  ];
}
