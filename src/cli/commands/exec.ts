import { type Flags, resolveExecSettings } from '../config/resolve.js';
import type { ExecSettings } from '../config/settings.js';
import { exportFile, importFile } from '../exec/moves.js';
import { exitCodeAfter, runCommand } from '../exec/run-command.js';
import { passSignals, type SignalPasser } from '../exec/signals.js';
import { makeTemporaryStore } from '../exec/temporary-store.js';
import { type Io, say } from '../io.js';
import { printable } from '../output/printable.js';
import { startServer } from '../serve/start.js';
import { createTokens, findOrAddUsers, isServerVariable, serverVariables, VIA_EXEC } from '../serve/users.js';

/** `passkey exec -- CMD…`: runs a command beside a server of its own; its exit code is that of the command. */
export async function run(io: Io, flags: Flags, [command = '', ...args]: readonly string[]): Promise<number> {
  const settings = await resolveExecSettings(io, flags);
  const passer = passSignals(io);
  try {
    if (flags.temporaryStore !== true) return await runWith(io, flags, { settings, command, args, passer });
    const temporary = await makeTemporaryStore();
    try {
      return await runWith(io, flags, { settings: { ...settings, store: temporary.path }, command, args, passer });
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
  readonly passer: SignalPasser;
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

/** Commands of ours that the command runs find the same store; where it is in memory, they say so instead of using another. */
function buildEnvironment({ env }: Io, { store, ownerType }: ExecSettings): Io['env'] {
  const kept = Object.entries(env).filter(([name]) => !isServerVariable(name));
  return { ...Object.fromEntries(kept), PASSKEY_STORE: store, PASSKEY_OWNER_TYPE: ownerType };
}
