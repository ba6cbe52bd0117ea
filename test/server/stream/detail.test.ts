import { expect } from 'vitest';
import { test } from '../service-test.js';
import { detail, list } from './read.js';

test('an entry that ends while it is read is shown as it was before or after, never with half of its end', async ({ service }) => {
  const { credentialId } = await service.register();
  const torn: number[] = [];
  // It was torn at 0; what is awaited on the way may change.
  for (let ticks = 0; ticks < 20; ticks += 1) {
    const response = await service.assert(credentialId);
    const [open] = await list(service);
    const loggingIn = service.post('/api/passkeys/login', response, { token: null });
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    const { state, explanation } = await detail(service, open?.id);
    if ((state === 'open') !== (explanation === null)) torn.push(ticks);
    expect((await loggingIn).statusCode).toBe(200);
  }
  expect(torn).toEqual([]);
});
