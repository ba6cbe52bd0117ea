import { expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { Service } from '../app.js';
import { collectLog } from '../log-lines.js';

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

test.each(['store_damaged', 'store_absent', 'store_unavailable'] as const)(
  'whatever is wrong with the store (%s) is the one code of a 503',
  async (code) => {
    const log = collectLog();
    await using service = await Service.start({
      store: (store) => ({ ...store, findPasskeyByCredentialId: () => Promise.reject(new PasskeyError(code, 'what is wrong with it')) }),
      logger: log.logger,
    });
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: 'AAAA' }, { token: null });
    expect([reply.statusCode, reply.json().code, reply.json().detail]).toEqual([503, 'store_unavailable', 'what is wrong with it']);
    expect(JSON.stringify(log.lines)).toContain(`"code":"${code}"`);
  },
);
