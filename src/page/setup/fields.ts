import { ALGORITHMS } from '../../webauthn/algorithms.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  ATTESTATION_FORMAT_IDS,
  HINTS,
  namesOf,
  REQUIREMENT_LEVELS,
} from '../../webauthn/enumerations.js';
import { browserNameOf, CREDENTIAL_PROTECTION, findExtensionInput, LARGE_BLOB_SUPPORT } from '../../webauthn/extensions.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import type { JsonObject } from '../../webauthn/json-value.js';
import { isObject } from '../../webauthn/json-value.js';

export interface Choice {
  readonly label: string;
  readonly value: unknown;
}

interface FieldBase {
  readonly label: string;
  /** Path of the member in the dictionary. */
  readonly path: readonly string[];
  readonly help?: string;
}

/** One member of an options dictionary as a form control. Without a value, the server's own is used. */
export type OptionField = FieldBase &
  (
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    /** Several of the choices, in their order. */
    | { readonly kind: 'set'; readonly choices: readonly Choice[] }
    /** A list of credential descriptors: empty, or some of the stored passkeys. */
    | { readonly kind: 'credentials' }
    | { readonly kind: 'number' }
    | { readonly kind: 'text' }
    /** Text that becomes base64url of its UTF-8 bytes. */
    | { readonly kind: 'bytes' }
  );

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly OptionField[];
}

/** Title of the group of client extensions. */
export const EXTENSIONS = 'Extensions';

const same = (...values: readonly string[]): Choice[] => values.map((value) => ({ label: value, value }));
const YES_NO: readonly Choice[] = [
  { label: 'true', value: true },
  { label: 'false', value: false },
];
const REQUIREMENT = same(...REQUIREMENT_LEVELS);

const choice = (label: string, path: readonly string[], choices: readonly Choice[], help?: string): OptionField => ({
  kind: 'choice',
  label,
  path,
  choices,
  ...(help === undefined ? {} : { help }),
});
const selection = (member: string, choices: readonly Choice[]) => choice(member, ['authenticatorSelection', member], choices);
const extension = (label: string, path: readonly string[], choices: readonly Choice[], help?: string) =>
  choice(label, ['extensions', ...path], choices, help);

const hints: OptionField = {
  kind: 'set',
  label: 'hints',
  path: ['hints'],
  choices: same(...namesOf(HINTS)),
  help: 'Which authenticators the browser offers first.',
};
const timeout: OptionField = { kind: 'number', label: 'timeout (ms)', path: ['timeout'] };
const prf = (member: 'first' | 'second'): OptionField => ({
  kind: 'bytes',
  label: `prf.eval.${member}`,
  path: ['extensions', 'prf', 'eval', member],
  help: member === 'first' ? 'Text; its bytes are the input of the pseudo-random function.' : 'A second input needs a first.',
});

/**
 * Members of PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.4). `challenge` and `user` come from the server, because the
 * ceremony is bound to them; `rp` follows from `app_name` and `app_url`.
 */
export const REGISTRATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [
      selection('userVerification', REQUIREMENT),
      selection('residentKey', REQUIREMENT),
      selection('requireResidentKey', YES_NO),
      selection('authenticatorAttachment', same(...ATTACHMENTS)),
      hints,
    ],
  },
  {
    title: 'Key and attestation',
    fields: [
      {
        kind: 'set',
        label: 'pubKeyCredParams',
        path: ['pubKeyCredParams'],
        choices: ALGORITHMS.map(({ id, name }) => ({ label: `${name} (${id})`, value: { type: 'public-key', alg: id } })),
        help: 'The server refuses an algorithm that it cannot verify.',
      },
      choice('attestation', ['attestation'], same(...ATTESTATION_CONVEYANCES)),
      {
        kind: 'set',
        label: 'attestationFormats',
        path: ['attestationFormats'],
        choices: same(...ATTESTATION_FORMAT_IDS),
      },
    ],
  },
  {
    title: EXTENSIONS,
    fields: [
      extension('credProps', ['credProps'], YES_NO, 'Reports whether the passkey is discoverable.'),
      extension('prf', ['prf'], [{ label: 'ask for support', value: {} }]),
      prf('first'),
      prf('second'),
      extension('largeBlob.support', ['largeBlob', 'support'], same(...LARGE_BLOB_SUPPORT)),
      extension('credProtect', ['credentialProtectionPolicy'], same(...namesOf(CREDENTIAL_PROTECTION))),
      extension('credProtect enforced', ['enforceCredentialProtectionPolicy'], YES_NO),
      extension('minPinLength', ['minPinLength'], YES_NO),
    ],
  },
  {
    title: 'Lists and time',
    fields: [{ kind: 'credentials', label: 'excludeCredentials', path: ['excludeCredentials'] }, timeout],
  },
];

/** Members of PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.5). */
export const AUTHENTICATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [
      choice('userVerification', ['userVerification'], REQUIREMENT),
      {
        kind: 'text',
        label: 'rpId',
        path: ['rpId'],
        help: 'Sent to the browser; the server still expects the one that follows from app_url.',
      },
      hints,
    ],
  },
  {
    title: EXTENSIONS,
    fields: [
      prf('first'),
      prf('second'),
      extension('largeBlob.read', ['largeBlob', 'read'], [{ label: 'true', value: true }]),
      {
        kind: 'bytes',
        label: 'largeBlob.write',
        path: ['extensions', 'largeBlob', 'write'],
        help: 'Text to store; needs exactly one allowed credential.',
      },
    ],
  },
  {
    title: 'Lists and time',
    fields: [{ kind: 'credentials', label: 'allowCredentials', path: ['allowCredentials'] }, timeout],
  },
];

const MEMBERS = { registration: CREATION_MEMBERS, authentication: REQUEST_MEMBERS } as const;
/** The ceremony is bound to these members; changes to them are not sent. */
const BOUND = { registration: ['challenge', 'rp', 'user'], authentication: ['challenge'] } as const;

/** Hints about names in the options. None of them is an error. */
export function remarksOn(dictionary: CeremonyKind, options: JsonObject): string[] {
  const members: readonly string[] = MEMBERS[dictionary];
  const bound: readonly string[] = BOUND[dictionary];
  const { extensions } = options;
  return [
    ...Object.keys(options).flatMap((name) => {
      if (bound.includes(name)) {
        return `${name} comes from the server; the value here is not used.`;
      }
      return members.includes(name) ? [] : `${name} is not a member of these options; browsers ignore it.`;
    }),
    ...Object.keys(isObject(extensions) ? extensions : {}).flatMap((name) => {
      const other = browserNameOf(name);
      const advice = other === undefined ? 'browsers ignore unknown extensions' : `browsers call it ${other}`;
      return findExtensionInput(name) !== undefined ? [] : `extensions.${name} is unknown; ${advice}.`;
    }),
  ];
}
