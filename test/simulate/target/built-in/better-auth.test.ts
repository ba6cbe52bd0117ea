import { expect, test } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { prove } from './prove.js';

prove({ name: 'better-auth', start: startBetterAuth });

test('lists and removes passkeys, and signs out, as its users do', async () => {
  const target = await startBetterAuth();
  const ids = ['session.own-passkeys', 'session.others-passkeys', 'session.others-passkey-removed', 'session.after-sign-out'];
  const profile = await readProfile('better-auth', '.');
  const { results } = await simulate({ fixtures: [], version: '0.0.0', select: { ids }, target: { url: target.url, profile } });
  await target.close();
  expect(Object.fromEntries(results.map(({ id, status }) => [id, status]))).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
});
