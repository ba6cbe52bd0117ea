import { expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { Service } from '../app.js';

test('GET /healthz is 200 while the store can be read', async () => {
  await using service = await Service.start({ settings: { mode: 'production' } });
  const reply = await service.inject({ url: '/healthz' });
  expect([reply.statusCode, reply.json()]).toEqual([200, { status: 'ok' }]);
  expect((await service.inject({ method: 'HEAD', url: '/healthz' })).statusCode).toBe(200);
});

test('and 503 when it cannot, without saying where it is', async () => {
  await using service = await Service.start({
    store: (store) => ({
      ...store,
      check: () => Promise.reject(new PasskeyError('store_damaged', '/secret/place.json is damaged at line 3')),
    }),
  });
  const reply = await service.inject({ url: '/healthz' });
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'store_unavailable']);
  expect(reply.body).not.toContain('/secret/place');
});
