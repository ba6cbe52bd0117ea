import { describe, expect, onTestFinished, test } from 'vitest';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startKratos } from '../../../targets/kratos.js';
import { userOf } from '../small-server.js';
import { prove } from './prove.js';

describe("a server of the shape of Ory Kratos's self-service flows, by its profile", () => {
  // The admin API is on another port in the original.
  prove({ name: 'kratos', start: startKratos, variables: (url) => ({ admin_url: url }) });
});

describe('where a sign-up does not sign in', () => {
  prove({ name: 'kratos', start: () => startKratos({ sessionAfterRegistration: false }), variables: (url) => ({ admin_url: url }) });
});

test('deletes no identity where no admin API is set', async () => {
  const target = await startKratos();
  onTestFinished(() => target.close());
  const driver = openDriver({ ...(await readProfile('kratos', '.')), url: target.url });
  onTestFinished(() => driver.close());
  const session = await userOf(driver);
  expect(await driver.cleanUp()).toEqual([]);
  expect(await session.whoami()).toMatchObject({ outcome: 'accepted' });
});
