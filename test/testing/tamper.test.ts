import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { PasskeyError } from '../../src/errors.js';
import { explain } from '../../src/explain/library.js';
import { listMutations, type Mutation } from '../../src/simulate/mutations/mutation.js';
import { type Authentication, type Ceremonies, createCeremonies, type Expected, type Registration } from '../../src/testing/ceremonies.js';
import { mutations, type TamperableResponse, tamper } from '../../src/testing/tamper.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../src/webauthn/json.js';
import { quick, share } from '../thorough.js';
import { create, get, install } from './installed.js';

const TOP = 'https://top.example';

/** Slugs of the steps that fail, by the procedure of the standard; the code of what is not even a response. */
async function failing(response: object, { expected, ...made }: Registration | Authentication): Promise<readonly (string | undefined)[]> {
  try {
    const { steps } = await explain(response, {
      ...expected,
      topOrigin: TOP,
      ...('stored' in made && { publicKey: made.stored.publicKey, signCount: made.stored.counter }),
      at: new Date(),
    });
    return steps.filter(({ status }) => status === 'fail').map(({ slug }) => slug);
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return [error.code];
  }
}

/** What of this suite's share of the catalogue fits, with the steps at which the changed responses fail. */
async function applyAll(kind: Mutation['ceremony'], made: Registration | Authentication) {
  const applied: { readonly mutation: Mutation; readonly failed: readonly (string | undefined)[] }[] = [];
  const left: string[] = [];
  for (const mutation of share(listMutations(kind), 4)) {
    try {
      const changed = await tamper<TamperableResponse>(made.response, mutation.id, { topOrigin: TOP });
      applied.push({ mutation, failed: await failing(changed, made) });
    } catch (error) {
      if (!(error instanceof PasskeyError) || error.code !== 'not_applicable') throw error;
      left.push(error.message);
    }
  }
  return { applied, left };
}

/** What a relying party knows of its options, its users and their credentials, which the procedure is not told here. */
const NOT_TOLD: readonly (string | undefined)[] = [
  'algorithm_not_allowed',
  'passkey_not_found',
  'user_handle_mismatch',
  'backup_eligibility_changed',
];

/** Refused by the procedure itself, whatever the policy. */
const byProcedure = ({ expected, tests, requires, disputed, code }: Mutation): boolean =>
  expected === 'refused' && tests !== undefined && requires.length === 0 && disputed === undefined && !NOT_TOLD.includes(code);

describe('every mutation', () => {
  test.each([
    ['registration', 'register', (ceremonies: Ceremonies) => ceremonies.registration()],
    ['authentication', '(?:login|verify)', (ceremonies: Ceremonies) => ceremonies.authentication()],
  ] as const)('of the %s fails at its own step, or says why it does not fit', async (kind, part, make) => {
    const made = await make(createCeremonies({ traits: { algorithms: [-7] } }));
    const { applied, left } = await applyAll(kind, made);
    expect(applied.length).toBeGreaterThan(35);
    for (const reason of left) expect(reason).toMatch(new RegExp(`^The mutation ${part}\\.[\\w-]+ does not apply here: .+\\.$`));
    const judged = applied.filter(({ mutation }) => byProcedure(mutation));
    expect(judged.length).toBeGreaterThan(18);
    // Whether the options asked for an AppID is not known here.
    const decided = judged.filter(({ mutation }) => mutation.id !== 'login.app-id-unasked');
    const astray = decided.filter(({ mutation, failed }) => !failed.includes(mutation.tests?.slug) && !failed.includes(mutation.code));
    expect(astray.map(({ mutation, failed }) => [mutation.id, failed])).toEqual([]);
    const conforming = applied.filter(({ mutation }) => mutation.expected === 'accepted' && mutation.requires.length === 0);
    expect(conforming.filter(({ failed }) => failed.length > 0).map(({ mutation, failed }) => [mutation.id, failed])).toEqual([]);
  });
});

const inTheirWords = ({ challenge, origin, rpId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
});

describe('tamper', () => {
  quick('signs again, so that another library sees the one change and nothing else', async () => {
    const { response, stored, expected } = await createCeremonies().authentication();
    const verify = (changed: typeof response) =>
      verifyAuthenticationResponse({ response: changed, credential: stored, ...inTheirWords(expected) });
    expect(await verify(response)).toMatchObject({ verified: true });
    expect(await verify(await tamper(response, 'signature-bit'))).toMatchObject({ verified: false });
    const elsewhere = await tamper(response, 'login.origin-other-site');
    expect(elsewhere.response.signature).not.toBe(response.response.signature);
    await expect(verify(elsewhere)).rejects.toThrow(/origin/);
    const { origin } = JSON.parse(Buffer.from(elsewhere.response.clientDataJSON, 'base64url').toString());
    expect(
      await verifyAuthenticationResponse({ response: elsewhere, credential: stored, ...inTheirWords({ ...expected, origin }) }),
    ).toMatchObject({
      verified: true,
    });
  });

  quick('lets a counter fall that has counted', async () => {
    const { response, stored, expected } = await createCeremonies({ persona: 'yubikey-5' }).authentication();
    const verify = (changed: typeof response) =>
      verifyAuthenticationResponse({ response: changed, credential: stored, ...inTheirWords(expected) });
    expect(await verify(response)).toMatchObject({ verified: true, authenticationInfo: { newCounter: stored.counter + 1 } });
    await expect(verify(await tamper(response, 'counter-zero'))).rejects.toThrow(/counter/);
  });

  quick('leaves the response as it is', async () => {
    const { response } = await createCeremonies().registration();
    const before = structuredClone(response);
    expect(await tamper(response, 'origin-other-site')).not.toEqual(before);
    expect(response).toEqual(before);
  });

  quick('knows the key after a round trip through JSON, by the credential ID', async () => {
    const ceremonies = createCeremonies();
    const { response } = await ceremonies.registration();
    const copy: RegistrationResponseJSON = JSON.parse(JSON.stringify(response));
    const changed = await tamper(copy, 'register.user-not-present');
    expect(changed.id).toBe(response.id);
    const { response: assertion } = await ceremonies.authentication();
    expect((await tamper({ ...assertion }, 'rp-id-hash')).id).toBe(response.id);
  });

  quick('knows what navigator.credentials of a test has made', async () => {
    install({ persona: 'icloud-keychain' });
    const created: RegistrationResponseJSON = (await create()).toJSON();
    expect((await tamper(created, 'register.origin-other-site')).id).toBe(created.id);
    const login: AuthenticationResponseJSON = (await get()).toJSON();
    expect((await tamper(login, 'signature-bit')).id).toBe(created.id);
  });

  quick('keeps credential and key where the response must be made anew', async () => {
    const { response, expected } = await createCeremonies({ persona: 'google-password-manager' }).registration({ attestation: 'direct' });
    const attested = await tamper(response, 'attested-tpm');
    expect(attested.response.publicKey).toBe(response.response.publicKey);
    expect(await verifyRegistrationResponse({ response: attested, ...inTheirWords(expected) })).toMatchObject({
      verified: true,
      registrationInfo: { fmt: 'tpm', credential: { id: response.id }, credentialBackedUp: true },
    });
  });

  quick('attests again what an authenticator has attested', async () => {
    const made = await createCeremonies({ persona: 'yubikey-5' }).registration({ attestation: 'direct' });
    expect(await failing(made.response, made)).toEqual([]);
    expect(await failing(await tamper(made.response, 'origin-other-site'), made)).toEqual(['origin']);
  });

  quick('takes the credential of a response that was made elsewhere', async () => {
    const authenticator = createAuthenticator();
    const client = createClient({ authenticator, origin: 'https://example.com' });
    const { options } = await createCeremonies().registration();
    const response = await client.create({ publicKey: options });
    await expect(tamper(response, 'origin-other-site')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('which was not made in this process. Make the response with createCeremonies()'),
    });
    const [credential] = await authenticator.store.list();
    if (credential === undefined) throw new TypeError('Expected a credential.');
    expect((await tamper(response, 'origin-other-site', { credential })).id).toBe(response.id);
    const assertion = await client.get({ publicKey: { challenge: options.challenge, rpId: 'example.com' } });
    expect((await tamper(assertion, 'signature-bit', { credential })).id).toBe(response.id);
    await expect(tamper(assertion, 'user-not-verified', { credential })).rejects.toMatchObject({ code: 'not_applicable' });
    const asked = { challenge: options.challenge, rpId: 'example.com', userVerification: 'required' };
    expect((await tamper(assertion, 'user-not-verified', { credential, options: asked })).id).toBe(response.id);
  });

  quick.each([
    [
      'an id that is unknown',
      'signatur-bit',
      'usage',
      /There is no mutation "signatur-bit" of an authentication\. Did you mean signature-bit/,
    ],
    [
      'one of the other ceremony',
      'register.copies-absent',
      'usage',
      /Expected a mutation of an authentication, got "register\.copies-absent" of a registration/,
    ],
  ])('refuses %s', async (_, id, code, message) => {
    const { response } = await createCeremonies().authentication();
    await expect(tamper(response, id)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  quick('refuses options of the other ceremony', async () => {
    const ceremonies = createCeremonies();
    const registration = await ceremonies.registration();
    const login = await ceremonies.authentication();
    await expect(tamper(registration.response, 'origin-other-site', { options: login.options })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Expected creation options, which a registration answers; got request options.'),
    });
    await expect(tamper(login.response, 'signature-bit', { options: registration.options })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Expected request options, which a login answers; got creation options.'),
    });
  });

  quick('refuses what is no response', async () => {
    const { response } = await createCeremonies().authentication();
    const { signature: _signature, ...inner } = response.response;
    await expect(tamper({ ...response, response: inner }, 'signature-bit')).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('Call toJSON() on a PublicKeyCredential'),
    });
  });
});

quick('mutations() refuses what is no ceremony', () => {
  const login = JSON.parse('"login"');
  expect(() => mutations(login)).toThrow('Expected the ceremony to be one of registration, authentication; got "login".');
  expect(mutations('authentication').length).toBeLessThan(mutations().length);
});
