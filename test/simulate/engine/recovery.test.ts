import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { simulate } from '../../../src/simulate/simulate.js';
import { parseProfile } from '../../../src/simulate/target/read-profile.js';
import { tempFolder } from '../../cli/temp-folder.js';

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

/** Answers GET and ends at the first POST, as a relying party does that an exception takes down. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => {
  if (request.method === 'POST') process.exit(1);
  response.end('alive');
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening'));`;

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
  const port = await freePort();
  const child = spawn(process.execPath, [file, String(port)], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  const restart = options.restart?.(`"${process.execPath}" "${file}" ${port}`);
  const { results } = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids: ['register.default', 'register.type-swapped', 'login.default'] },
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
    { id: 'register.type-swapped', status: 'failed', remarks },
  ]);
});

test('a target that nothing starts again ends the run', { timeout: 60_000 }, async () => {
  expect(await run({})).toEqual([
    { id: 'register.default', status: 'failed', remarks: [expect.stringMatching(/did not come back within 0 s; --restart CMD would/)] },
    { id: 'login.default', status: 'not_run', reason: 'the target no longer answers' },
    { id: 'register.type-swapped', status: 'not_run', reason: 'the target no longer answers' },
  ]);
});
