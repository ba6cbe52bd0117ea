import { describe, expect, test } from 'vitest';
import { FLAGS, registrationResponse } from './ceremony.js';
import { createWorld, OWNER } from './world.js';

// §7.1 step 15: the user need not have been present where the passkey was made without asking (conditional create).

const register = async (mediation: 'conditional' | undefined, flags: number, userVerification: 'required' | 'preferred' = 'preferred') => {
  const world = createWorld({ policy: { userVerification } });
  const { challenge } = await world.beginRegistration({ mediation });
  return world.relyingParty.register({ owner: OWNER, response: registrationResponse({ key: world.key, challenge, flags }) });
};

describe('a registration begun as a conditional create', () => {
  test.each([
    ['without UP', 0, false],
    ['with UP', FLAGS.up, false],
    ['with UP and UV', FLAGS.up | FLAGS.uv, true],
  ])('%s is accepted', async (_, flags, uvInitialized) => {
    await expect(register('conditional', flags)).resolves.toMatchObject({ id: 1, credential: { uvInitialized } });
  });

  test('must verify the user all the same, where that is required', async () => {
    await expect(register('conditional', 0, 'required')).rejects.toMatchObject({ code: 'user_not_verified', step: { number: 16 } });
  });
});
