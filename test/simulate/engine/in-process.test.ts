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
