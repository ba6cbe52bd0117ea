import { parseAaguid } from '../../webauthn/aaguid.js';
import { objectOf } from '../../webauthn/json-value.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { acceptedRegistration } from '../engine/accepted-cases.js';
import type { Case } from '../engine/case.js';
import { beginRegistration } from '../engine/ceremony.js';
import type { RegistrationSpec } from '../engine/ceremony-cases.js';
import { expectTrue } from '../engine/compare-answer.js';
import { inStandardBase64 } from '../engine/edits.js';

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
  acceptedRegistration({ id: 'register.default', title: 'a registration with browser defaults' }),
  acceptedRegistration({
    id: 'register.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    browser: { user: ['present'] },
  }),
  acceptedRegistration({
    id: 'register.user-verification-required',
    title: 'user verification required and performed',
    wants: { userVerification: 'required' },
  }),
  acceptedRegistration({
    id: 'register.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    browser: { authenticator: { backupEligible: true, backupState: true } },
  }),
  acceptedRegistration({
    id: 'register.counting',
    title: 'an authenticator with a signature counter',
    browser: { authenticator: { signCount: { kind: 'global', start: 41 } } },
  }),
  acceptedRegistration({
    id: 'register.security-key',
    title: 'a security key: cross-platform, over USB and NFC',
    wants: { attachment: 'cross-platform' },
    browser: { authenticator: { attachment: 'cross-platform', transports: ['usb', 'nfc'] } },
  }),
  acceptedRegistration({
    id: 'register.long-credential-id',
    title: `a credential ID of ${MAX_CREDENTIAL_ID_BYTES} bytes`,
    browser: { authenticator: { credentialIdLength: MAX_CREDENTIAL_ID_BYTES } },
  }),
  acceptedRegistration({
    id: 'register.standard-base64',
    title: 'every binary member in padded standard base64',
    needs: ['api'],
    edits: { response: inStandardBase64 },
  }),
  acceptedRegistration({
    id: 'register.further-members',
    title: 'members unknown to the API are ignored',
    members: { further: { member: true } },
  }),
  acceptedRegistration({
    id: 'register.attestation-packed',
    title: 'packed self attestation, requested with attestation "direct"',
    tags: ['attestation'],
    wants: { attestation: 'direct', format: 'packed', selfAttestation: true },
    browser: { authenticator: { attestation: 'packed' } },
  }),
  labelled('My key', { id: 'register.label', title: 'a label chosen by the user', members: { label: 'My key' } }),
  labelled('Passkey', { id: 'register.label-null', title: 'label null counts as absent', members: { label: null } }),
  labelled('iCloud Keychain', {
    id: 'register.label-by-aaguid',
    title: "without a label, the provider's name",
    browser: { authenticator: { aaguid: ICLOUD_KEYCHAIN } },
  }),
  acceptedRegistration({
    id: 'register.exclude-credentials',
    title: 'the options of a second registration exclude the first passkey',
    needs: ['api'],
    async check(_, { context, session, body }) {
      const { excludeCredentials = [] } = await beginRegistration(context, session);
      const ids = excludeCredentials.map(({ id }) => id);
      return expectTrue('excludeCredentials', `with ${String(body.id)}`, ids, ids.includes(String(body.id)));
    },
  }),
];
