import { type Command, Option } from 'commander';
import { CREDENTIAL_SETTINGS, STORE_SETTINGS } from '../config/settings.js';
import type { Io } from '../io.js';
import { addCredentialSettings, addSettings, collect, type Does, examples, remarks } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;
const SECRETS = 'The file of --credentials holds private keys, for tests only. Only its owner can read it (mode 0600).';

export const HELP_VERIFICATIONS = 'as-asked, always, never';
/** Named here for the help, which loads nothing else; a test compares them with those there are. */
export const HELP_PERSONAS =
  'icloud-keychain, google-password-manager, 1password, bitwarden, dashlane, samsung-pass, proton-pass, keepassxc, windows-hello, android-legacy, chrome-virtual, yubikey-5, yubikey-5-safari, security-key-u2f, titan, solo-2';
export const HELP_SHAPES =
  'json (the file of --credentials), playwright (context.credentials), playwright-state (its storage state), devtools (WebAuthn.addCredential of the Chrome DevTools protocol), jwk, pkcs8 (PEM), keepassxc (its .passkey file), cxf (Credential Exchange Format of the FIDO Alliance)';

export function defineCredentials(program: Command, io: Io, does: Does): void {
  const credential = program
    .command('credential')
    .description('make credentials, answer options with them, and convert them between programs');
  const load = () => import('../commands/credential.js');

  addSettings(
    credential
      .command('create')
      .description('make a credential for a user: a passkey in the store, its private key in the credentials file')
      .option('--user <user>', 'whose: e-mail, TYPE:ID or id (prompted for on a terminal)')
      .option('--persona <name>', 'authenticator to imitate, see below (default: a plain one)')
      .option('--algorithm <name>', 'algorithm, by name or number (default: that of the persona, else ES256)')
      .option('--origin <url>', 'origin of the registration (default: http://localhost:7277)')
      .option('--rp-id <id>', 'RP ID (default: the host of the origin)')
      .option('--rp-name <name>', 'name of the relying party (default: the RP ID)')
      .option('--label <text>', 'label of the passkey (default: the provider’s name)')
      .option(...JSON_FLAG),
    { ...STORE_SETTINGS, ...CREDENTIAL_SETTINGS },
  )
    .addHelpText('after', remarks(`Prints the credential ID. ${SECRETS}`, `Personas, described in docs/personas.md: ${HELP_PERSONAS}.`))
    .addHelpText(
      'after',
      examples(
        'passkey credential create --user ada@example.com',
        'passkey credential create --user User:1 --persona icloud-keychain --origin https://example.com --json',
      ),
    )
    .action(does(async (flags) => (await load()).create(io, flags)));

  addCredentialSettings(
    credential
      .command('answer [file]')
      .description('answer creation or request options as a browser would, for tests in any language')
      .option('--origin <origin>', 'origin of the page that asks')
      .option('--persona <name>', 'authenticator to imitate, see below (default: a plain one)')
      .option('--user-verification <how>', `when the user is verified: ${HELP_VERIFICATIONS} (default: as-asked)`)
      .option('--tamper <id>', 'break the response on purpose, by the ID of a change or what follows its first dot')
      .option('--list-tampers', 'list the changes that --tamper makes')
      .option('--id <id>', 'log in with this credential, by its ID or the beginning of it (default: the newest that fits)')
      .option('--top-origin <origin>', 'origin of the page at the top, for a page in a frame of another site')
      .option('--cross-origin', 'the page is in a frame of another site')
      .option('--mediation <how>', 'conditional, for a login by autofill or a registration without a prompt')
      .option('--json', 'print the response with its credential and any remarks'),
  )
    .addHelpText(
      'after',
      remarks(
        'Reads FILE or standard input: the options that your server sends to the browser, alone, under publicKey or nested deeper. Prints the response as JSON, for your server.',
        'A registration adds a credential to the credentials file; a login uses one of them and keeps its sign count. Give both the same --persona.',
        '--tamper signs again wherever a signature covers the change, so that nothing else is wrong. The credential of a broken registration is kept only where a correct server accepts it.',
        'Exits 1 when a browser would refuse the options, 2 when the input has none or --persona or --tamper does not fit them, 3 when the credentials file is damaged, or missing at a login.',
        SECRETS,
        `Personas, described in docs/personas.md: ${HELP_PERSONAS}.`,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey credential answer options.json --origin https://example.org --persona icloud-keychain',
        'passkey credential answer - --origin https://example.org --tamper signature-bit --json',
        'passkey credential answer --list-tampers',
      ),
    )
    .action(does(async (flags, [file]) => (await import('../commands/credential-answer.js')).answerOptions(io, flags, file)));

  addCredentialSettings(
    credential
      .command('list')
      .description('list the credentials of the credentials file, without their keys')
      .option('--rp-id <id>', 'only those of this RP ID')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', examples('passkey credential list', 'passkey credential list --rp-id localhost --json'))
    .action(does(async (flags) => (await load()).list(io, flags)));

  addCredentialSettings(
    credential
      .command('remove <id...>')
      .description('remove credentials from the credentials file; the passkeys in the store stay')
      .option('--yes', 'do not prompt')
      .option('--dry-run', 'only show what would be removed')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', remarks('An ID is a credential ID or its beginning, where no other begins so.'))
    .addHelpText('after', examples('passkey credential remove 3q2-7w --dry-run', 'passkey credential remove 3q2-7w --yes'))
    .action(does(async (flags, ids) => (await load()).remove(io, flags, ids)));

  addCredentialSettings(
    credential
      .command('convert [file]')
      .description('convert credentials, private keys included, between the shapes of programs')
      .option('--from <shape>', 'shape of the file (default: json)')
      .addOption(new Option('--to <shape>', 'shape to write').conflicts('add'))
      .option('--add', 'add them to the credentials file instead of writing them')
      .option('--out <file>', 'write to this file (mode 0600) instead of standard output')
      .option('--id <id>', 'only this credential, by its ID or the beginning of it; may be given several times', collect)
      .option('--credential-id <id>', 'credential ID in base64url, where the shape has none')
      .option('--rp-id <id>', 'RP ID, where the shape has none')
      .option('--user-handle <handle>', 'user handle in base64url, where the shape has none')
      .option('--user-name <name>', 'user name, where the shape has none')
      .option(...JSON_FLAG),
  )
    .addHelpText(
      'after',
      remarks(
        `Reads FILE, - for standard input, or the credentials file. Shapes: ${HELP_SHAPES}.`,
        'What a shape cannot carry is told on standard error, one line a member.',
        SECRETS,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey credential convert --to devtools',
        'passkey credential convert --to keepassxc --id 3q2-7w --out login.passkey',
        'passkey credential convert chromium.json --from devtools --add',
      ),
    )
    .action(does(async (flags, [file]) => (await import('../commands/credential-convert.js')).convert(io, flags, file)));
}
