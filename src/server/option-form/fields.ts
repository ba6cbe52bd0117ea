import { ALGORITHMS } from '../../webauthn/algorithms.js';
import {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  ATTESTATION_FORMAT_IDS,
  HINTS,
  listNames,
  REQUIREMENT_LEVELS,
} from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION, type ExtensionInputName, LARGE_BLOB_SUPPORT } from '../../webauthn/extensions.js';
import type { Choice, FieldGroup, OptionField } from '../schemas/option-form.js';

/** Algorithms that nearly all passkeys have; the others are behind "more". */
const USUAL_ALGORITHMS: readonly string[] = ['ES256', 'EdDSA', 'RS256'];

const same = (values: readonly string[]): Choice[] => values.map((value) => ({ label: value, value }));
const ONLY_TRUE: readonly Choice[] = [{ label: 'true', value: true }];
const YES_NO: readonly Choice[] = [...ONLY_TRUE, { label: 'false', value: false }];

type More = Partial<Pick<OptionField, 'label' | 'help' | 'unset'>>;

/** A member of the options by its path. Its label is the last name, unless `more` has another. */
function member(path: string, more: More = {}) {
  const names = path.split('.');
  return { label: names.at(-1) ?? path, path: names, ...more };
}

function choice(path: string, choices: readonly Choice[], more?: More): OptionField {
  return { kind: 'choice', choices, ...member(path, more) };
}

type ExtensionPath = ExtensionInputName | `${ExtensionInputName}.${string}`;

/** An input of a client extension, which developers know by its whole path. */
function input(path: ExtensionPath, kind: 'bytes' | 'text' | readonly Choice[], help?: string, more: More = {}): OptionField {
  const found = member(`extensions.${path}`, { label: path, ...(help !== undefined && { help }), ...more });
  return typeof kind === 'string' ? { kind, ...found } : { kind: 'choice', choices: kind, unset: 'not asked for', ...found };
}

const HINT_FIELD: OptionField = {
  kind: 'set',
  choices: same(listNames(HINTS)),
  ...member('hints', { help: 'Which authenticators the browser offers first. None checked: it decides by itself.' }),
};
const TIMEOUT: OptionField = {
  kind: 'number',
  ...member('timeout', { label: 'timeout (ms)', help: 'Browsers may use another one. The challenge lives at least as long.' }),
};
const VERIFICATION_HELP = 'PIN, fingerprint or face.';

const PRF = [
  input('prf.eval.first', 'bytes', 'Text; its bytes are the input of the pseudo-random function.'),
  input('prf.eval.second', 'bytes', 'A second input needs a first.'),
];
const UVM = input('uvm', ONLY_TRUE, 'How the user was verified. Level 3 has dropped it.');
const REMOTE = input(
  'remoteClientDataJSON',
  'text',
  'Client data of another machine, as JSON: for remote desktops, with a permission of the browser.',
);

/**
 * Members of PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.4). `challenge` and `user` come from the server, because the
 * ceremony is bound to them; `rp` follows from `app_name` and `app_url`.
 */
export const REGISTRATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [
      choice('authenticatorSelection.userVerification', same(REQUIREMENT_LEVELS), { help: VERIFICATION_HELP }),
      choice('authenticatorSelection.residentKey', same(REQUIREMENT_LEVELS), {
        help: 'A discoverable passkey: it can log in without a user name.',
      }),
      choice('authenticatorSelection.authenticatorAttachment', same(ATTACHMENTS), { unset: 'any' }),
      HINT_FIELD,
    ],
    rare: [
      choice('authenticatorSelection.requireResidentKey', YES_NO, {
        unset: 'not sent (false)',
        help: 'For browsers of Level 1, which do not know residentKey.',
      }),
    ],
  },
  {
    title: 'Key and attestation',
    fields: [
      {
        kind: 'set',
        choices: ALGORITHMS.map(({ id, name }) => ({
          label: `${name} (${id})`,
          value: { type: 'public-key', alg: id },
          rare: !USUAL_ALGORITHMS.includes(name),
        })),
        ...member('pubKeyCredParams', { help: 'Most preferred first: in the order in which you check them.' }),
      },
      choice('attestation', same(ATTESTATION_CONVEYANCES)),
    ],
    rare: [
      {
        kind: 'set',
        choices: same(ATTESTATION_FORMAT_IDS),
        ...member('attestationFormats', { help: 'Formats that are preferred. None checked: any.' }),
      },
    ],
  },
  {
    title: 'Extensions',
    fields: [
      input('credProps', YES_NO, 'Reports whether the passkey is discoverable.'),
      input('prf', [{ label: 'ask for support', value: {} }], 'Secrets for encryption, made from inputs.'),
      ...PRF,
      input('largeBlob.support', same(LARGE_BLOB_SUPPORT), 'Room for data beside the passkey.'),
      input(
        'credentialProtectionPolicy',
        listNames(CREDENTIAL_PROTECTION).map((name) => ({ label: `${name} (level ${CREDENTIAL_PROTECTION[name]})`, value: name })),
        'When a security key may use the passkey without verifying the user.',
        { label: 'credProtect' },
      ),
      input('enforceCredentialProtectionPolicy', YES_NO, 'The browser refuses authenticators that cannot do it.', {
        label: 'credProtect enforced',
        unset: 'not sent (false)',
      }),
      input('minPinLength', YES_NO, 'Security keys tell it only to RP IDs on their list.'),
      input('credBlob', 'bytes', 'Text of at most 32 bytes, kept with the passkey.'),
    ],
    rare: [
      input('payment.isPayment', ONLY_TRUE, 'Secure Payment Confirmation: the passkey may confirm payments on pages of others.'),
      input('appidExclude', 'text', 'AppID of U2F: an authenticator registered under it refuses.'),
      input('hmacCreateSecret', YES_NO, 'hmac-secret by its old name; prf has replaced it.'),
      UVM,
      REMOTE,
    ],
  },
  {
    title: 'List and time',
    fields: [
      {
        kind: 'credentials',
        ...member('excludeCredentials', {
          unset: 'all passkeys of this user',
          help: 'An authenticator that has one of them refuses to make another.',
        }),
      },
      TIMEOUT,
    ],
  },
];

/** Members of PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.5). */
export const AUTHENTICATION_FIELDS: readonly FieldGroup[] = [
  {
    title: 'Authenticator',
    fields: [choice('userVerification', same(REQUIREMENT_LEVELS), { help: VERIFICATION_HELP }), HINT_FIELD],
    rare: [
      {
        kind: 'text',
        ...member('rpId', { help: 'Sent to the browser; the server still expects the one that follows from app_url.' }),
      },
    ],
  },
  {
    title: 'Extensions',
    fields: [
      ...PRF,
      input('largeBlob.read', ONLY_TRUE),
      input('largeBlob.write', 'bytes', 'Text to store; needs exactly one allowed credential.'),
      input('getCredBlob', ONLY_TRUE, 'Reads what credBlob stored.'),
      input('appid', 'text', 'AppID of U2F: keys registered under it may log in.'),
    ],
    rare: [
      input(
        'payment.isPayment',
        ONLY_TRUE,
        'Secure Payment Confirmation. Browsers set it themselves in a Payment Request, and refuse it here.',
      ),
      input('payment.rpId', 'text', 'RP ID of the passkey, where the page is of another.'),
      input('payment.topOrigin', 'text', 'Origin of the page that embeds the payment.'),
      input('payment.payeeName', 'text', 'Who is paid: by name, by origin, or both.'),
      input('payment.payeeOrigin', 'text'),
      input('payment.total.currency', 'text', 'Such as EUR.'),
      input('payment.total.value', 'text', 'Such as 12.50.'),
      input('payment.instrument.displayName', 'text', 'What it is paid with, such as a card.'),
      input('payment.instrument.icon', 'text', 'URL of its picture.'),
      input('hmacGetSecret.salt1', 'bytes', 'hmac-secret by its old name: 32 bytes; prf has replaced it.'),
      input('hmacGetSecret.salt2', 'bytes'),
      UVM,
      REMOTE,
    ],
  },
  {
    title: 'List and time',
    fields: [
      {
        kind: 'credentials',
        ...member('allowCredentials', {
          unset: 'none: any discoverable passkey',
          help: 'The buttons of a passkey allow that one by themselves.',
        }),
      },
      TIMEOUT,
    ],
  },
];
