import { expect, onTestFinished, test } from 'vitest';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startKratos } from '../../../targets/kratos.js';
import { userOf } from '../small-server.js';

test('deletes no identity where no admin API is set', async () => {
  const target = await startKratos();
  onTestFinished(() => target.close());
  const driver = openDriver({ profile: await readProfile('kratos', '.'), url: target.url });
  onTestFinished(() => driver.close());
  const session = await userOf(driver);
  expect(await driver.cleanUp()).toEqual([]);
  expect(await session.whoami()).toMatchObject({ outcome: 'accepted' });
});
