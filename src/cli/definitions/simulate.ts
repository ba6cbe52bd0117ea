import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { collect, type Does, examples, remarks } from './options.js';

const SELECTION = remarks(
  'CASE is the name of a fixture or case; * matches any text. By default the fixtures and cases that ship with passkey run. A fixture may have 16 MiB and 100,000 values. Exits 0 when every outcome is as expected, 1 when one is not or nothing could run, 2 when --url comes without --token, 4 when the server of --url never answered. A request without an answer in time is a failed case; after three in a row the rest are not run.',
  'With --url, passkeys are registered on that server for the users of the tokens, and left there revoked. What cannot run against it is listed as not applicable, with the reason, never as passed. The run waits when the server limits the rate of requests.',
);

export function defineSimulate(program: Command, io: Io, does: Does): void {
  program
    .command('simulate [case...]')
    .description('run recorded and software-made ceremonies over HTTP, against the real server in process or a running one')
    .option('--fixtures <path>', 'replay only this fixture or folder of fixtures; repeatable', collect)
    .addOption(new Option('--replay <way>', 'verbatim or rebound (default: both)').argParser(collect))
    .option('--tag <tag>', 'run only what has this tag (see --list); repeatable', collect)
    .option('--list', 'list what would run')
    .option('--bail', 'stop at the first failure')
    .option('--url <url>', 'run against the server at this URL; registers passkeys there')
    .option('--app-url <url>', 'application whose ceremonies to run, one of the --origin of that server (default: the URL)')
    .option('--token <token>', 'bearer token of a user of that server; required with --url; give two, of different users', collect)
    .option('--timeout <duration>', 'how long the server of --url may take for one answer (default: 30s)')
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
