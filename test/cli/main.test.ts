import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { main } from '../../src/cli/main.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * The command line of this process, whose streams are caught. All that it changes of the process is taken back.
 *
 * @param onWrite called after each text for stdout
 */
async function runMain(
  argv: readonly string[],
  { onWrite = () => {}, starter = {} }: { readonly onWrite?: () => void; readonly starter?: { readonly command?: string } } = {},
) {
  const { argv: argvBefore, exitCode: codeBefore } = process;
  const written = { stdout: '', stderr: '' };
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const errors = [process.stdout, process.stderr].map((stream) => stream.listeners('error'));
  const catching = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((text: string | Uint8Array, ...more: unknown[]) => {
      written[name] += String(text);
      if (name === 'stdout') onWrite();
      const done = more.at(-1);
      if (typeof done === 'function') done();
      return true;
    });
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const spies: readonly { mockRestore(): void }[] = [catching('stdout'), catching('stderr'), exit];
  process.argv = ['node', '/clone/bin/passkey.js', ...argv];
  try {
    await main(starter);
    return { code: process.exitCode, exits: exit.mock.calls.length, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.argv = argvBefore;
    process.exitCode = codeBefore;
    for (const [index, signal] of SIGNALS.entries()) {
      for (const listener of process.listeners(signal)) if (!before[index]?.includes(listener)) process.off(signal, listener);
    }
    for (const [index, stream] of [process.stdout, process.stderr].entries()) {
      for (const listener of stream.listeners('error')) {
        if (!errors[index]?.includes(listener)) stream.off('error', listener as () => void);
      }
    }
  }
}

const failWith =
  (...codes: readonly string[]) =>
  () => {
    for (const code of codes) process.stdout.emit('error', Object.assign(new Error('write failed'), code === '' ? {} : { code }));
  };
const PROFILE = ['simulate', '--init-profile', '-', '--from', 'keycloak', '--quiet'];

describe('the command line of a process', () => {
  test('writes what it is asked for, and lets the process end by itself', async () => {
    const { stdout, ...rest } = await runMain(PROFILE);
    expect(rest).toEqual({ code: 0, exits: 0, stderr: '' });
    expect(stdout).toMatch(/^# .*\nformat: passkey-target-profile\n/s);
  });

  test.each([
    [['EPIPE'], 0, ''],
    [['EOF', 'EPIPE'], 0, ''],
    [['ENOSPC', 'EIO'], 1, 'passkey: cannot write the output (ENOSPC); it is incomplete.\n'],
    [[''], 1, 'passkey: cannot write the output (write failed); it is incomplete.\n'],
  ])('whose output fails with %j exits %i', async (codes, code, stderr) => {
    expect(await runMain(PROFILE, { onWrite: failWith(...codes) })).toMatchObject({ code, exits: 0, stderr });
  });

  test('keeps the exit code of a refusal, and names the command as the user can type it', async () => {
    const memory = ['list', '--store', 'memory:'];
    const says = (own: string) =>
      `passkey: A memory store exists only inside \`${own} serve\` and \`${own} exec\`. Give --store the path of a file in both places, or start exec with --temporary-store.\n`;
    expect(await runMain(memory)).toEqual({ code: 2, exits: 0, stdout: '', stderr: says('node /clone/bin/passkey.js') });
    expect(await runMain(memory, { starter: { command: 'pk' } })).toEqual({ code: 2, exits: 0, stdout: '', stderr: says('pk') });
  });

  test('ends a process that a browser or server may keep alive, when all is written', async () => {
    const absent = join(tmpdir(), 'no-browser');
    expect(await runMain(['browse', 'http://localhost:1', '--headless', '--browser', absent])).toEqual({
      code: 2,
      exits: 1,
      stdout: '',
      stderr: `passkey: ${absent} does not start as a browser. Give --browser the path of a Chromium.\n`,
    });
  });

  test('says that its folder is gone', async () => {
    const before = process.cwd();
    const folder = await mkdtemp(join(tmpdir(), 'passkey-cwd-'));
    onTestFinished(() => process.chdir(before));
    process.chdir(folder);
    await rm(folder, { recursive: true });
    expect(await runMain(['list'])).toEqual({
      code: 2,
      exits: 0,
      stdout: '',
      stderr: 'passkey: The working directory no longer exists. Change to another one.\n',
    });
  });
});
