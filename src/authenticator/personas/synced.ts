import { parseAaguid } from '../../webauthn/aaguid.js';
import type { AuthenticatorTraits } from '../settings.js';
import { scriptedUser } from '../user-verifier.js';
import { AAGUID_LIST, type Persona } from './persona.js';

const NO_ATTESTATION = 'responds with `none` whatever attestation is requested';

/** Traits that the synced passkeys of all vendors have in common. */
const SYNCED = {
  algorithms: [-7],
  attachment: 'platform',
  transports: ['hybrid', 'internal'],
  alwaysDiscoverable: true,
  backupEligible: true,
  backupState: true,
  signCount: { kind: 'zero' },
  credentialIdLength: 16,
  extensions: [],
} as const satisfies AuthenticatorTraits;

/** Personas of passkey providers, which copy their credentials from device to device. */
export const SYNCED_PERSONAS = {
  'icloud-keychain': {
    title: 'iCloud Keychain',
    about: 'synced passkey of Apple’s devices',
    quirks: [NO_ATTESTATION, 'until 2024 its AAGUID was all zeros'],
    options: {
      ...SYNCED,
      aaguid: parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd'),
      credentialIdLength: 20,
      extensions: ['prf', 'largeBlob'],
    },
    evidence: {
      kind: 'recorded',
      sources: ['safari-icloud-passkey-none.json', AAGUID_LIST],
      date: '2023-10',
      assumed: ['extensions'],
    },
  },
  'google-password-manager': {
    title: 'Google Password Manager',
    about: 'synced passkey of Android and Chrome',
    quirks: [NO_ATTESTATION],
    options: { ...SYNCED, aaguid: parseAaguid('ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'), extensions: ['prf'] },
    evidence: {
      kind: 'documentation',
      sources: [AAGUID_LIST],
      date: '2026-11-21',
      assumed: ['credentialIdLength', 'extensions', 'algorithms'],
    },
  },
  '1password': {
    title: '1Password',
    about: 'passkey of 1Password',
    quirks: [NO_ATTESTATION],
    options: { ...SYNCED, aaguid: parseAaguid('bada5566-a7aa-401f-bd96-45619a55120d'), extensions: ['prf'] },
    evidence: {
      kind: 'recorded',
      sources: ['1password-none.json', 'https://github.com/1Password/passkey-rs'],
      date: '2024-10',
      assumed: ['transports', 'extensions'],
    },
  },
  bitwarden: {
    title: 'Bitwarden',
    about: 'passkey of Bitwarden’s browser extension',
    quirks: [NO_ATTESTATION, 'returns a user handle even for credentials that are not discoverable'],
    options: {
      ...SYNCED,
      aaguid: parseAaguid('d548826e-79b4-db40-a3d8-11116f7e8349'),
      alwaysDiscoverable: false,
      serverSideUserHandle: 'given',
    },
    evidence: {
      kind: 'documentation',
      sources: ['https://github.com/bitwarden/clients/blob/main/libs/common/src/platform/services/fido2/fido2-authenticator.service.ts'],
      date: '2026-11-22',
      assumed: ['transports'],
    },
  },
  dashlane: {
    title: 'Dashlane',
    about: 'passkey of Dashlane',
    quirks: [NO_ATTESTATION],
    options: { ...SYNCED, aaguid: parseAaguid('531126d6-e717-415c-9320-3d9aa6981239') },
    evidence: {
      kind: 'documentation',
      sources: [AAGUID_LIST],
      date: '2026-11-21',
      assumed: ['credentialIdLength', 'transports', 'algorithms'],
    },
  },
  'samsung-pass': {
    title: 'Samsung Pass',
    about: 'passkey of Samsung Pass (4.4.02.7 on One UI 6.1)',
    quirks: ['is synced, but reports that it is bound to the device (BE and BS clear)', 'attests with certificates of Samsung'],
    options: {
      ...SYNCED,
      aaguid: parseAaguid('53414d53-554e-4700-0000-000000000000'),
      backupEligible: false,
      backupState: false,
      attestation: 'packed-x5c',
      credentialIdLength: 32,
    },
    evidence: {
      kind: 'documentation',
      sources: ['https://github.com/passkeydeveloper/passkeys.dev/issues/392', AAGUID_LIST],
      date: '2024-09-05',
      assumed: ['transports', 'signCount', 'algorithms'],
    },
  },
  'proton-pass': {
    title: 'Proton Pass',
    about: 'passkey of Proton Pass',
    quirks: [NO_ATTESTATION],
    options: { ...SYNCED, aaguid: parseAaguid('50726f74-6f6e-5061-7373-50726f746f6e') },
    evidence: {
      kind: 'documentation',
      sources: [
        'https://github.com/ProtonMail/WebClients/blob/main/packages/pass/lib/passkeys/webauthn.ts',
        'https://github.com/1Password/passkey-rs',
        AAGUID_LIST,
      ],
      date: '2026-11-22',
      assumed: ['transports'],
    },
  },
  keepassxc: {
    title: 'KeePassXC',
    about: 'passkey of KeePassXC and its browser extension',
    quirks: [
      NO_ATTESTATION,
      'reports that the user was verified even if verification is discouraged',
      'sets BE and BS although it stays in its user’s own file',
    ],
    options: {
      ...SYNCED,
      aaguid: parseAaguid('fdb141b2-5d84-443e-8a35-4698c205a502'),
      algorithms: [-7, -8, -257],
      transports: ['internal'],
      credentialIdLength: 32,
      userVerifier: scriptedUser('verified'),
    },
    evidence: {
      kind: 'documentation',
      sources: ['https://github.com/keepassxreboot/keepassxc/blob/develop/src/browser/BrowserPasskeys.cpp'],
      date: '2026-11-22',
      assumed: ['alwaysDiscoverable'],
    },
  },
} as const satisfies Record<string, Persona>;
