import { PassThrough, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Io } from './io.js';
import { run } from './main.js';
import { createProgram } from './program.js';

/** An Io that keeps what is written to stdout. */
function keeping(): { readonly io: Io; text(): string } {
  const pieces: string[] = [];
  const stdout = new Writable({
    decodeStrings: false,
    write(piece, _encoding, done) {
      pieces.push(String(piece));
      done();
    },
  });
  const signals = { on() {}, off() {} };
  const stdin = new PassThrough().end();
  const io = { stdin, stdout, stderr: new PassThrough().resume(), env: {}, cwd: process.cwd(), signals, uncaught: signals, now: Date.now };
  return { io, text: () => pieces.join('') };
}

/** The words of every command, groups included, as `token` and `token create`; the empty list is `passkey` itself. */
function commandsOf(command: Command, words: readonly string[] = []): (readonly string[])[] {
  return [words, ...command.commands.flatMap((each) => commandsOf(each, [...words, each.name()]))];
}

/**
 * What the command line answers without doing anything: its version, and the help of each command for 80 columns. The build writes
 * them down, so that nothing needs to be loaded for them. By command line, such as `token create --help`.
 */
export async function knownAnswers(): Promise<Readonly<Record<string, string>>> {
  const { program } = createProgram(keeping().io);
  const lines = [['--version'], ...commandsOf(program).map((words) => [...words, '--help'])];
  const answers: Record<string, string> = {};
  for (const words of lines) {
    const { io, text } = keeping();
    const code = await run(words, io);
    if (code !== 0 || text() === '') throw new Error(`Expected passkey ${words.join(' ')} to answer; it exited ${code}.`);
    answers[words.join(' ')] = text();
  }
  return answers;
}
