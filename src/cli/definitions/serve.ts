import type { Command } from 'commander';
import { SERVE_SETTINGS } from '../config/settings.js';
import type { Io } from '../io.js';
import { addSettings, collect, type Does, examples, remarks } from './options.js';

/** The help of --user, for commands whose server starts with users. */
export const USER_FLAG = 'add this user if there is none: an e-mail, or TYPE:ID of one there is; repeatable';

export function defineServe(program: Command, io: Io, does: Does): void {
  addSettings(program.command('serve').description('run the API and, in development mode, the test page'), SERVE_SETTINGS)
    .option('--user <user>', USER_FLAG, collect)
    .option('--print-token', 'print PASSKEY_URL=… and a PASSKEY_TOKEN=… for each --user, which ends with the server')
    .option('--json', 'print one JSON document with the URL once the server listens')
    .addHelpText(
      'after',
      remarks(
        'Durations: 500ms, 60s, 5m, 12h, 30d; a bare number is milliseconds. Lists: repeat the flag, or use commas.',
        'Flags override PASSKEY_* variables, which override the configuration file, which overrides the defaults.',
        'The configuration file takes the same names in camelCase: { "port": 8080, "allowedHost": ["passkeys.test"] }.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey serve',
        'passkey serve --port 8080 --user-verification required --record fixtures/recorded',
        'passkey serve --record fixtures --record-name checkout',
        'passkey serve --algorithms EdDSA,ES256 --auth-action expiring_token --token-ttl 1h',
        'passkey serve --production --host 0.0.0.0 --allowed-host login.example.com --origin https://login.example.com --trust-proxy',
        'passkey serve --store memory: --no-open --json',
        'passkey serve --store memory: --user ada@example.com --print-token > test.env',
      ),
    )
    .action(does(async (flags) => (await import('../commands/serve.js')).run(io, flags)));
}
