import { acceptedRegistration } from '../engine/both-ceremonies.js';
import type { Case } from '../engine/case.js';

const FORMATS = ['packed-x5c', 'tpm', 'android-key', 'android-safetynet', 'apple', 'fido-u2f', 'compound'] as const;

/** Every format with certificates, trusted by the root that `passkey attestation-root` prints. */
export const ATTESTATION_CASES: readonly Case[] = FORMATS.map((attestation) =>
  acceptedRegistration({
    id: `register.attested-${attestation}`,
    title: `${attestation} attestation that leads to the test root`,
    why: 'A genuine statement whose certificates lead to a configured root. Where this is refused, so is every authenticator of that kind: look at the path first.',
    tags: ['attestation'],
    wants: { attestation: 'direct', trust: true, format: attestation === 'packed-x5c' ? 'packed' : attestation },
    browser: { authenticator: { attestation } },
  }),
);
