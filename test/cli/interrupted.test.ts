import { EventEmitter } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { run } from '../../src/cli/main.js';
import { PLAIN_PROFILE } from '../simulate/target/small-server.js';
import { quick, thorough } from '../thorough.js';
import { until } from '../until.js';
import { fakeIo } from './fake-io.js';
import { tempFolder } from './temp-folder.js';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs a command against a server that never answers a request for `path`: instead, the command gets a signal. */
async function interruptAt(path: string, signal: NodeJS.Signals, argv: (url: string) => readonly string[]) {
  const signals = new EventEmitter();
  const server = createServer((request, response) => {
    if (request.url === path) signals.emit(signal);
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'shop.json'), JSON.stringify(PLAIN_PROFILE));
  const { io, written } = fakeIo({ cwd });
  const code = await run(argv(`http://localhost:${(server.address() as AddressInfo).port}`), { ...io, signals });
  return { code, ...written, profile: await readFile(join(cwd, 'shop.json'), 'utf8'), listeners: signals.eventNames() };
}

thorough('a run that waits for the server of --restart ends that server, and writes its report', async () => {
  const signals = new EventEmitter();
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end('alive');
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'shop.json'), JSON.stringify(PLAIN_PROFILE));
  // A server that does not listen yet.
  const script = join(cwd, 'restart.mjs');
  const pidFile = join(cwd, 'pid');
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs'; writeFileSync(process.argv[2], String(process.pid)); setInterval(() => {}, 1000);`,
  );
  const readPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''));
  const { io } = fakeIo({ cwd });
  const restart = `"${process.execPath}" "${script}" "${pidFile}"`;
  const argv = [
    'simulate',
    'register.default',
    '--target',
    'shop.json',
    '--url',
    url,
    '--restart',
    restart,
    '--reporter',
    'json=report.json',
  ];
  const ended = run(argv, { ...io, signals });
  await until(readPid);
  signals.emit('SIGTERM');
  expect(await ended).toBe(143);
  const pid = await readPid();
  await until(() => !isAlive(pid));
  expect(JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))).toMatchObject({
    incomplete: true,
    summary: { passed: 0, not_run: 1 },
  });
});

describe.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s, exit code %i', (signal, code) => {
  quick('ends doctor without a report', async () => {
    const ended = await interruptAt('/', signal, (url) => ['doctor', url, '--json']);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^passkey: .*interrupted\.\n$/i), listeners: [] });
  });

  quick('ends doctor while it registers', async () => {
    const ended = await interruptAt('/registration/options', signal, (url) => ['doctor', url, '--target', 'shop.json', '--json']);
    expect(ended).toMatchObject({ code, stdout: '', listeners: [] });
  });

  quick('ends a probe, which writes nothing', async () => {
    const argv = (url: string) => ['simulate', '--target', 'shop.json', '--url', url, '--probe', '--write', '--json'];
    const ended = await interruptAt('/registration/options', signal, argv);
    const stderr = 'passkey: The run was interrupted.\n';
    expect(ended).toMatchObject({ code, stdout: '', stderr, profile: JSON.stringify(PLAIN_PROFILE), listeners: [] });
  });
});
