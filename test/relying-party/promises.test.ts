import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { collect, ROOT } from '../e2e/passkey-process.js';

// In a process of its own: whatever uses AsyncLocalStorage has Node 20 follow every promise from then on, other tests too.
const SCRIPT = `
import { executionAsyncId } from 'node:async_hooks';
import { createCeremonies, startServer } from 'passkey-cli/testing';
const server = await startServer({ users: [{ email: 'ada@example.com', name: 'Ada' }], policy: { attestation: 'direct' } });
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + server.tokens['ada@example.com'] };
const post = async (path, body) => {
  const answer = await fetch(server.url + '/api/passkeys/' + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, json: await answer.json() };
};
const { json: options } = await post('register/options', { app_name: 'Test', app_url: server.url });
const ceremonies = createCeremonies({ origin: server.url, traits: { attestation: 'packed-x5c' } });
const { status } = await post('register', (await ceremonies.registration(options)).response);
// Promises that are followed have an ID each.
const before = executionAsyncId();
await Promise.resolve();
console.log(JSON.stringify({ status, followed: executionAsyncId() !== before }));
await server.stop();
`;

test('a registration with certificates does not leave Node following every promise of the process', async () => {
  const { stdout, stderr } = await collect(spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { cwd: ROOT }));
  expect([JSON.parse(stdout), stderr]).toEqual([{ status: 200, followed: false }, '']);
});
