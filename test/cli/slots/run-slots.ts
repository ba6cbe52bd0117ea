import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { fakeIo } from '../fake-io.js';
import { judge, type Run, type Seen, type Slots, split } from './slots.js';

/** The time of the commands, when all in the store is past. */
export const NOW = Date.UTC(2026, 3, 1, 9, 30);

const isColoured = (text: string): boolean => text.split('\u001b').some((part, index) => index > 0 && /^\[[\d;]*m/.test(part));

/** They change no file, so that no run needs a folder of its own. */
const READING =
  /^(?:list|show|stats|audit|completion|(?:user|token|fixture|credential) list|(?:user|token) show|explain|(?:store|fixture) check) /;

/** Does something with a command that goes on, once it has written its first line. @returns what it saw. */
export type Attend = (line: string, o: { readonly advance: (milliseconds: number) => void }) => Promise<string>;

export interface Place {
  /** Writes the files that the lines need, and starts servers. */
  readonly fill: (folder: string) => Promise<void>;
  readonly close?: () => Promise<void>;
  /** What stands for words of the lines that are known once `fill` has ended, such as `$SMALL`. */
  readonly words?: ReadonlyMap<string, string>;
  /** What the servers received since it was asked last. */
  readonly received?: () => readonly string[];
  /** Of commands that go on until they are stopped. */
  readonly attend?: Attend;
}

/** Registers a test for each command of a table. */
export function testSlots(
  table: Readonly<Record<string, Slots>>,
  { fill, close, attend, words = new Map(), received = () => [] }: Place,
): void {
  let root: string;
  /** Every line runs in this place: a path can be in what a command writes. */
  let cwd: string;
  let isChanged = false;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'passkey-slots-'));
    cwd = join(root, 'work');
    await mkdir(cwd);
    await fill(cwd);
    await cp(cwd, join(root, 'prepared'), { recursive: true });
  });
  afterAll(async () => {
    await close?.();
    await rm(root, { recursive: true, force: true });
  });

  const runLine: Run = async (argv, terminal) => {
    if (isChanged) {
      await rm(cwd, { recursive: true });
      await cp(join(root, 'prepared'), cwd, { recursive: true });
    }
    isChanged = !READING.test(`${argv.join(' ')} `);
    const line = argv.map((word) => [...words].reduce((all, [name, value]) => all.replaceAll(name, value), word));
    const { text, idle } = await runIn(cwd, line, { terminal, attend });
    const files = isChanged ? await readAll(cwd) : [];
    return { text: [...text, ...split([...files, ...received()].join('\n'))], idle };
  };

  test.each(Object.entries(table))('each flag of %s changes something', async (_, rows) => {
    const wrong: string[] = [];
    for (const [flag, slot] of Object.entries(rows)) {
      const found = 'title' in slot ? undefined : await judge(flag, slot, runLine);
      if (found !== undefined) wrong.push(found);
    }
    expect(wrong).toEqual([]);
  });
}

/** The paths of all folders and files below a folder, and the text of each file. */
async function readAll(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const parts = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path}\n${await readFile(path, 'utf8')}` : path;
  });
  return (await Promise.all(parts)).toSorted();
}

interface Running {
  readonly terminal: boolean;
  readonly attend: Attend | undefined;
}

/** A question is left with Ctrl-C, and a command that goes on is stopped once it has been attended. */
async function runIn(cwd: string, argv: readonly string[], { terminal, attend }: Running): Promise<Seen> {
  const { io, written, stdin } = fakeIo({ cwd, terminal, env: { PATH: process.env.PATH ?? '' } });
  let isAsked = false;
  if (terminal) {
    io.stderr.on('data', () => {
      if (isAsked || !written.stderr.includes('?')) return;
      isAsked = true;
      void setImmediate().then(() => stdin.write('\u0003'));
    });
  }
  let now = NOW;
  const heard: Promise<string>[] = [];
  const { signals } = io;
  const stop = () => {
    if (argv[0] === 'exec') stdin.write('\n');
    else if ('emit' in signals && typeof signals.emit === 'function') signals.emit('SIGINT');
  };
  if (attend !== undefined || argv.includes('--follow')) {
    io.stdout.once('data', () => {
      const advance = (milliseconds: number) => {
        now += milliseconds;
      };
      const attending = setImmediate().then(() => attend?.(written.stdout, { advance }) ?? '');
      heard.push(attending.catch((error: unknown) => `cannot be attended: ${String(error)}`));
      void Promise.allSettled(heard).then(stop);
    });
  }
  const code = await run(argv, { ...io, now: () => now });
  const { stdout, stderr } = written;
  return {
    text: split([`exit ${code}`, stdout, stderr, ...(await Promise.all(heard))].join('\n')),
    idle: {
      '--quiet': /^(?:passkey: .*\n)?$/.test(stderr),
      '--no-color': !isColoured(`${stdout}${stderr}`),
      '--no-input': !isAsked,
    },
  };
}
