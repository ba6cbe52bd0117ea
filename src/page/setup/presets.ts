import type { JsonObject } from '../../kernel/json-value.js';
import { sameJson } from '../json.js';
import type { Setup } from './setup.js';

/** Options for a common purpose: members that replace those of the server. */
interface Preset {
  readonly name: string;
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
    registration: { authenticatorSelection: DISCOVERABLE_VERIFIED, extensions: CRED_PROPS },
    authentication: VERIFIED,
  },
  {
    name: 'Second factor',
    registration: { authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' } },
    authentication: { userVerification: 'discouraged' },
  },
  {
    name: 'Synced passkey',
    registration: { authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: REQUIRED }, hints: ['client-device'] },
    authentication: { hints: ['client-device'] },
  },
  {
    name: 'Phone by QR code',
    registration: { authenticatorSelection: { authenticatorAttachment: CROSS_PLATFORM, residentKey: REQUIRED }, hints: ['hybrid'] },
    authentication: { hints: ['hybrid'] },
  },
  {
    name: 'Security key only',
    registration: { authenticatorSelection: { authenticatorAttachment: CROSS_PLATFORM }, hints: KEY_HINT },
    authentication: { hints: KEY_HINT },
  },
  {
    name: 'Attested hardware key',
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
    registration: { authenticatorSelection: { residentKey: REQUIRED, userVerification: 'preferred' }, extensions: CRED_PROPS },
    authentication: {},
  },
  {
    name: 'Encryption (PRF)',
    registration: { authenticatorSelection: DISCOVERABLE_VERIFIED, extensions: PRF },
    authentication: { ...VERIFIED, extensions: PRF },
  },
  {
    name: 'Payment (SPC)',
    registration: {
      authenticatorSelection: { authenticatorAttachment: 'platform', ...DISCOVERABLE_VERIFIED },
      extensions: { payment: { isPayment: true } },
    },
    authentication: VERIFIED,
  },
];

/** Puts the options of a preset into the setup, and keeps the setup's application and autofill. */
export function withPreset(setup: Setup, { registration, authentication }: Preset): Setup {
  return { ...setup, registration, authentication };
}

/** Finds the preset that has the same options as the setup. */
export function findPreset({ registration, authentication }: Setup): Preset | undefined {
  return PRESETS.find((preset) => sameJson([preset.registration, preset.authentication], [registration, authentication]));
}
