import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { seedStore } from '../cli/seeded-store.js';
import { tempFolder } from '../cli/temp-folder.js';
import { quick, share, thorough } from '../thorough.js';
import { until } from '../until.js';
import { passkeyHere } from './passkey-in-process.js';
import { BIN } from './passkey-process.js';

/** util-linux's `script` gives a child a terminal of its own; that of macOS and BSD takes other arguments. */
const canGiveTerminal = platform() === 'linux' && spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
if (!canGiveTerminal) console.warn('SKIPPED test/e2e/cli-terminal.test.ts: no `script` of util-linux here to give the command a terminal');

type Turn = readonly [shown: string, typed: string, ready?: () => Promise<unknown>];

/** Types each text when what stands before it has been written, and what it waits for besides has come. Answers the exit code. */
async function converse(cwd: string, argv: string, turns: readonly Turn[], env: Readonly<Record<string, string>> = {}) {
  // `exec`: a shell left between the two would answer Ctrl-C with an exit code of its own, as dash does.
  const child = spawn('script', ['-qec', `exec "${process.execPath}" "${BIN}" ${argv}`, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', CI: '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let failure: unknown;
  const left = [...turns];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [turn] = left;
    if (turn && screen.includes(turn[0])) {
      left.shift();
      const [, typed, ready = async () => {}] = turn;
      void ready()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => child.stdin.write(typed));
    }
  });
  const [code]: unknown[] = await once(child, 'close');
  if (failure !== undefined) throw failure;
  return { code, screen };
}

const liveIds = async (cwd: string): Promise<number[]> =>
  JSON.parse((await passkeyHere(['list', '--json'], { cwd })).stdout).map(({ id }: { id: number }) => id);

describe.skipIf(!canGiveTerminal)('on a terminal', () => {
  quick('revoke lets pick, asks, and revokes what was picked', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    const { code, screen } = await converse(cwd, 'revoke', [
      ['Passkeys to revoke', '\u001b[B \r'],
      ['Revoke 1 passkey?', 'y\r'],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain('Revoked 1 passkey (change ');
    expect(screen).toContain('User:1 ada@example.com');
    expect(screen).toContain('\\x1b[31mKey\\x9…');
    expect(await liveIds(cwd)).toStrictEqual([1, 4]);
  });

  quick('Ctrl-D at the picker changes nothing', async () => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    const { code, screen } = await converse(cwd, 'revoke', [['Passkeys to revoke', ' \u0004']]);
    expect([code, screen.includes('Nothing was selected; nothing was changed.')]).toStrictEqual([0, true]);
    expect(await liveIds(cwd)).toStrictEqual([1, 2, 4]);
  });

  thorough.each([
    ['no', 'n\r', 1],
    ['Enter', '\r', 1],
    ['Ctrl-C', '\u0003', 130],
  ])('%s at the question changes nothing', async (_, typed, expected) => {
    const cwd = await tempFolder();
    await seedStore(cwd);
    expect((await converse(cwd, 'revoke 1 2', [['Revoke 2 passkeys; 1 user keeps none (User:1)?', typed]])).code).toBe(expected);
    expect(await liveIds(cwd)).toStrictEqual([1, 2, 4]);
  });

  quick('user add asks for what is missing', async () => {
    const cwd = await tempFolder();
    const { code, screen } = await converse(cwd, 'user add --email ada@example.com', [['Name:', 'Ada\r']]);
    expect(code).toBe(0);
    expect(screen).toContain('User:1');
  });

  test.each(
    share(
      [
        ['', true],
        ['--no-open', false],
        ['--production', false],
        ['--no-open --open', true],
      ] as const,
      3,
    ),
  )('serve %s opens the page: %s', async (flag, opens) => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'xdg-open'), '#!/bin/sh\necho "$@" > opened\n', { mode: 0o755 });
    const env = { PATH: `${cwd}:${process.env.PATH}`, DISPLAY: ':0' };
    const opened = () => readFile(join(cwd, 'opened'), 'utf8');
    // A Ctrl-C that hits xdg-open before it has left the terminal ends it too, and it outlives the server that started it.
    const isOpened = () =>
      opened().then(
        (text) => text !== '',
        () => false,
      );
    const ready = async () => opens && (await until(isOpened));
    const { code, screen } = await converse(cwd, `serve --port 0 --store memory: ${flag}`, [['Ctrl-C', '\u0003', ready]], env);
    expect(code).toBe(0);
    expect(screen).toContain('SIGINT: stopping');
    expect(screen).not.toContain('\u001b[');
    const url = /^http:\/\/localhost:\d+/m.exec(screen)?.[0];
    if (opens) expect(await opened()).toBe(`${url}\n`);
    else await expect(opened()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
