import type { JsonObject } from '../../kernel/json-value.js';
import type { Preset } from '../schemas/option-form.js';

const KEY_HINT = ['security-key'];
const PRF: JsonObject = { prf: { eval: { first: 'cGFzc2tleQ' } } };

export const PRESETS: readonly Preset[] = [
  {
    name: 'Passwordless sign-in',
    about: 'The passkey is all there is: it must be discoverable, and the user verified.',
    registration: { authenticatorSelection: { residentKey: 'required', userVerification: 'required' }, extensions: { credProps: true } },
    authentication: { userVerification: 'required' },
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
    registration: {
      authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: 'required' },
      hints: ['client-device'],
    },
    authentication: { hints: ['client-device'] },
  },
  {
    name: 'Phone by QR code',
    about: 'The browser shows the QR code first.',
    registration: { authenticatorSelection: { authenticatorAttachment: 'cross-platform', residentKey: 'required' }, hints: ['hybrid'] },
    authentication: { hints: ['hybrid'] },
  },
  {
    name: 'Security key only',
    about: 'The browser offers keys that are plugged in or held to the device.',
    registration: { authenticatorSelection: { authenticatorAttachment: 'cross-platform' }, hints: KEY_HINT },
    authentication: { hints: KEY_HINT },
  },
  {
    name: 'Attested hardware key',
    about: 'A key that says who made it, and verifies the user. The server decides whom it trusts.',
    registration: {
      authenticatorSelection: { authenticatorAttachment: 'cross-platform', userVerification: 'required' },
      hints: KEY_HINT,
      attestation: 'direct',
      extensions: { credentialProtectionPolicy: 'userVerificationRequired', minPinLength: true },
    },
    authentication: { userVerification: 'required', hints: KEY_HINT },
  },
  {
    name: 'Conditional create',
    about: 'For “Create without a dialog”: a password manager adds the passkey by itself after a login with a password.',
    registration: { authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' }, extensions: { credProps: true } },
    authentication: {},
  },
  {
    name: 'Encryption (PRF)',
    about: 'Each login yields a secret to encrypt with, the same for the same input.',
    registration: { authenticatorSelection: { residentKey: 'required', userVerification: 'required' }, extensions: PRF },
    authentication: { userVerification: 'required', extensions: PRF },
  },
  {
    name: 'Payment (SPC)',
    about: 'Secure Payment Confirmation: on the device itself, discoverable, usable on the pages of shops.',
    registration: {
      authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: 'required', userVerification: 'required' },
      extensions: { payment: { isPayment: true } },
    },
    authentication: { userVerification: 'required' },
  },
];
