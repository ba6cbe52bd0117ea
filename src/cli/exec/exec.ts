import { join } from 'node:path';
import type { Command } from 'commander';
import { openStore } from '../../store/open-store.js';
import { addSettings } from '../command.js';
import { type Flags, resolveExecSettings } from '../config/resolve.js';
import type { ExecSettings } from '../config/settings.js';
import { EXEC_SETTINGS } from '../config/settings.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, say } from '../io.js';
import { printable } from '../output/printable.js';
import { startServer } from '../serve/start.js';
import { createTokens, findOrAddUsers, isServerVariable, serverVariables, USER_FLAG, VIA_EXEC } from '../serve/users.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { exportFile, importFile } from './moves.js';
import { exitCodeAfter, runCommand } from './run-command.js';
import { passSignals, type SignalForwarding } from './signals.js';

export function define(command: Command): void {
  // What stands behind the name of the command is its own.
  addFlags(
    command.passThroughOptions(),
    {
      user: { about: USER_FLAG, isRepeatable: true },
      temporaryStore: {
        about: 'keep the store in a temporary file instead of memory, so that passkey commands in COMMAND can use it',
        conflicts: 'store',
      },
      import: 'start with the data of this file, which passkey store export wrote',
      exportOnExit: 'export the store to this file when COMMAND has ended',
      verbose: 'print on stderr where the server listens',
    },
    'Store and configuration:',
  );
  addHelp(addSettings(command, EXEC_SETTINGS), {
    examples: [
      'passkey exec --user ada@example.com -- npm test',
      'passkey exec --user ada@example.com --user bob@example.com --user-verification required -- npm test',
      'passkey exec --user ada@example.com --export-on-exit after.jsonl -- npm test',
      'passkey exec --temporary-store --user ada@example.com -- passkey user list',
    ],
    remarks: [
      'COMMAND gets PASSKEY_URL, a bearer token for each --user as PASSKEY_TOKEN, PASSKEY_TOKEN_2 and so on, and PASSKEY_STORE and PASSKEY_OWNER_TYPE for passkey commands in it. The tokens end with COMMAND. Users that were added to the store of --store stay.',
      'COMMAND shares standard input, output and signals with passkey. When COMMAND exits, passkey ends the processes that COMMAND left running. In a terminal they keep running, as they would without passkey.',
      'Exits with the code of COMMAND, 128 plus the number of the signal that ended it, 127 when it is not found, and 126 when it cannot be run. When the server cannot be started, COMMAND is not run, and the exit code is that of passkey serve.',
    ],
    common: ['--user', '--temporary-store', '--import', '--port', '--verbose'],
    page: 'ci.md',
  });
}

/** Runs `passkey exec -- CMD…`, which starts a server and runs a command. Returns the command's exit code. */
export async function run(io: Io, flags: Flags, [command = '', ...args]: readonly string[]): Promise<number> {
  const settings = await resolveExecSettings(io, flags);
  const passer = passSignals(io);
  try {
    if (flags.temporaryStore !== true) return await runWith(io, flags, { settings, command, args, passer });
    const temporary = await makeTemporaryFolder('exec');
    try {
      const store = join(temporary.path, 'passkeys.jsonl');
      // Made here, without a word on it: it goes with the command.
      await (await openStore(store, { create: true })).close();
      return await runWith(io, flags, { settings: { ...settings, store }, command, args, passer });
    } finally {
      await temporary.remove();
    }
  } finally {
    passer.off();
  }
}

interface Run {
  readonly settings: ExecSettings;
  readonly command: string;
  readonly args: readonly string[];
  readonly passer: SignalForwarding;
}

async function runWith(io: Io, flags: Flags, { settings, command, args, passer }: Run): Promise<number> {
  const started = await startServer(io, settings);
  const { accounts, store } = started.parties;
  try {
    if (typeof flags.import === 'string') await importFile(io, store, flags.import);
    const owners = await findOrAddUsers(accounts, Array.isArray(flags.user) ? flags.user.map(String) : [], VIA_EXEC);
    const users = await createTokens(accounts, owners, VIA_EXEC);
    let code: number;
    try {
      if (passer.missed !== undefined) return exitCodeAfter(passer.missed);
      if (flags.verbose === true) {
        const who = owners.map(({ email, type, id }) => ` ${email} is ${type}:${id}.`).join('');
        say(io, printable(`passkey: serving ${started.url}; store ${started.location}.${who}`));
      }
      const env = { ...buildEnvironment(io, settings), ...serverVariables(started.url, users) };
      code = await runCommand(io, { command, args, env, passer });
    } finally {
      await users.end();
    }
    if (typeof flags.exportOnExit === 'string') await exportFile(io, store, flags.exportOnExit);
    return code;
  } finally {
    await started.close();
  }
}

/**
 * Builds the environment of the command, so that `passkey` commands inside it use the same store as the server. If the store is in memory,
 * they cannot, and report an error instead of using another store.
 */
function buildEnvironment({ env }: Io, { store, ownerType }: ExecSettings): Io['env'] {
  const kept = Object.entries(env).filter(([name]) => !isServerVariable(name));
  return { ...Object.fromEntries(kept), PASSKEY_STORE: store, PASSKEY_OWNER_TYPE: ownerType };
}
