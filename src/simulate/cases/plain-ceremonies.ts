import { asObject } from '../../kernel/json-value.js';
import { parseAaguid } from '../../webauthn/aaguid.js';
import { FLAG } from '../../webauthn/authenticator-data.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { type Case, listRows, type Rows } from '../engine/case.js';
import { authenticationCase, type BothRow, both, type RegistrationSpec, registrationCase } from '../engine/ceremony-cases.js';
import { inPaddedBase64url, inStandardBase64, setInner, toggleFlags } from '../engine/edits.js';
import { expectTrue } from '../engine/outcome.js';
import { DISCOVERABLE, LENIENT } from './values.js';

const ICLOUD_KEYCHAIN = parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd');

/** Makes a registration after which the server must show this label for the passkey. */
function labelled(label: string, spec: Omit<RegistrationSpec, 'expected' | 'check'>): Case {
  return registrationCase({
    ...spec,
    needs: ['api'],
    check: ({ json }) => {
      const received = asObject(asObject(json).passkey).label;
      return expectTrue('passkey.label', JSON.stringify(label), received, received === label);
    },
  });
}

const OTHER_ORIGIN = 'http://localhost:9000';

/** Valid ceremonies that run both as a registration and as a login. */
const BOTH: Rows<Omit<BothRow, 'what'>> = {
  'without-user-verification': {
    title: 'an authenticator that cannot verify its user',
    why: 'With userVerification "preferred", a security key without a PIN leaves the UV flag clear. Refuse that only if your options said "required" (§7.1 step 16, §7.2 step 17).',
    wants: { unverified: true },
    browser: { user: ['present'] },
  },
  'user-verification-required': {
    title: 'user verification required and performed',
    why: 'A server that requires user verification and then refuses a response that has it locks all users out. Read the UV flag, which is bit 2.',
    wants: { userVerification: 'required' },
  },
  'backed-up': {
    title: 'a synced passkey: backup eligible and backed up',
    why: 'Nearly every passkey on a phone is synced, so BE and BS are both set, at registration and at every login. Accept that; refuse a response only if BS is set without BE (§6.1.3).',
    browser: { authenticator: { backupEligible: true, backupState: true } },
  },
  'standard-base64': { title: 'every binary member in padded standard base64', ...LENIENT, edits: { response: inStandardBase64 } },
  'padded-base64': { title: 'every binary member in padded base64url', ...LENIENT, edits: { response: inPaddedBase64url } },
};

export const PLAIN_CEREMONIES: readonly Case[] = [
  registrationCase({
    id: 'register.default',
    title: 'a registration with browser defaults',
    why: 'An up-to-date browser with its own authenticator sends this. If the server refuses it, no user can register. Look at the failed step before anything else.',
  }),
  registrationCase({
    id: 'register.backup-eligible',
    title: 'a passkey that can be synced but is not yet: backup eligible, not backed up',
    why: 'A passkey provider that has not synced yet sets only BE, and BS later. Accept that, and store both flags (§6.1.3).',
    browser: { authenticator: { backupEligible: true } },
  }),
  registrationCase({
    id: 'register.counting',
    title: 'an authenticator with a signature counter',
    why: 'A global signature counter can start at any value. Store the value of the registration, whatever it is (§6.1.1).',
    browser: { authenticator: { signCount: { kind: 'global', start: 41 } } },
  }),
  registrationCase({
    id: 'register.security-key',
    title: 'a security key: cross-platform, over USB and NFC',
    why: 'Security keys are cross-platform and report USB and NFC. Accept every reported transport, and keep the list for allowCredentials.',
    wants: { attachment: 'cross-platform' },
    browser: { authenticator: { attachment: 'cross-platform', transports: ['usb', 'nfc'] } },
  }),
  registrationCase({
    id: 'register.long-credential-id',
    title: `a credential ID of ${MAX_CREDENTIAL_ID_BYTES} bytes`,
    why: 'Credential IDs may have up to 1023 bytes (§7.1 step 25), and those of some security keys are hundreds of bytes long. Size your column accordingly.',
    browser: { authenticator: { credentialIdLength: MAX_CREDENTIAL_ID_BYTES } },
  }),
  registrationCase({
    id: 'register.further-members',
    title: 'members unknown to the API are ignored',
    why: 'Browsers add members to the JSON of a response over time. Ignore what you do not know.',
    members: { further: { member: true } },
  }),
  registrationCase({
    id: 'register.attestation-packed',
    title: 'packed self attestation, requested with attestation "direct"',
    why: 'A server that requests attestation gets statements, and self attestation is one kind. Verify it; whether it is enough depends on your policy.',
    tags: ['attestation'],
    wants: { attestation: 'direct', format: 'packed', selfAttestation: true },
    browser: { authenticator: { attestation: 'packed' } },
  }),
  ...listRows(BOTH).flatMap(both),
  labelled('My key', {
    id: 'register.label',
    title: 'a label chosen by the user',
    why: 'The label is the name that the user chose.',
    members: { label: 'My key' },
  }),
  labelled('Passkey', {
    id: 'register.label-null',
    title: 'label null counts as absent',
    why: 'Clients send null for an empty field.',
    members: { label: null },
  }),
  labelled('iCloud Keychain', {
    id: 'register.label-by-aaguid',
    title: "without a label, the provider's name",
    why: "People recognise a passkey by its provider's name.",
    browser: { authenticator: { aaguid: ICLOUD_KEYCHAIN } },
  }),
  authenticationCase({
    id: 'verify.default',
    title: 'a verification with browser defaults',
    why: 'This is the plain verification of an assertion, without a login.',
  }),
  authenticationCase({
    id: 'login.default',
    title: 'a login with browser defaults',
    why: 'An up-to-date browser sends this. If the server refuses it, no user can log in. Look at the failed step before anything else.',
  }),
  authenticationCase({
    id: 'login.discoverable',
    title: 'a login without naming a credential',
    why: 'With autofill and a passkey button, the options name no credential. Find the user by the credential ID and the user handle (§7.2 step 6).',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  authenticationCase({
    id: 'verify.discoverable',
    title: 'a challenge from login/options, answered at verify',
    why: 'A challenge for no particular credential is valid at both endpoints.',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  authenticationCase({
    id: 'login.counting',
    title: 'an authenticator with a signature counter',
    why: 'Counters may grow by any amount. Compare with the stored value, and store the new one (§7.2 step 22).',
    browser: { authenticator: { signCount: { kind: 'per-credential', start: 7, step: 3 } } },
  }),
  authenticationCase({
    id: 'login.backed-up-later',
    title: 'a passkey whose backup state has changed since its registration',
    why: 'A passkey is often backed up only after its registration. BS may change; only BE must stay as it was (§7.2 step 19).',
    browser: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: toggleFlags(FLAG.bs) },
  }),
  authenticationCase({
    id: 'login.user-handle-null',
    title: 'userHandle null counts as absent',
    why: 'Browsers send null, or leave the member out, if the authenticator returns no user handle. That is fine if the options named the credential.',
    // §7.2 step 6: where no user is named, the user handle must be there.
    wants: { login: 'named' },
    edits: { response: setInner({ userHandle: null }) },
  }),
  authenticationCase({
    id: 'login.further-origin',
    title: 'another accepted origin of the same RP ID',
    why: 'One RP ID often serves several origins, such as an app and its admin pages.',
    setup: { origins: [OTHER_ORIGIN] },
    browser: { page: { origin: () => OTHER_ORIGIN } },
  }),
];
