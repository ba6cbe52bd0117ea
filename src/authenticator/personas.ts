import { parseAaguid } from '../webauthn/aaguid.js';
import type { AuthenticatorTraits } from './settings.js';

/** What synced passkeys of all vendors have in common. */
const SYNCED = {
  algorithms: [-7],
  attachment: 'platform',
  transports: ['hybrid', 'internal'],
  alwaysDiscoverable: true,
  backupEligible: true,
  backupState: true,
  signCount: { kind: 'zero' },
} as const satisfies AuthenticatorTraits;

/**
 * Well-known kinds of authenticators, as a relying party sees them: AAGUID, flags, counter, transports, algorithms. They imitate
 * behaviour only; none has its vendor's attestation key.
 */
export const PERSONAS = {
  /** A synced passkey of Apple's devices. */
  'icloud-keychain': {
    aaguid: parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd'),
    ...SYNCED,
    credentialIdLength: 20,
    extensions: ['prf', 'largeBlob'],
  },
  /** A synced passkey of Android and Chrome. */
  'google-password-manager': {
    aaguid: parseAaguid('ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'),
    ...SYNCED,
    credentialIdLength: 16,
    extensions: ['prf'],
  },
  /** A passkey bound to a Windows device. */
  'windows-hello': {
    aaguid: parseAaguid('08987058-cadc-4b81-b6e1-30de50dcbe96'),
    algorithms: [-7, -257],
    attachment: 'platform',
    transports: ['internal'],
    alwaysDiscoverable: true,
    signCount: { kind: 'per-credential' },
    extensions: ['credProtect', 'prf'],
  },
  /** A FIDO2 security key with PIN: one counter for all, attests itself. */
  'security-key': {
    algorithms: [-7, -8],
    attestation: 'packed',
    attachment: 'cross-platform',
    transports: ['nfc', 'usb'],
    signCount: { kind: 'global', start: 1 },
    credentialIdLength: 48,
    extensions: ['credProtect', 'prf'],
  },
  /** An old security key: a second factor that stores nothing. Combine it with a user verifier that cannot verify. */
  'second-factor-key': {
    algorithms: [-7],
    attachment: 'cross-platform',
    transports: ['usb'],
    residentKey: false,
    signCount: { kind: 'global', start: 1 },
    credentialIdLength: 64,
    extensions: [],
  },
} as const satisfies Record<string, AuthenticatorTraits>;

export type PersonaName = keyof typeof PERSONAS;
