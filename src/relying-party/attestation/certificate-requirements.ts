import { equalBytes } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import {
  ATTESTATION_EXTENSION,
  aaguidExtension,
  firmwareVersionExtension,
  serialNumberExtension,
} from '../../webauthn/attestation-extensions.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { findExtension } from '../../webauthn/certificate-extensions.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';

/** Checks that the certificate has version 3 (§8.2.1, §8.3.1). */
export function checkVersion({ version }: Certificate, reference: string): SubCheck {
  const requirement: Requirement = {
    slug: 'certificate-version',
    reference,
    expected: 'version 3',
    hint: 'The attestation certificate must be an X.509 certificate of version 3 (an INTEGER 2).',
  };
  return judge(requirement, version === 3, `version ${version}`);
}

/**
 * Checks that the certificate does not belong to a CA (§8.2.1, §8.3.1). If the basic constraints extension is missing, the check only
 * warns, since in X.509 that also means that the certificate is not of a CA.
 */
export function checkBasicConstraints({ extensions: { basicConstraints } }: Certificate, reference: string): SubCheck {
  const requirement: Requirement = {
    slug: 'certificate-basic-constraints',
    reference,
    expected: 'basic constraints with CA set to false',
    hint: 'The attestation certificate must not be that of a CA.',
  };
  if (basicConstraints === undefined) {
    return decide(requirement, 'warn', 'no basic constraints, so not a CA');
  }
  return judge(requirement, !basicConstraints.ca, `CA set to ${basicConstraints.ca}`);
}

/**
 * Checks the extension id-fido-gen-ce-aaguid, if present: it must not be critical, and must equal the AAGUID in the authenticator data
 * (§8.2, §8.2.1, §8.3).
 */
export function checkAaguid(certificate: Certificate, aaguid: Uint8Array, reference: string): SubCheck[] {
  const matches: Requirement = {
    slug: 'certificate-aaguid',
    reference,
    expected: `AAGUID ${formatAaguid(aaguid)}, as in the authenticator data`,
    hint: 'The attestation certificate belongs to another model than the authenticator data says.',
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
    ...checkNotCritical(certificate, {
      slug: 'certificate-aaguid-not-critical',
      reference: '§8.2.1',
      oid: ATTESTATION_EXTENSION.aaguid,
      name: 'id-fido-gen-ce-aaguid',
    }),
  ];
}

/** Checks the extension id-fido-gen-ce-fw-version, if present: it must be a number, and must not be critical (§8.2.1). */
export function checkFirmwareVersion(certificate: Certificate): SubCheck[] {
  const requirement: Requirement = {
    slug: 'certificate-firmware-version',
    reference: '§8.2.1',
    expected: 'an INTEGER that is not negative',
    hint: 'The firmware version of the attestation certificate must be a number of at least 0.',
  };
  const found = attempt(() => firmwareVersionExtension(certificate));
  if (!found.ok) {
    return [judge(requirement, false, found.message)];
  }
  if (found.value === undefined) {
    return [];
  }
  return [
    judge(requirement, found.value >= 0n, String(found.value)),
    ...checkNotCritical(certificate, {
      slug: 'certificate-firmware-version-not-critical',
      reference: '§8.2.1',
      oid: ATTESTATION_EXTENSION.firmwareVersion,
      name: 'id-fido-gen-ce-fw-version',
    }),
  ];
}

/**
 * Checks that the extension with the serial number of an enterprise attestation is not critical (§8.2.2). Only warns if its value contains
 * no inner OCTET STRING: the standard says "encoded as an OCTET STRING", which may mean the one that wraps every extension value.
 */
export function checkSerialNumber(certificate: Certificate): SubCheck[] {
  const requirement: Requirement = {
    slug: 'certificate-serial-number',
    reference: '§8.2.2',
    expected: 'an OCTET STRING inside the OCTET STRING of the extension',
    hint: 'The serial number of the device should be wrapped like the AAGUID.',
  };
  const found = attempt(() => serialNumberExtension(certificate));
  const notCritical = checkNotCritical(certificate, {
    slug: 'certificate-serial-number-not-critical',
    reference: '§8.2.2',
    oid: ATTESTATION_EXTENSION.serialNumber,
    name: 'id-fido-gen-ce-sernum',
  });
  if (!found.ok) {
    return [decide(requirement, 'warn', found.message), ...notCritical];
  }
  return found.value === undefined ? [] : [judge(requirement, true, count(found.value.length, 'byte')), ...notCritical];
}

interface NamedExtension {
  readonly slug: string;
  readonly reference: string;
  readonly oid: string;
  readonly name: string;
}

function checkNotCritical({ extensions }: Certificate, { slug, reference, oid, name }: NamedExtension): SubCheck[] {
  const extension = findExtension(extensions, oid);
  if (extension === undefined) {
    return [];
  }
  const requirement: Requirement = {
    slug,
    reference,
    expected: `${name} not marked critical`,
    hint: 'The extension must not be marked critical.',
  };
  return [judge(requirement, !extension.critical, extension.critical ? 'critical' : 'not critical')];
}
