import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addExpectations } from './expectations.js';
import { collect, type Does, examples, remarks } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;

export function defineFixtures(program: Command, io: Io, does: Does): void {
  const fixture = program.command('fixture').description('import ceremonies as fixtures, and check and list fixtures');

  addExpectations(
    fixture
      .command('import <file...>')
      .description('make a fixture of every ceremony in HTTP archives, pasted responses and the like')
      .option('--out <dir>', 'write them into this folder (default: fixtures)')
      .option('--name <name>', 'what their names begin with; kind and error code follow (default: the RP ID)')
      .option('--options <file>', 'the options that a pasted response answers; may be given several times', collect)
      .option('--registration <file>', 'registration or fixture of the passkey that logs in; may be given several times', collect)
      .option('--force', 'replace files of the same name instead of numbering the new ones'),
  )
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      remarks(
        'FILE is a file or - for standard input: an HTTP archive (HAR), responses of create() and get() as toJSON() or @github/webauthn-json give them, what the test page copies as JSON, fixtures, or JSON lines of these. Options among the files are paired with the response that has their challenge, and a registration gives the key for the logins after it.',
        'The steps of the standard decide what each fixture expects: verified, or an error code with the step that fails. Without options, the challenge and the like are taken from the response itself; a remark says that they were not checked. Cookies, headers, tokens and members that the standard does not define are left out.',
        'Exits 0 when every ceremony was imported, 1 when one cannot be, such as a login whose public key is unknown (the others are written), 2 when an input is something else. Nothing is overwritten without --force.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey fixture import recording.har',
        'passkey fixture import response.json --options options.json --out fixtures/pasted --name shop',
        'passkey fixture import login.json --registration registration.json --origin https://example.org --json',
        'pbpaste | passkey fixture import -',
      ),
    )
    .action(does(async (flags, names) => (await import('../commands/fixture-import.js')).run(io, flags, names)));

  fixture
    .command('check <path...>')
    .description('read fixtures, run every step of the standard on them, and compare the outcome with the recorded one')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      remarks(
        'PATH is a fixture, or a folder in which every *.json file is one. Checks the format, the digest, that names are unique, and that the verdict has the recorded code and step. No server is involved; `passkey simulate --fixtures PATH` replays fixtures against one.',
        'Exits 0 when every fixture is as recorded, 1 when one is not.',
      ),
    )
    .addHelpText('after', examples('passkey fixture check fixtures', 'passkey fixture check fixtures/recorded/login-synced.json --json'))
    .action(does(async (flags, names) => (await import('../commands/fixture-check.js')).check(io, flags, names)));

  fixture
    .command('list <path...>')
    .description('list fixtures with their RP ID and the outcome that they expect')
    .option(...JSON_FLAG)
    .addHelpText('after', examples('passkey fixture list fixtures', 'passkey fixture list fixtures/recorded --json'))
    .action(does(async (flags, names) => (await import('../commands/fixture-check.js')).list(io, flags, names)));
}
