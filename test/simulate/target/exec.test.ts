import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandFor, runCommand } from '../../../src/simulate/target/exec.js';

const node = (script: string, ...args: string[]): string[] => [process.execPath, '-e', script, ...args];
const env = { ...process.env };

/** A server that a process connects to: the connection closes when the process ends. */
async function lifeline() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const closed = connected.then(
    ([socket]: Socket[]) =>
      new Promise<void>((resolve) =>
        socket
          ?.on('error', () => {})
          .on('close', () => resolve())
          .resume(),
      ),
  );
  return { server, connected, closed };
}

describe('a command', () => {
  test('gives what it prints and its exit code, and reads no shell', async () => {
    const result = await runCommand(node('console.log(JSON.stringify(process.argv.slice(1)));process.exit(3)', '$(id)', 'a b', '"'), {
      env,
    });
    expect(result).toEqual({ kind: 'ended', exitCode: 3, output: '["$(id)","a b","\\""]\n' });
  });

  test('is broken when it cannot be run, does not end, is killed, or prints too much', async () => {
    expect(await runCommand(['passkey-no-such-command'], { env })).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('ENOENT'),
    });
    expect(await runCommand(node('setInterval(() => {}, 1000)'), { env, within: 200 })).toEqual({
      kind: 'broken',
      reason: 'it did not end within 0.2 s',
    });
    expect(await runCommand(node('process.kill(process.pid)'), { env })).toEqual({ kind: 'broken', reason: 'it was ended by SIGTERM' });
    expect(await runCommand(node("process.stdout.write('x'.repeat(5e6))"), { env })).toMatchObject({
      kind: 'broken',
      reason: expect.stringMatching(/^it printed more than \d+ bytes$/),
    });
  });

  test.each([
    ['ignores SIGTERM', "process.on('SIGTERM', () => {});"],
    [
      'prints without end, and ignores SIGTERM',
      "process.on('SIGTERM', () => {}); setInterval(() => process.stdout.write('x'.repeat(1e6)));",
    ],
    [
      'has ended, but left a process that holds its output',
      "require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: ['ignore', 'inherit', 'ignore'] }).on('spawn', () => process.exit());",
    ],
  ])('is broken, and nothing of it goes on, when it %s', async (_, script) => {
    // A socket of its own tells whether it is still there, without looking at the clock.
    const { server, connected, closed } = await lifeline();
    onTestFinished(() => void server.close());
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a port');
    const holding = `require('node:net').connect(${address.port}, '127.0.0.1').on('error', () => {}); setInterval(() => {}, 1000);`;
    // Its time is over once we say so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const running = runCommand(node(`${script.includes('argv[1]') ? '' : holding}${script}`, holding), { env, within: 4000 });
    await connected;
    vi.advanceTimersByTime(4000);
    expect(await running).toMatchObject({ kind: 'broken' });
    await closed;
  });

  test('ends when the run is interrupted', async () => {
    const interruption = new AbortController();
    const running = runCommand(node('setInterval(() => {}, 1000)'), { env, signal: interruption.signal });
    interruption.abort();
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('the file that runs a command', () => {
  const onWindows = (words: string[], files: string[], variables = {}) =>
    commandFor(words, {
      platform: 'win32',
      // The separator is that of the system that runs the test.
      env: { Path: 'C_bin', PATHEXT: '.EXE;.CMD', ComSpec: 'cmd', ...variables },
      exists: (file) => files.some((known) => file.endsWith(known)),
    });

  test('is the word itself elsewhere than on Windows', () => {
    expect(commandFor(['npm', 'x'], { platform: 'linux', env: {}, exists: () => true })).toEqual({
      file: 'npm',
      args: ['x'],
      verbatim: false,
    });
  });

  test('is looked for with the extensions of PATHEXT on Windows', () => {
    expect(onWindows(['tool', 'a'], ['tool.EXE', 'tool.CMD'])).toMatchObject({
      file: expect.stringMatching(/C_bin.tool\.EXE$/),
      args: ['a'],
    });
    expect(onWindows(['gone', 'a'], [])).toMatchObject({ file: 'gone', args: ['a'], verbatim: false });
    expect(onWindows(['C:\\x\\tool', 'a'], ['tool.EXE'])).toMatchObject({ file: 'C:\\x\\tool' });
  });

  test('is cmd.exe for a script on Windows, which reads nothing in the arguments', () => {
    const { file, args, verbatim } = onWindows(['npm', 'a b', 'c&d'], ['npm.CMD']);
    expect({ file, verbatim, start: args.slice(0, -1) }).toEqual({ file: 'cmd', verbatim: true, start: ['/d', '/v:off', '/s', '/c'] });
    expect(args.at(-1)).toMatch(/^""C_bin.npm\.CMD" "a b" "c&d""$/);
    for (const word of ['a"b', '%PATH%', 'a\nb']) {
      expect(() => onWindows(['npm', word], ['npm.CMD'])).toThrow(
        expect.objectContaining({ code: 'configuration_invalid', message: expect.stringContaining(JSON.stringify(word)) }),
      );
    }
  });
});
