import { expect, test } from 'vitest';
import type { ExtensionOutputs } from '../../src/client/dictionaries.js';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { type PrfUserName, prfUser } from '../../src/testing/prf-users.js';

const readPrf = ({ response }: { response: { clientExtensionResults: ExtensionOutputs } }) => response.clientExtensionResults.prf;
const extensions = { prf: { eval: { first: 'AAAA' } } };

/** Asks for the PRF at a registration and a login, and compares the latter with a login whose user is verified whatever the script says. */
async function askPrf(name: PrfUserName) {
  const { authenticator, registration, authentication } = createCeremonies({ seed: 'prf', ...prfUser(name) });
  const [created, login] = [await registration({ extensions }), await authentication({ extensions })];
  const again = createCeremonies({ traits: { store: authenticator.store, extensions: ['prf'] } });
  const verified = await again.authentication({
    extensions,
    challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
    rpId: 'example.com',
    userVerification: 'required',
  });
  const [atCreation, atLogin, ifVerified] = [created, login, verified].map(readPrf);
  return { atCreation, atLogin, sameWhenVerified: atLogin?.results?.first === ifVerified?.results?.first };
}

const results = { first: expect.stringMatching(/^[\w-]{43}$/) };

test.each<[PrfUserName, Awaited<ReturnType<typeof askPrf>>]>([
  ['no-prf', { atCreation: { enabled: false }, atLogin: {}, sameWhenVerified: true }],
  ['results-at-login', { atCreation: { enabled: true }, atLogin: { results }, sameWhenVerified: true }],
  ['only-at-login', { atCreation: { enabled: false }, atLogin: { results }, sameWhenVerified: true }],
  ['another-provider', { atCreation: { enabled: true, results }, atLogin: { results }, sameWhenVerified: true }],
  ['unverified-at-login', { atCreation: { enabled: true, results }, atLogin: { results }, sameWhenVerified: false }],
])('a user with PRF "%s"', async (name, expected) => {
  expect(await askPrf(name)).toEqual(expected);
});

test('a passkey whose registration did not ask for the PRF has it at logins too, where registrations never tell of it', async () => {
  const { registration, authentication } = createCeremonies(prfUser('only-at-login'));
  await registration();
  expect(readPrf(await authentication({ extensions }))).toEqual({ results });
});

test('a name that there is not is refused', () => {
  expect(() => prfUser(JSON.parse('"none"'))).toThrow(/Expected the name of a PRF user \(no-prf, .*\); got "none"/);
});
