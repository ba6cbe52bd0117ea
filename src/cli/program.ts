import { Command, CommanderError } from 'commander';
import { defineTokens, defineUsers } from './definitions/accounts.js';
import { defineAttestationRoot } from './definitions/attestation-root.js';
import { defineAudit } from './definitions/audit.js';
import { defineCompletion } from './definitions/completion.js';
import { defineCredentials } from './definitions/credential.js';
import { defineExec } from './definitions/exec.js';
import { defineExplain } from './definitions/explain.js';
import { defineFixtures } from './definitions/fixture.js';
import { type Does, examples, givenFlags } from './definitions/options.js';
import { definePasskeys } from './definitions/passkeys.js';
import { defineServe } from './definitions/serve.js';
import { defineSimulate } from './definitions/simulate.js';
import { defineStats } from './definitions/stats.js';
import { defineStore } from './definitions/store.js';
import type { Io } from './io.js';
import { printableLines } from './output/printable.js';
import { version } from './package.js';

const USAGE = 2;

/** The result of a command that ended without an error. */
interface Outcome {
  exitCode: number;
}

const EXIT_CODES = `
Exit codes: 0 done, all as expected · 1 a check failed ·
            2 wrong usage or configuration ·
            3 store unavailable, absent or damaged ·
            4 target unreachable · 130 interrupted`;

/** Commander's own `help` takes one name only, and shows the help of `token` for `help token create`. */
function defineHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('display help for command')
    .action((names: readonly string[]) => {
      let command = program;
      for (const name of names) {
        const next = command.commands.find((each) => each.name() === name);
        if (next === undefined) program.error(`error: unknown command '${names.join(' ')}'`, { code: 'commander.unknownCommand' });
        command = next;
      }
      command.help();
    });
}

const usageHint = (path: string): string => `Run ${path} --help for usage.`;

/** A credential ID looks like a flag where it begins with a hyphen, as one in 64 does in base64url. */
const NAMING_PASSKEYS = new Set(['passkey show', 'passkey revoke', 'passkey restore']);

/** Behind an error of usage each command names its own help. */
function pointToHelp(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const own = `${path} ${command.name()}`;
    const more = NAMING_PASSKEYS.has(own) ? '\nA credential ID that begins with - goes behind --.' : '';
    command.showHelpAfterError(usageHint(own) + more);
    pointToHelp(command, own);
  }
}

/** Functions that define commands, with the first words of those commands, in the order of the help. */
const DEFINITIONS: readonly (readonly [(program: Command, io: Io, does: Does) => void, ...string[]])[] = [
  [defineServe, 'serve'],
  [defineExec, 'exec'],
  [definePasskeys, 'list', 'show', 'revoke', 'restore', 'purge'],
  [defineStats, 'stats'],
  [defineSimulate, 'simulate'],
  [defineExplain, 'explain'],
  [defineFixtures, 'fixture'],
  [defineAttestationRoot, 'attestation-root'],
  [defineCredentials, 'credential'],
  [defineUsers, 'user'],
  [defineTokens, 'token'],
  [defineStore, 'store'],
  [defineAudit, 'audit'],
  // What completes a command line needs all definitions.
  [defineCompletion, 'completion'],
];

/**
 * Definitions only: every action imports its command when it runs.
 *
 * @param first the first word of the command line: where it names a command, only what defines that one is defined.
 */
export function createProgram(io: Io, first?: string): { readonly program: Command; readonly outcome: Outcome } {
  const outcome: Outcome = { exitCode: 0 };
  const does: Does = (action) =>
    async function perform(...all) {
      const command = all.at(-1);
      if (!(command instanceof Command)) throw new TypeError('Expected commander to pass the command last.');
      outcome.exitCode = (await action(givenFlags(command), command.args)) ?? 0;
    };
  const program = new Command('passkey')
    .description('Test passkey (WebAuthn) flows: run a relying party, record ceremonies and replay them.')
    .version(version())
    // What stands behind `exec COMMAND` is no flag of ours.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(printableLines(text.replace(/^error: /, 'passkey: '))),
    })
    .exitOverride()
    .showHelpAfterError(usageHint('passkey'));
  const called = DEFINITIONS.find(([, ...names]) => names.some((name) => name === first));
  for (const [define] of called ? [called] : DEFINITIONS) define(program, io, does);
  pointToHelp(program, 'passkey');
  defineHelp(program);
  program
    .addHelpText(
      'after',
      examples(
        'passkey serve',
        'passkey user add --email ada@example.com --name Ada',
        'passkey token create --user ada@example.com',
        'passkey list --json',
        'passkey revoke 3 --yes',
        'passkey simulate',
        'passkey explain response.json',
      ),
    )
    .addHelpText('after', EXIT_CODES);
  return { program, outcome };
}

/** Runs one command line (without node and script) and returns its exit code; mistakes in it are reported. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const { program, outcome } = createProgram(io, argv[0]);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Commander has already written to stderr; its help and version exit 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    throw error;
  }
}
