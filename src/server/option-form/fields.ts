import { ALGORITHMS } from '../../webauthn/algorithms.js';
import {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  ATTESTATION_FORMAT_IDS,
  HINTS,
  namesOf,
  REQUIREMENT_LEVELS,
} from '../../webauthn/enumerations.js';
import type { Choice, FieldGroup, OptionField } from '../schemas/option-form.js';
import { AUTHENTICATION_EXTENSIONS, REGISTRATION_EXTENSIONS } from './extension-fields.js';

/** Algorithms that nearly all passkeys have; the others are behind "more". */
const USUAL_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'RS256'];

const same = (values: readonly string[]): Choice[] => values.map((value) => ({ label: value, value }));
const YES_NO: readonly Choice[] = [
  { label: 'true', value: true },
  { label: 'false', value: false },
];
const REQUIREMENT = same(REQUIREMENT_LEVELS);

const hints: OptionField = {
  kind: 'set',
  label: 'hints',
  path: ['hints'],
  choices: same(namesOf(HINTS)),
  help: 'Which authenticators the browser offers first. None checked: it decides by itself.',
};
const timeout: OptionField = {
  kind: 'number',
  label: 'timeout (ms)',
  path: ['timeout'],
  help: 'Browsers may use another one. The challenge lives at least as long.',
};

/**
 * Members of PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.4). `challenge` and `user` come from the server, because the
 * ceremony is bound to them; `rp` follows from `app_name` and `app_url`.
 */
export const REGISTRATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [
      {
        kind: 'choice',
        label: 'userVerification',
        path: ['authenticatorSelection', 'userVerification'],
        choices: REQUIREMENT,
        help: 'PIN, fingerprint or face.',
      },
      {
        kind: 'choice',
        label: 'residentKey',
        path: ['authenticatorSelection', 'residentKey'],
        choices: REQUIREMENT,
        help: 'A discoverable passkey: it can log in without a user name.',
      },
      {
        kind: 'choice',
        label: 'authenticatorAttachment',
        path: ['authenticatorSelection', 'authenticatorAttachment'],
        choices: same(ATTACHMENTS),
        unset: 'any',
      },
      hints,
    ],
    rare: [
      {
        kind: 'choice',
        label: 'requireResidentKey',
        path: ['authenticatorSelection', 'requireResidentKey'],
        choices: YES_NO,
        unset: 'not sent (false)',
        help: 'For browsers of Level 1, which do not know residentKey.',
      },
    ],
  },
  {
    title: 'Key and attestation',
    fields: [
      {
        kind: 'set',
        label: 'pubKeyCredParams',
        path: ['pubKeyCredParams'],
        choices: ALGORITHMS.map(({ id, name }) => ({
          label: `${name} (${id})`,
          value: { type: 'public-key', alg: id },
          rare: !USUAL_ALGORITHMS.includes(name),
        })),
        help: 'Most preferred first: in the order in which you check them.',
      },
      { kind: 'choice', label: 'attestation', path: ['attestation'], choices: same(ATTESTATION_CONVEYANCES) },
    ],
    rare: [
      {
        kind: 'set',
        label: 'attestationFormats',
        path: ['attestationFormats'],
        choices: same(ATTESTATION_FORMAT_IDS),
        help: 'Formats that are preferred. None checked: any.',
      },
    ],
  },
  REGISTRATION_EXTENSIONS,
  {
    title: 'List and time',
    fields: [
      {
        kind: 'credentials',
        label: 'excludeCredentials',
        path: ['excludeCredentials'],
        unset: 'all passkeys of this user',
        help: 'An authenticator that has one of them refuses to make another.',
      },
      timeout,
    ],
  },
];

/** Members of PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.5). */
export const AUTHENTICATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [
      {
        kind: 'choice',
        label: 'userVerification',
        path: ['userVerification'],
        choices: REQUIREMENT,
        help: 'PIN, fingerprint or face.',
      },
      hints,
    ],
    rare: [
      {
        kind: 'text',
        label: 'rpId',
        path: ['rpId'],
        help: 'Sent to the browser; the server still expects the one that follows from app_url.',
      },
    ],
  },
  AUTHENTICATION_EXTENSIONS,
  {
    title: 'List and time',
    fields: [
      {
        kind: 'credentials',
        label: 'allowCredentials',
        path: ['allowCredentials'],
        unset: 'none: any discoverable passkey',
        help: 'The buttons of a passkey allow that one by themselves.',
      },
      timeout,
    ],
  },
];
