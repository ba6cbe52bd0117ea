import { afterAll, expect, it } from 'vitest';
import { startInProcess } from '../../src/simulate/in-process.js';

const inProcess = startInProcess();
afterAll(() => inProcess.close());

const urlFor = async (settings: object) => (await inProcess.open({ settings })).target.url.href;

it('has one listener for all rooms with the same settings', async () => {
  const run = () => ({});
  expect(await urlFor({ rateLimit: 7, authAction: { name: 'mine', run } })).toBe(
    await urlFor({ rateLimit: 7, authAction: { name: 'mine', run } }),
  );
});

it('tells auth action modules of one name apart', async () => {
  const authAction = () => ({ name: 'mine', run: () => ({}) });
  expect(await urlFor({ authAction: authAction() })).not.toBe(await urlFor({ authAction: authAction() }));
});
