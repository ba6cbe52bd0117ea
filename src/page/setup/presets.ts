import type { JsonObject } from '../../kernel/json-value.js';
import { sameJson } from '../json.js';
import type { Setup } from './setup.js';

/** Options for a common intent: the members that overwrite those of the server. */
interface Preset {
  readonly name: string;
  /** Its purpose and its limits. */
  readonly about: string;
  readonly registration: JsonObject;
  readonly authentication: JsonObject;
}

const KEY_HINT = ['security-key'];
const REQUIRED = 'required';
const DISCOVERABLE_VERIFIED = { residentKey: REQUIRED, userVerification: REQUIRED };
const VERIFIED = { userVerification: REQUIRED };
const CROSS_PLATFORM = 'cross-platform';
const CRED_PROPS = { credProps: true };
const PRF = { prf: { eval: { first: 'cGFzc2tleQ' } } };

export const PRESETS: readonly Preset[] = [
  {
    name: 'Passwordless sign-in',
    about: 'The passkey is all there is: it must be discoverable, and the user verified.',
    registration: { authenticatorSelection: DISCOVERABLE_VERIFIED, extensions: CRED_PROPS },
    authentication: VERIFIED,
  },
  {
    name: 'Second factor',
    about: 'After a password: a touch is enough, and nothing needs to be stored on the key.',
    registration: { authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' } },
    authentication: { userVerification: 'discouraged' },
  },
  {
    name: 'Synced passkey',
    about: 'From the password manager of this device. No option demands that a passkey is synced: its flag BE says it afterwards.',
    registration: { authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: REQUIRED }, hints: ['client-device'] },
    authentication: { hints: ['client-device'] },
  },
  {
    name: 'Phone by QR code',
    about: 'The browser shows the QR code first.',
    registration: { authenticatorSelection: { authenticatorAttachment: CROSS_PLATFORM, residentKey: REQUIRED }, hints: ['hybrid'] },
    authentication: { hints: ['hybrid'] },
  },
  {
    name: 'Security key only',
    about: 'The browser offers keys that are plugged in or held to the device.',
    registration: { authenticatorSelection: { authenticatorAttachment: CROSS_PLATFORM }, hints: KEY_HINT },
    authentication: { hints: KEY_HINT },
  },
  {
    name: 'Attested hardware key',
    about: 'A key that says who made it, and verifies the user. The server decides whom it trusts.',
    registration: {
      authenticatorSelection: { authenticatorAttachment: CROSS_PLATFORM, ...VERIFIED },
      hints: KEY_HINT,
      attestation: 'direct',
      extensions: { credentialProtectionPolicy: 'userVerificationRequired', minPinLength: true },
    },
    authentication: { ...VERIFIED, hints: KEY_HINT },
  },
  {
    name: 'Conditional create',
    about: 'For “Create without a dialog”: a password manager adds the passkey by itself after a login with a password.',
    registration: { authenticatorSelection: { residentKey: REQUIRED, userVerification: 'preferred' }, extensions: CRED_PROPS },
    authentication: {},
  },
  {
    name: 'Encryption (PRF)',
    about: 'Each login yields a secret to encrypt with, the same for the same input.',
    registration: { authenticatorSelection: DISCOVERABLE_VERIFIED, extensions: PRF },
    authentication: { ...VERIFIED, extensions: PRF },
  },
  {
    name: 'Payment (SPC)',
    about: 'Secure Payment Confirmation: on the device itself, discoverable, usable on the pages of shops.',
    registration: {
      authenticatorSelection: { authenticatorAttachment: 'platform', ...DISCOVERABLE_VERIFIED },
      extensions: { payment: { isPayment: true } },
    },
    authentication: VERIFIED,
  },
];

/** The setup with the options of a preset; application and autofill stay. */
export function withPreset(setup: Setup, { registration, authentication }: Preset): Setup {
  return { ...setup, registration, authentication };
}

/** The preset whose options the setup has. */
export function findPreset({ registration, authentication }: Setup): Preset | undefined {
  return PRESETS.find((preset) => sameJson([preset.registration, preset.authentication], [registration, authentication]));
}
