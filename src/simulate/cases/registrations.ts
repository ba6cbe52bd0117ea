import { objectOf } from '../../kernel/json-value.js';
import { parseAaguid } from '../../webauthn/aaguid.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { acceptedRegistration } from '../engine/both-ceremonies.js';
import type { Case } from '../engine/case.js';
import type { RegistrationSpec } from '../engine/ceremony-cases.js';
import { inPaddedBase64url, inStandardBase64 } from '../engine/edits.js';
import { expectTrue } from '../engine/outcome.js';
import { LENIENT } from './values.js';

const ICLOUD_KEYCHAIN = parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd');

/** A registration whose passkey must get this label. */
function labelled(label: string, spec: Omit<RegistrationSpec, 'expected' | 'check'>): Case {
  return acceptedRegistration({
    ...spec,
    needs: ['api'],
    check: ({ json }) => {
      const received = objectOf(objectOf(json).passkey).label;
      return expectTrue('passkey.label', JSON.stringify(label), received, received === label);
    },
  });
}

export const REGISTRATIONS: readonly Case[] = [
  acceptedRegistration({
    id: 'register.default',
    title: 'a registration with browser defaults',
    why: 'What an up-to-date browser sends with its own authenticator. Where this is refused, nobody can register: look at the failed step before anything else.',
  }),
  acceptedRegistration({
    id: 'register.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    why: 'With userVerification "preferred", a security key without a PIN answers with the UV flag clear. Refuse that only where your options said "required" (§7.1 step 16).',
    browser: { user: ['present'] },
  }),
  acceptedRegistration({
    id: 'register.user-verification-required',
    title: 'user verification required and performed',
    why: 'Asking for user verification and then refusing a response that has it locks everybody out. Read the UV flag, bit 2 of the flags.',
    wants: { userVerification: 'required' },
  }),
  acceptedRegistration({
    id: 'register.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    why: 'Nearly every passkey of a phone is synced: BE and BS are both set. Accept them; refuse backup state only without eligibility (§6.1.3).',
    browser: { authenticator: { backupEligible: true, backupState: true } },
  }),
  acceptedRegistration({
    id: 'register.backup-eligible',
    title: 'a passkey that can be synced and is not yet: backup eligible and not backed up',
    why: 'A passkey provider that has not synced yet sets BE alone, and BS later on. Accept it, and store both (§6.1.3).',
    browser: { authenticator: { backupEligible: true } },
  }),
  acceptedRegistration({
    id: 'register.counting',
    title: 'an authenticator with a signature counter',
    why: 'A global signature counter begins anywhere. Store what the registration says, and ask for no value (§6.1.1).',
    browser: { authenticator: { signCount: { kind: 'global', start: 41 } } },
  }),
  acceptedRegistration({
    id: 'register.security-key',
    title: 'a security key: cross-platform, over USB and NFC',
    why: 'Security keys are cross-platform and report USB and NFC. Take every transport that is reported, and keep the list for allowCredentials.',
    wants: { attachment: 'cross-platform' },
    browser: { authenticator: { attachment: 'cross-platform', transports: ['usb', 'nfc'] } },
  }),
  acceptedRegistration({
    id: 'register.long-credential-id',
    title: `a credential ID of ${MAX_CREDENTIAL_ID_BYTES} bytes`,
    why: 'Credential IDs may have up to 1023 bytes (§7.1 step 25), and those of some security keys are hundreds of bytes long. Size your column accordingly.',
    browser: { authenticator: { credentialIdLength: MAX_CREDENTIAL_ID_BYTES } },
  }),
  acceptedRegistration({
    id: 'register.standard-base64',
    title: 'every binary member in padded standard base64',
    ...LENIENT,
    edits: { response: inStandardBase64 },
  }),
  acceptedRegistration({
    id: 'register.padded-base64',
    title: 'every binary member in padded base64url',
    ...LENIENT,
    edits: { response: inPaddedBase64url },
  }),
  acceptedRegistration({
    id: 'register.further-members',
    title: 'members unknown to the API are ignored',
    why: 'Browsers add members to the JSON of a response over time. Ignore what you do not know.',
    members: { further: { member: true } },
  }),
  acceptedRegistration({
    id: 'register.attestation-packed',
    title: 'packed self attestation, requested with attestation "direct"',
    why: 'A server that asks for attestation gets statements, and self attestation is one of them. Verify it; whether it is enough is your policy.',
    tags: ['attestation'],
    wants: { attestation: 'direct', format: 'packed', selfAttestation: true },
    browser: { authenticator: { attestation: 'packed' } },
  }),
  labelled('My key', {
    id: 'register.label',
    title: 'a label chosen by the user',
    why: 'The label is the name that the user chose.',
    members: { label: 'My key' },
  }),
  labelled('Passkey', {
    id: 'register.label-null',
    title: 'label null counts as absent',
    why: 'Clients send null for what was left empty.',
    members: { label: null },
  }),
  labelled('iCloud Keychain', {
    id: 'register.label-by-aaguid',
    title: "without a label, the provider's name",
    why: "People recognise a passkey by its provider's name.",
    browser: { authenticator: { aaguid: ICLOUD_KEYCHAIN } },
  }),
];
