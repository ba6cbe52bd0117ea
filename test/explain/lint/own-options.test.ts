import { expect, test } from 'vitest';
import { lintCreationOptions, lintRequestOptions } from '../../../src/explain/lint/lint-options.js';
import { APP_ORIGIN, APP_URL, Service } from '../../server/app.js';

test('the options of the server with default settings get no error and no warning, and no word on the timeout', async () => {
  await using service = await Service.start();
  const ask = async (path: string, body: object) => (await service.post(path, body)).json();
  const application = { app_name: 'App', app_url: APP_URL };

  const first = await ask('/api/passkeys/register/options', application);
  const registration = await service.post('/api/passkeys/register', await service.client.create({ publicKey: first }));
  expect(registration.statusCode).toBe(200);
  const advice = [
    lintCreationOptions(first, APP_ORIGIN),
    // Now with excludeCredentials.
    lintCreationOptions(await ask('/api/passkeys/register/options', application), APP_ORIGIN),
    lintRequestOptions(await ask('/api/passkeys/verify/options', { credential_id: registration.json().passkey.credential_id }), APP_ORIGIN),
    lintRequestOptions(await ask('/api/passkeys/login/options', { app_url: APP_URL }), APP_ORIGIN),
  ].flat();
  expect(first.timeout).toBe(60_000);
  expect(advice.filter(({ severity, pointer }) => severity !== 'note' || pointer === '/timeout')).toEqual([]);
});
