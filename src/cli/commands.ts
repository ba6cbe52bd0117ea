import type { CommandFile } from './command.js';
import type { HelpText } from './help.js';

/**
 * One row in the table of commands: the name, arguments and description of a command, and its file. The file's `define` and `run` are
 * loaded only when the command is run. A group of commands has subcommands and a help text instead of a file.
 */
export type Entry =
  | readonly [signature: string, description: string, file: () => Promise<CommandFile>, help?: undefined]
  | readonly [signature: string, description: string, commands: readonly Entry[], help: HelpText];

export const COMMANDS: readonly Entry[] = [
  ['serve [options]', 'run the API and, in development mode, the test page', () => import('./serve/serve.js')],
  [
    'exec [options] <command...>',
    'run a command next to its own server, and exit with the exit code of the command',
    () => import('./exec/exec.js'),
  ],
  [
    'browse [options] [url] [case...]',
    'open any site in a browser, respond to its passkey ceremonies in software, and explain them',
    () => import('./browse/browse.js'),
  ],
  ['list [options]', 'list stored passkeys', () => import('./passkey/list.js')],
  ['show [options] <id>', 'show one stored passkey completely, decoded, without its challenge', () => import('./passkey/show.js')],
  [
    'revoke [options] [id...]',
    'revoke passkeys by id, by filter, or from a list; takes effect with the next request',
    () => import('./passkey/revoke.js'),
  ],
  ['restore [options] [id...]', 'undo revocations; ended sessions and tokens stay ended', () => import('./passkey/restore.js')],
  [
    'purge [options]',
    'delete old data for good: passkeys, tokens and sessions that were revoked or ended long ago',
    () => import('./passkey/purge.js'),
  ],
  ['stats [options]', 'count passkeys, users, providers, algorithms and use', () => import('./passkey/stats.js')],
  [
    'simulate [options] [case...]',
    'run recorded and generated ceremonies over HTTP, against the built-in server or a running one',
    () => import('./simulate/simulate.js'),
  ],
  [
    'doctor [options] <url>',
    'check the deployment of a site with passkeys: https, RP ID, headers, and the files for browsers and apps',
    () => import('./doctor/doctor.js'),
  ],
  [
    'explain [options] [file...]',
    'decode any WebAuthn data, and run every step of the standard on a ceremony',
    () => import('./explain/explain.js'),
  ],
  [
    'fixture',
    'import ceremonies as fixtures, export test vectors, and check and list fixtures',
    [
      [
        'import [options] <file...>',
        'make a fixture of every ceremony in HTTP archives, pasted responses and other files',
        () => import('./fixture/import.js'),
      ],
      [
        'check [options] <path...>',
        'read fixtures, run every step of the standard on them, and compare the outcome with the recorded one',
        () => import('./fixture/check.js'),
      ],
      [
        'export [options]',
        'write test vectors of each algorithm as fixtures: valid ceremonies, and ones with a broken key or signature',
        () => import('./fixture/export.js'),
      ],
      ['list [options] <path...>', 'list fixtures with their RP ID and expected outcome', () => import('./fixture/list.js')],
    ],
    {
      examples: ['passkey fixture import recording.har', 'passkey fixture check fixtures', 'passkey fixture list fixtures'],
      page: 'fixtures.md',
    },
  ],
  [
    'attestation-root [options]',
    'print the TEST root for attestations of the software authenticator',
    () => import('./attestation-root.js'),
  ],
  [
    'credential',
    'make credentials, respond to options with them, and convert them between programs',
    [
      [
        'create [options]',
        'make a credential for a user: a passkey in the store, its private key in the credentials file',
        () => import('./credential/create.js'),
      ],
      [
        'answer [options] [file]',
        'respond to creation or request options as a browser would, for tests in any language',
        () => import('./credential/answer.js'),
      ],
      ['list [options]', 'list the credentials of the credentials file, without their keys', () => import('./credential/list.js')],
      [
        'remove [options] <id...>',
        'remove credentials from the credentials file; the passkeys in the store stay',
        () => import('./credential/remove.js'),
      ],
      [
        'convert [options] [file]',
        'convert credentials, private keys included, between the file formats of programs',
        () => import('./credential/convert.js'),
      ],
    ],
    {
      examples: [
        'passkey credential create --user ada@example.com',
        'passkey credential answer options.json --origin https://example.org --persona icloud-keychain',
        'passkey credential list --rp-id localhost --json',
      ],
      page: 'any-language.md',
    },
  ],
  [
    'user',
    'manage the users who own passkeys',
    [
      ['add [options]', 'add a user and print TYPE:ID; creates the store if there is none', () => import('./user/add.js')],
      ['show [options] <user>', 'show a user with their passkeys, live tokens and last use', () => import('./user/show.js')],
      ['edit [options] <user>', 'change the name or the e-mail of a user and print TYPE:ID', () => import('./user/edit.js')],
      ['list [options]', 'list users with the number of their live passkeys', () => import('./user/list.js')],
      [
        'remove [options] [user...]',
        'remove users by name, by filter or from a list: revokes their passkeys, and ends their tokens and sessions',
        () => import('./user/remove.js'),
      ],
    ],
    {
      examples: [
        'passkey user add --email ada@example.com --name "Ada Lovelace"',
        'passkey user show ada@example.com',
        'passkey user list',
      ],
      page: 'admin.md',
    },
  ],
  [
    'token',
    'manage bearer tokens for the API',
    [
      ['create [options]', 'print a new bearer token, and nothing else', () => import('./token/create.js')],
      ['list [options]', 'list live bearer tokens; their secrets are not stored', () => import('./token/list.js')],
      ['revoke [options] [id...]', 'revoke bearer tokens by id, by filter, or from a list', () => import('./token/revoke.js')],
    ],
    { examples: ['passkey token create --user ada@example.com', 'passkey token list', 'passkey token revoke 2'], page: 'serve.md' },
  ],
  [
    'store',
    'maintain the store',
    [
      ['migrate [options]', 'create the tables of a PostgreSQL store, or bring them up to date', () => import('./store/migrate.js')],
      ['check [options]', 'read the whole store, and list any damage', () => import('./store/check.js')],
      ['repair [options]', 'save the readable part of a damaged store to a new file', () => import('./store/repair.js')],
      ['export [options]', 'write everything in the store as JSON Lines', () => import('./store/export.js')],
      ['import [options] <file>', 'add the rows of an export to the store', () => import('./store/import.js')],
      ['copy [options] <from> <to>', 'copy a store to another one, and compare every row', () => import('./store/copy.js')],
      ['backup [options]', 'copy the store to a new file, and verify the copy', () => import('./store/backup.js')],
    ],
    {
      examples: ['passkey store check', 'passkey store backup --out backups/ --keep 7', 'passkey store export --out today.jsonl'],
      page: 'store.md',
    },
  ],
  ['audit [options]', 'show who did what and when, the latest entry last', () => import('./audit/audit.js')],
  [
    'completion <shell>',
    'print the script that completes passkey in bash, zsh, fish or powershell',
    () => import('./completion/completion.js'),
  ],
  // For those scripts only.
  ['__complete [word...]', '', () => import('./completion/complete.js')],
];
