import { afterAll, expect, test } from 'vitest';
import { startInProcess } from '../../../src/simulate/engine/in-process.js';

const inProcess = startInProcess();
afterAll(() => inProcess.close());

const urlFor = async (settings: object) => (await inProcess.open({ settings })).target.url.href;

test('shares one listener between servers with the same settings', async () => {
  const run = () => ({});
  expect(await urlFor({ rateLimit: 7, authAction: { name: 'mine', run } })).toBe(
    await urlFor({ rateLimit: 7, authAction: { name: 'mine', run } }),
  );
});

test('distinguishes auth action modules with the same name', async () => {
  const authAction = () => ({ name: 'mine', run: () => ({}) });
  expect(await urlFor({ authAction: authAction() })).not.toBe(await urlFor({ authAction: authAction() }));
});

test('serves the development routes, but keeps no stream that nobody reads', async () => {
  const { injected } = await inProcess.open();
  const read = async (path: string) => (await injected.send({ method: 'GET', path })).status;
  expect([await read('/dev/passkeys'), await read('/dev/stream'), await read('/dev/events')]).toEqual([401, 404, 404]);
});
