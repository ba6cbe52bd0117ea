import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createHttpTarget } from '../../../src/simulate/engine/http.js';
import { createRecovery } from '../../../src/simulate/engine/remote.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { parseProfile } from '../../../src/simulate/target/read-profile.js';
import { tempFolder } from '../../cli/temp-folder.js';
import { quick as test, thorough } from '../../thorough.js';

const request = [{ request: 'POST /' }];
const PROFILE = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'frail',
  registrationOptions: request,
  register: request,
  authenticationOptions: request,
  authenticate: request,
};

/** Says its port, answers GET and ends at the first POST, as a relying party does that an exception takes down. */
const SERVER = `import { createServer } from 'node:http';
const server = createServer((request, response) => {
  if (request.method === 'POST') process.exit(1);
  response.end('alive');
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write(String(server.address().port)));`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function run(options: { readonly restart?: (command: string) => string }) {
  const file = join(await tempFolder(), 'server.mjs');
  await writeFile(file, SERVER);
  const child = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill());
  const [said]: unknown[] = await once(child.stdout, 'data');
  const port = Number(String(said));
  const restart = options.restart?.(`"${process.execPath}" "${file}" ${port}`);
  const { results } = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids: ['register.default', 'login.default'] },
    target: {
      url: `http://127.0.0.1:${port}`,
      profile: await parseProfile(JSON.stringify(PROFILE), 'frail.json'),
      comeBackWithin: 0,
      ...(restart !== undefined && { restart }),
    },
  });
  return results.map(({ id, status, reason, remarks }) => ({ id, status, ...(reason && { reason }), ...(remarks && { remarks }) }));
}

test('a target that dies is started again for the next case, and the report says so', { timeout: 60_000 }, async () => {
  const remarks = ['the target stopped answering and was restarted (--restart)'];
  expect(await run({ restart: (command) => command })).toEqual([
    { id: 'register.default', status: 'failed', remarks },
    { id: 'login.default', status: 'failed', remarks },
  ]);
});

test('a target that nothing starts again ends the run', { timeout: 60_000 }, async () => {
  expect(await run({})).toEqual([
    { id: 'register.default', status: 'failed', remarks: [expect.stringMatching(/did not come back within 0 s; --restart CMD would/)] },
    { id: 'login.default', status: 'not_run', reason: 'the target no longer answers' },
  ]);
});

thorough('cases that break at once have the target started again once', { timeout: 60_000 }, async () => {
  const folder = await tempFolder();
  const port = await freePort();
  const counting = `import { appendFileSync } from 'node:fs';\nappendFileSync(process.argv[3], 'x');\n${SERVER}`;
  await writeFile(join(folder, 'server.mjs'), counting);
  const target = createHttpTarget(new URL(`http://127.0.0.1:${port}`));
  const restart = `"${process.execPath}" "${join(folder, 'server.mjs')}" ${port} "${join(folder, 'starts')}"`;
  const { recover, close } = createRecovery({ target, restart, comeBackWithin: undefined, signal: undefined });
  onTestFinished(async () => {
    await close();
    target.close();
  });
  const restarted = { remark: 'the target stopped answering and was restarted (--restart)', alive: true, restarted: true };
  expect(await Promise.all([recover(), recover(), recover()])).toEqual([restarted, restarted, restarted]);
  expect(await readFile(join(folder, 'starts'), 'utf8')).toBe('x');
  expect(await recover()).toMatchObject({ alive: true, restarted: false });
});

thorough.skipIf(process.platform === 'win32')(
  'a target that ignores SIGTERM ends with the run all the same',
  { timeout: 60_000 },
  async () => {
    const folder = await tempFolder();
    const port = await freePort();
    await writeFile(join(folder, 'server.mjs'), `process.on('SIGTERM', () => undefined);\n${SERVER}`);
    const url = new URL(`http://127.0.0.1:${port}`);
    const target = createHttpTarget(url);
    onTestFinished(() => target.close());
    const restart = `"${process.execPath}" "${join(folder, 'server.mjs')}" ${port}`;
    const { recover, close } = createRecovery({ target, restart, comeBackWithin: undefined, signal: undefined });
    expect(await recover()).toMatchObject({ alive: true });
    await close();
    await expect(target.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'target_unreachable' });
  },
);
