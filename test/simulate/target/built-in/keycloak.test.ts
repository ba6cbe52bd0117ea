import { expect, onTestFinished, test } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { setUp } from '../../../client/ceremony.js';
import { startKeycloak } from '../../../targets/keycloak.js';
import { userOf } from '../small-server.js';

async function start() {
  const target = await startKeycloak();
  onTestFinished(() => target.close());
  return { url: target.url, profile: await readProfile('keycloak', '.') };
}

test('options are read from the literals of its script', async () => {
  const { url, profile } = await start();
  const driver = openDriver({ profile, url });
  onTestFinished(() => driver.close());
  const session = await userOf(driver);
  const { answer, options } = await session.beginRegistration();

  expect(answer.remarks).toEqual([]);
  expect(options).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rp: { id: 'localhost', name: 'keycloak' },
    user: { id: expect.stringMatching(/^[\w-]+$/), name: expect.stringMatching(/^passkey-simulate-/), displayName: expect.any(String) },
    pubKeyCredParams: [
      { type: 'public-key', alg: -7 },
      { type: 'public-key', alg: -257 },
    ],
    authenticatorSelection: { requireResidentKey: true, userVerification: 'required' },
    timeout: 60_000,
  });

  const { options: request } = await session.newVisit().beginAuthentication('discoverable');
  expect(request).toEqual({ challenge: expect.any(String), rpId: 'localhost', userVerification: 'required', timeout: 60_000 });
});

test('passkeys to exclude are read from a list with commas', async () => {
  const { url, profile } = await start();
  const driver = openDriver({ profile, url });
  onTestFinished(() => driver.close());
  const session = await userOf(driver);
  const excluded: unknown[] = [];
  for (let number = 0; number < 3; number += 1) {
    const { options } = await session.beginRegistration();
    if (options === undefined) throw new Error('Expected creation options.');
    expect(options.excludeCredentials ?? []).toEqual(excluded);
    const credential = await setUp({}, { origin: driver.origin }).client.create({ publicKey: options });
    expect(await session.finishRegistration({ ...credential })).toMatchObject({ outcome: 'accepted' });
    excluded.push({ type: 'public-key', id: credential.id });
  }
});

test('cases about members that it has no field for are not applicable', async () => {
  const target = await start();
  const { results } = await simulate({
    fixtures: [],
    select: { ids: ['register.type-other', 'register.client-data-missing', 'login.type-other', 'login.signature-missing'] },
    target,
    version: '0.0.0',
  });
  expect(Object.fromEntries(results.map(({ id, status, ...result }) => [id, 'reason' in result ? result.reason : status]))).toEqual({
    'register.type-other': 'the profile does not send the type of a credential to the target',
    'register.client-data-missing': 'passed',
    'login.type-other': 'the profile does not send the type of a credential to the target',
    'login.signature-missing': 'passed',
  });
});
