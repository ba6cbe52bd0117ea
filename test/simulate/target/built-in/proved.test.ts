import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../../../src/authenticator/settings.js';
import { createClient } from '../../../../src/client/client.js';
import { isObject, type JsonObject } from '../../../../src/kernel/json-value.js';
import { probe } from '../../../../src/simulate/probe.js';
import type { Asks, Driver, Login, RegisteredPasskey, Session } from '../../../../src/simulate/target/driver.js';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { Service } from '../../../server/app.js';
import { listen, type Target } from '../../../targets/http.js';
import { startKratos } from '../../../targets/kratos.js';
import { share } from '../../../thorough.js';
import { PROVED, type Proved } from './whole-runs.js';

/** What it takes to attest in a format. */
const ATTESTATIONS = { none: 'none', packed: 'packed-x5c', 'fido-u2f': 'fido-u2f', tpm: 'tpm' } as const;

/** The FIDO server API of passkey itself. */
async function startOwn(): Promise<Target> {
  let service: Service | undefined;
  const target = await listen(async (url) => {
    service = await Service.start({ settings: { fidoApi: true, origin: url } });
    const { app } = service;
    await app.ready();
    return (request, response) => {
      app.routing(request, response);
    };
  });
  return {
    url: target.url,
    async close() {
      await target.close();
      await service?.app.close();
    },
  };
}

/** Two servers beside those that the catalogue is run against. */
const SERVERS: readonly Proved[] = [
  ...PROVED,
  { of: 'the FIDO server API of passkey', name: 'fido2', start: startOwn, faults: {} },
  {
    of: 'Ory Kratos where a sign-up does not sign in',
    name: 'kratos',
    start: () => startKratos({ sessionAfterRegistration: false }),
    variables: (url) => ({ admin_url: url }),
    faults: {},
  },
];

describe.each(share(SERVERS, 4))('$of, by its profile', ({ name, start, formats, variables = () => ({}) }) => {
  let target: Target;
  let driver: Driver;

  beforeAll(async () => {
    target = await start();
    const profile = await readProfile(name, '.');
    driver = openDriver({ profile, url: target.url, variables: variables(target.url) });
  });

  afterAll(async () => {
    driver.close();
    await target.close();
  });

  const browser = (traits: AuthenticatorOptions = {}) =>
    createClient({ authenticator: createAuthenticator(traits), origin: driver.origin });
  type Browser = ReturnType<typeof browser>;

  async function open(position: 1 | 2 = 1): Promise<Session> {
    const session = await driver.openUser(position);
    if (session === undefined || 'outcome' in session) throw new Error(`Expected an account; ${session?.said ?? 'there is none'}.`);
    return session;
  }

  async function create(session: Session, client: Browser, asks?: Asks) {
    const { answer, options } = await session.beginRegistration(asks);
    if (options === undefined) throw new Error(`Expected options; ${answer.said}.`);
    return { options, credential: asJson(await client.create({ publicKey: options })) };
  }

  async function register(session: Session, client: Browser, asks?: Asks): Promise<RegisteredPasskey> {
    const { credential } = await create(session, client, asks);
    const answer = await session.finishRegistration(credential);
    expect([answer.outcome, answer.said]).toEqual(['accepted', answer.said]);
    return { credentialId: String(credential['id']), taken: answer.taken };
  }

  async function assert(session: Session, client: Browser, login: Login, passkey: RegisteredPasskey) {
    const { answer, options } = await session.beginAuthentication(login, passkey);
    if (options === undefined) throw new Error(`Expected options; ${answer.said}.`);
    return asJson(await client.get({ publicKey: options }));
  }

  test('fits it, as a probe finds, with the logins that the profile has', async () => {
    const profile = await readProfile(name, '.');
    const probed = openDriver({ profile, url: target.url, variables: variables(target.url) });
    const { passed, steps, found } = await probe({ driver: probed, ...profile, url: target.url });
    probed.close();
    expect(steps.filter(({ status }) => status === 'failed')).toEqual([]);
    expect([passed, found.logins, found.rp_id]).toEqual([true, driver.has.logins, 'localhost']);
  });

  test('keeps two users apart', async () => {
    const first = await open(1);
    if (driver.has.users === 1) {
      expect(await driver.openUser(2)).toBeUndefined();
      return;
    }
    const client = browser();
    const other = browser();
    const passkey = await register(first, client);
    const theirs = await register(await open(2), other);
    expect(passkey.credentialId).not.toBe(theirs.credentialId);
    // The answer of one user's passkey to a challenge of the other's login.
    if (driver.has.logins?.includes('named') !== true) return;
    const visit = first.newVisit();
    const { options } = await visit.beginAuthentication('named', passkey);
    if (options === undefined) throw new Error('Expected options.');
    const { allowCredentials: _first, ...publicKey } = options;
    const answer = await visit.finishAuthentication(
      asJson(await other.get({ publicKey: { ...publicKey, allowCredentials: [{ type: 'public-key', id: theirs.credentialId }] } })),
    );
    expect([answer.outcome, answer.said]).toEqual(['refused', answer.said]);
  });

  test('asks for what the profile says that it passes on', async () => {
    const asks = driver.has.asks ?? [];
    const session = await open();
    const wishes = { userVerification: 'required', residentKey: 'required', attestation: 'direct' } as const;
    const { options } = await session.beginRegistration(wishes);
    const { userVerification, residentKey } = options?.authenticatorSelection ?? {};
    const got = { userVerification, residentKey, attestation: options?.attestation };
    for (const wish of ['userVerification', 'residentKey', 'attestation'] as const) {
      if (asks.includes(wish)) expect([wish, got[wish]]).toEqual([wish, wishes[wish]]);
    }
    const unverified = await create(session, browser({ flags: (flags) => ({ ...flags, uv: false }) }), { userVerification: 'required' });
    const answer = await session.finishRegistration(unverified.credential);
    const refuses = unverified.options.authenticatorSelection?.userVerification === 'required';
    expect([answer.outcome, answer.said]).toEqual([refuses ? 'refused' : 'accepted', answer.said]);
  });

  test('takes the formats that the profile says that it takes', async () => {
    const session = await open();
    for (const format of formats ?? driver.has.formats ?? ['none']) {
      const attestation = Object.entries(ATTESTATIONS).find(([known]) => known === format)?.[1];
      if (attestation === undefined) throw new Error(`Expected a known format; got ${format}.`);
      const { credential } = await create(session, browser({ attestation }), { attestation: 'direct' });
      const answer = await session.finishRegistration(credential);
      expect([format, answer.outcome, answer.said]).toEqual([format, 'accepted', answer.said]);
    }
  });

  test('signs out, and lists and removes a passkey, where the profile says how', async () => {
    const session = await open();
    const client = browser();
    const passkey = await register(session, client);
    const [login = 'named'] = driver.has.logins ?? [];
    const visit = session.newVisit();
    if (driver.offers('signOut')) {
      await visit.finishAuthentication(await assert(visit, client, login, passkey));
      const copy = visit.fork();
      expect([(await copy.whoami())?.outcome, (await visit.signOut()).outcome]).toEqual(['accepted', 'accepted']);
      expect((await copy.whoami())?.outcome).toBe('refused');
    }
    const isListed = async () => (await session.list()).credentialIds?.includes(passkey.credentialId);
    if (driver.offers('list')) expect(await isListed()).toBe(true);
    if (driver.offers('remove')) expect(await session.remove(passkey)).toMatchObject({ outcome: 'accepted' });
    if (driver.offers('list') && driver.offers('remove')) expect(await isListed()).toBe(false);
  });

  test('deletes what it registered, where the profile says how', async () => {
    const session = await open();
    const client = browser();
    const passkey = await register(session, client);
    const { profile } = await readProfile(name, '.');
    expect(await driver.cleanUp()).toEqual([]);
    if (profile.cleanup === undefined) return;
    const [login = 'named'] = (driver.has.logins ?? []).toReversed();
    const visit = session.newVisit();
    const { options } = await visit.beginAuthentication(login, passkey);
    if (options === undefined) return;
    const answer = await visit.finishAuthentication(asJson(await client.get({ publicKey: options })));
    expect([answer.outcome, answer.said]).toEqual(['refused', answer.said]);
  });
});

function asJson(credential: object): JsonObject {
  if (!isObject(credential)) throw new Error('Expected an object.');
  return credential;
}
