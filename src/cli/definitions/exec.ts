import { type Command, Option } from 'commander';
import { EXEC_SETTINGS } from '../config/settings.js';
import type { Io } from '../io.js';
import { addSettings, collect, type Does, examples, remarks } from './options.js';
import { USER_FLAG } from './serve.js';

export function defineExec(program: Command, io: Io, does: Does): void {
  addSettings(
    program
      .command('exec <command...>')
      .description('run a command with a server of its own beside it, and exit with its code')
      // What stands behind the name of the command is its own.
      .passThroughOptions()
      .option('--user <user>', USER_FLAG, collect)
      .addOption(
        new Option(
          '--temporary-store',
          'keep the store in a temporary file instead of memory, so that passkey commands in COMMAND can use it',
        ).conflicts('store'),
      )
      .option('--import <file>', 'begin with what passkey store export wrote')
      .option('--export-on-exit <file>', 'write such a file when COMMAND has ended')
      .option('--verbose', 'say on stderr where the server listens'),
    EXEC_SETTINGS,
  )
    .addHelpText(
      'after',
      remarks(
        'COMMAND gets PASSKEY_URL, a bearer token for each --user as PASSKEY_TOKEN, PASSKEY_TOKEN_2 and so on, and PASSKEY_STORE and PASSKEY_OWNER_TYPE for passkey commands in it. The tokens end with it. Users who were added to the store of --store stay.',
        'Standard input and output are those of COMMAND, and so are signals. What COMMAND leaves running is ended too, unless a terminal is there: then it stays, as it would without passkey.',
        'Exits with the code of COMMAND, 128 plus the number of the signal that ended it, 127 when it is not found, and 126 when it cannot be run. When the server cannot be started, COMMAND is not run, and the exit code is that of passkey serve.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey exec --user ada@example.com -- npm test',
        'passkey exec --user ada@example.com --user bob@example.com --user-verification required -- npm test',
        'passkey exec --user ada@example.com --export-on-exit after.jsonl -- npm test',
        'passkey exec --temporary-store --user ada@example.com -- passkey user list',
      ),
    )
    .action(does(async (flags, command) => (await import('../commands/exec.js')).run(io, flags, command)));
}
