import { namesOf } from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION, type ExtensionInputName, LARGE_BLOB_SUPPORT } from '../../webauthn/extensions.js';
import type { Choice, FieldGroup, OptionField } from '../schemas/option-form.js';

/** Title of the group of client extensions. */
const EXTENSIONS = 'Extensions';

const NOT_ASKED = 'not asked for';
const ONLY_TRUE: readonly Choice[] = [{ label: 'true', value: true }];
const YES_NO: readonly Choice[] = [...ONLY_TRUE, { label: 'false', value: false }];

type Inputs = readonly [ExtensionInputName, ...string[]];
type More = Pick<OptionField, 'help' | 'unset'>;

/** The label is the name that developers know; by default the path of the input. */
function choice(path: Inputs, choices: readonly Choice[], more: More & { readonly label?: string } = {}): OptionField {
  return { kind: 'choice', label: path.join('.'), path: ['extensions', ...path], choices, unset: NOT_ASKED, ...more };
}

function bytes(path: Inputs, help?: string): OptionField {
  return { kind: 'bytes', label: path.join('.'), path: ['extensions', ...path], ...(help !== undefined && { help }) };
}

function text(path: Inputs, help?: string): OptionField {
  return { kind: 'text', label: path.join('.'), path: ['extensions', ...path], ...(help !== undefined && { help }) };
}

const PRF = [
  bytes(['prf', 'eval', 'first'], 'Text; its bytes are the input of the pseudo-random function.'),
  bytes(['prf', 'eval', 'second'], 'A second input needs a first.'),
];
/** What a login may confirm: help, and path of each input. */
const PAYMENT: readonly (readonly [help: string | undefined, ...path: string[]])[] = [
  ['RP ID of the passkey, where the page is of another.', 'rpId'],
  ['Origin of the page that embeds the payment.', 'topOrigin'],
  ['Who is paid: by name, by origin, or both.', 'payeeName'],
  [undefined, 'payeeOrigin'],
  ['Such as EUR.', 'total', 'currency'],
  ['Such as 12.50.', 'total', 'value'],
  ['What it is paid with, such as a card.', 'instrument', 'displayName'],
  ['URL of its picture.', 'instrument', 'icon'],
];
const UVM = choice(['uvm'], ONLY_TRUE, { help: 'How the user was verified. Level 3 has dropped it.' });
const REMOTE = text(
  ['remoteClientDataJSON'],
  'Client data of another machine, as JSON: for remote desktops, with a permission of the browser.',
);

export const REGISTRATION_EXTENSIONS: FieldGroup = {
  title: EXTENSIONS,
  fields: [
    choice(['credProps'], YES_NO, { help: 'Reports whether the passkey is discoverable.' }),
    choice(['prf'], [{ label: 'ask for support', value: {} }], { help: 'Secrets for encryption, made from inputs.' }),
    ...PRF,
    choice(
      ['largeBlob', 'support'],
      LARGE_BLOB_SUPPORT.map((value) => ({ label: value, value })),
      { help: 'Room for data beside the passkey.' },
    ),
    choice(
      ['credentialProtectionPolicy'],
      namesOf(CREDENTIAL_PROTECTION).map((name) => ({ label: `${name} (level ${CREDENTIAL_PROTECTION[name]})`, value: name })),
      { label: 'credProtect', help: 'When a security key may use the passkey without verifying the user.' },
    ),
    choice(['enforceCredentialProtectionPolicy'], YES_NO, {
      label: 'credProtect enforced',
      unset: 'not sent (false)',
      help: 'The browser refuses authenticators that cannot do it.',
    }),
    choice(['minPinLength'], YES_NO, { help: 'Security keys tell it only to RP IDs on their list.' }),
    bytes(['credBlob'], 'Text of at most 32 bytes, kept with the passkey.'),
  ],
  rare: [
    choice(['payment', 'isPayment'], ONLY_TRUE, {
      help: 'Secure Payment Confirmation: the passkey may confirm payments on pages of others.',
    }),
    text(['appidExclude'], 'AppID of U2F: an authenticator registered under it refuses.'),
    choice(['hmacCreateSecret'], YES_NO, { help: 'hmac-secret by its old name; prf has replaced it.' }),
    UVM,
    REMOTE,
  ],
};

export const AUTHENTICATION_EXTENSIONS: FieldGroup = {
  title: EXTENSIONS,
  fields: [
    ...PRF,
    choice(['largeBlob', 'read'], ONLY_TRUE),
    bytes(['largeBlob', 'write'], 'Text to store; needs exactly one allowed credential.'),
    choice(['getCredBlob'], ONLY_TRUE, { help: 'Reads what credBlob stored.' }),
    text(['appid'], 'AppID of U2F: keys registered under it may log in.'),
  ],
  rare: [
    choice(['payment', 'isPayment'], ONLY_TRUE, {
      help: 'Secure Payment Confirmation. Browsers set it themselves in a Payment Request, and refuse it here.',
    }),
    ...PAYMENT.map(([help, ...path]) => text(['payment', ...path], help)),
    bytes(['hmacGetSecret', 'salt1'], 'hmac-secret by its old name: 32 bytes; prf has replaced it.'),
    bytes(['hmacGetSecret', 'salt2']),
    UVM,
    REMOTE,
  ],
};
