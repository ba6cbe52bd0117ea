import { type Command, CommanderError, Help, Option } from 'commander';
import { addEarlyFlags, addGlobalFlags, applyGlobalFlags, type CommandLine, handDown } from './command.js';
import { COMMANDS, type Entry } from './commands.js';
import type { Flags } from './config/resolve.js';
import { addHelp, EVERYWHERE, measureHelp } from './help.js';
import { type Io, print, spellCommands } from './io.js';
import { printableLines } from './output/printable.js';
import { labelled, wrap } from './output/wrap.js';
import { ownCommand } from './own-command.js';
import { findDocumentation, version } from './package.js';
import { FlagCommand } from './separate-values.js';

const USAGE = 2;

/** Minimum width of the column that shows a command's description. */
const LEAST_ROOM = 30;

/** The exit code of a command that did not throw an error. */
interface Outcome {
  exitCode: number;
}

const EXIT_CODES =
  'Exit codes: 0 done, all as expected · 1 a check failed · 2 wrong usage or configuration · 3 store unavailable, absent or damaged · 4 target unreachable · 130, 143, 129 interrupted (SIGINT, SIGTERM, SIGHUP)';

/**
 * Commands whose arguments may be credential IDs. In base64url, one ID in 64 begins with a hyphen, and would therefore be read as a flag.
 */
const NAMING_PASSKEYS = new Set(['passkey show', 'passkey revoke', 'passkey restore']);

/** Creates the program with all commands. A command gets its flags only when {@link CommandLine.define} loads its file. */
export function createProgram(io: Io): CommandLine & { readonly outcome: Outcome } {
  const outcome: Outcome = { exitCode: 0 };
  const entries = new Map<Command, Entry>();
  const define = async (command: Command): Promise<void> => {
    const [, , load] = entries.get(command) ?? [];
    if (typeof load !== 'function') return;
    const file = await load();
    file.define(command);
    addGlobalFlags(command);
    command.action(async () => {
      outcome.exitCode = (await file.run(applyGlobalFlags(io, givenFlags(command)), givenFlags(command), command.args, line)) ?? 0;
    });
  };
  /** Adds commands to a parent command. After a usage error, each of them refers the user to its own help. */
  const addCommands = (parent: Command, path: string, rows: readonly Entry[]): void => {
    parent.hook('preSubcommand', async (_, command) => {
      await define(command);
      if (command.name() !== 'help') handDown(parent, command);
    });
    for (const entry of rows) {
      const [signature, description, file, help] = entry;
      const command = parent.command(signature.replace(' [options]', ''), { hidden: signature.startsWith('__') });
      const own = `${path} ${command.name()}`;
      const more = NAMING_PASSKEYS.has(own) ? '\nA credential ID that begins with - must follow --.' : '';
      command.description(description).showHelpAfterError(suggestHelp(own) + more);
      entries.set(command, entry);
      if (help !== undefined) addHelp(addEarlyFlags(command), help);
      if (typeof file !== 'function') addCommands(command, own, file);
    }
    addHelpCommand(parent, line);
  };
  const program = new FlagCommand('passkey')
    .description('Test passkey (WebAuthn) flows: run a relying party, record ceremonies and replay them.')
    .optionsGroup('Flags:')
    .version(version(), '-V, --version', 'print the version')
    // What stands behind `exec COMMAND` is no flag of ours.
    .enablePositionalOptions()
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup(EVERYWHERE))
    .configureOutput({
      getOutHelpWidth: () => measureHelp(io),
      getErrHelpWidth: () => measureHelp(io),
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(spellCommands(io, text)),
      outputError: (text, write) => write(printableLines(text.replace(/^error: /, 'passkey: '))),
    })
    .configureHelp({ subcommandTerm: (command) => entries.get(command)?.[0] ?? Help.prototype.subcommandTerm(command) })
    .exitOverride()
    .showHelpAfterError(suggestHelp('passkey'));
  const line: CommandLine = { program, define };
  addCommands(program, 'passkey', COMMANDS);
  addHelp(addEarlyFlags(program), {
    examples: [
      'passkey serve',
      'passkey user add --email ada@example.com --name Ada',
      'passkey token create --user ada@example.com',
      'passkey list --json',
      'passkey revoke 3 --yes',
      'passkey simulate',
      'passkey explain response.json',
    ],
    remarks: [EXIT_CODES],
    page: 'README.md',
  });
  return { ...line, outcome };
}

const suggestHelp = (path: string): string => `Run \`${path} --help\` for usage.`;

/**
 * Adds a `help` command. It replaces commander's own, which accepts only one name, and would show the help of a command before the
 * command's flags are loaded.
 */
function addHelpCommand(parent: Command, { program, define }: CommandLine): void {
  const path = parent === program ? 'passkey' : `passkey ${parent.name()}`;
  const names = parent === program ? ['list', 'user add'] : parent.commands.slice(0, 2).map((command) => command.name());
  const help = parent
    .helpCommand(false)
    .command(parent === program ? 'help [command...]' : 'help [command]')
    .description('print the help of a command');
  addHelp(help, { examples: names.map((name) => `${path} help ${name}`), page: 'README.md' });
  help.action(async (given: string | readonly string[] = []) => {
    const names = typeof given === 'string' ? [given] : given;
    let command = parent;
    for (const name of names) {
      const next = command.commands.find((each) => each.name() === name);
      if (next === undefined) parent.error(`error: unknown command '${names.join(' ')}'`, { code: 'commander.unknownCommand' });
      command = next;
    }
    await define(command);
    command.help();
  });
}

const BEGINNINGS = [
  ['serve', 'run a relying party and its test page'],
  ['simulate --demo', 'attack a small shop that has three mistakes'],
  ['explain FILE', 'decode WebAuthn data, and check a ceremony'],
] as const;

/** Prints the overview that `passkey` without arguments shows: what the program is for, how to start, and where to read more. */
function printOverview(io: Io): void {
  const width = measureHelp(io);
  const own = ownCommand(io);
  const indent = 2 + own.length + Math.max(...BEGINNINGS.map(([words]) => words.length)) + 3;
  const beginnings = BEGINNINGS.map(([words, about]) =>
    width - indent < LEAST_ROOM ? `  ${own} ${words}` : labelled(`  ${own} ${words}`, about, { width, indent }),
  );
  const lines = [
    ...wrap(`passkey ${version()}: run, record, replay and attack passkey (WebAuthn) ceremonies.`, width),
    ...wrap('It sends nothing to any server except those that you name.', width),
    '',
    'Begin with:',
    ...beginnings,
    '',
    ...wrap(`${own} --help lists every command, and ${own} COMMAND --help explains one.`, width),
    ...wrap(`Documentation: ${findDocumentation()}`, width),
  ];
  print(io, lines.join('\n'));
}

/** Returns the flags that the user wrote, without the defaults that commander adds. */
function givenFlags(command: Command): Flags {
  const all: Readonly<Record<string, unknown>> = command.opts();
  return Object.fromEntries(Object.entries(all).filter(([key]) => command.getOptionValueSource(key) === 'cli'));
}

/**
 * Runs one command line and returns its exit code. Reports mistakes in the command line. @param argv the arguments, without the paths of
 * Node and the script.
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 0) {
    printOverview(io);
    return 0;
  }
  const { program, outcome } = createProgram(io);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Commander has already written to stderr; its help and version exit 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    throw error;
  }
}
