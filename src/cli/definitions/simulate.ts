import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { collect, type Does, examples, remarks } from './options.js';

const SELECTION = remarks(
  'CASE is the name of a fixture or case; * stands for any text. By default the fixtures and cases that ship with passkey run. Ends with 0 when every outcome is the expected one, with 1 when one is not, with 4 when the server of --url cannot be reached.',
  'With --url, passkeys of the users of the tokens are registered on that server, and left there revoked. What cannot run against it is listed as not applicable with the reason, never as passed. Where it limits the rate of requests, the run waits.',
);

export function defineSimulate(program: Command, io: Io, does: Does): void {
  program
    .command('simulate [case...]')
    .description('run recorded and software-made ceremonies over HTTP, against the real server in process or a running one')
    .option('--fixtures <path>', 'replay this fixture or folder of fixtures, and nothing else; may be given several times', collect)
    .addOption(new Option('--replay <way>', 'verbatim or rebound (default: both)').argParser(collect))
    .option('--tag <tag>', 'only what has this tag (--list names the tags); may be given several times', collect)
    .option('--list', 'list what would run')
    .option('--bail', 'stop at the first failure')
    .option('--url <url>', 'run against the server at this URL; registers passkeys there')
    .option('--app-url <url>', 'application whose ceremonies to run there, one of its --origin (default: that of --url)')
    .option('--token <token>', 'bearer token of a user of that server; give two, of different users', collect)
    .option('--json', 'print one JSON document')
    .addHelpText('after', SELECTION)
    .addHelpText(
      'after',
      examples(
        'passkey simulate',
        'passkey simulate --fixtures fixtures/recorded --replay verbatim',
        "passkey simulate 'login.*' --bail",
        'passkey simulate --tag invalid --list',
        'passkey simulate --url http://localhost:7277 --token "$ADA" --token "$BOB" --json',
      ),
    )
    .action(does(async (flags, names) => (await import('../commands/simulate.js')).run(io, flags, names)));
}
