import { expect, test } from 'vitest';
import type { CeremonyFinished } from '../../../src/relying-party/events.js';
import { RP_ID, Service } from '../app.js';

/** A login whose options, of a development route, ask for no user verification. */
async function loginWithout(service: Service, route: '/dev/verify/options' | '/dev/login/options', end = '/api/passkeys/login') {
  const { credentialId } = await service.register();
  const scope = route === '/dev/verify/options' ? { credential_id: credentialId } : { app_url: `https://${RP_ID}` };
  const options = await service.post(route, { ...scope, options: { userVerification: 'discouraged' } });
  expect(options.json().userVerification).toBe('discouraged');
  const assertion = await service.client.get({ publicKey: { rpId: RP_ID, ...options.json() } });
  return await service.post(end, assertion, { token: null });
}

const ROUTES = ['/dev/verify/options', '/dev/login/options'] as const;

test.each(ROUTES)('with user verification required, options of %s that discourage it open no session', async (route) => {
  await using service = await Service.start({ policy: { userVerification: 'required' } });
  const finished: CeremonyFinished[] = [];
  service.relyingParty.on((event) => {
    if (event.type === 'ceremony-finished' && event.kind === 'authentication') finished.push(event);
  });
  const refused = await loginWithout(service, route);
  expect(refused.json()).toMatchObject({ status: 401, code: 'user_not_verified', step: { slug: 'user-verified' } });
  expect(refused.headers).not.toHaveProperty('set-cookie');
  expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  expect(finished).toMatchObject([{ outcome: 'rejected', error: { code: 'user_not_verified' }, policy: { userVerification: 'required' } }]);
});

test.each(ROUTES)('they do where the policy does not require it: %s', async (route) => {
  await using service = await Service.start();
  expect((await loginWithout(service, route)).statusCode).toBe(200);
});

test('and `verify`, which opens nothing, keeps to what the options asked for', async () => {
  await using service = await Service.start({ policy: { userVerification: 'required' } });
  expect((await loginWithout(service, '/dev/login/options', '/api/passkeys/verify')).statusCode).toBe(200);
});
