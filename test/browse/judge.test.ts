import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { SiteCeremony } from '../../src/browse/ceremony.js';
import { createJudge } from '../../src/browse/judge.js';
import type { Exchange } from '../../src/browse/network.js';
import { recordCeremony } from '../../src/browse/recording.js';
import { createClient } from '../../src/client/client.js';
import { asObject, type JsonObject } from '../../src/kernel/json-value.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const ORIGIN = 'https://shop.example.org';
const CREATION = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: 'example.org', name: 'Shop' },
  user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};
const REQUEST = { challenge: 'AQEBAQEBAQEBAQEBAQEBAQ', rpId: 'example.org' };

/** A site, its judge, and an authenticator whose answers the site gets. */
function openSite(caller: { readonly topOrigin?: string } = {}) {
  const judge = createJudge(() => NOW);
  const authenticator = createAuthenticator();
  let number = 0;
  const base = (change: Partial<SiteCeremony>): SiteCeremony => {
    number += 1;
    const shared = { number, at: NOW + number, origin: ORIGIN, crossOrigin: false, topOrigin: undefined };
    const unseen = { isConditional: false, offered: undefined };
    const ended = { asked: undefined, persona: 'plain', tamper: null, response: undefined, error: undefined, exchange: undefined };
    return { ...shared, ...unseen, ...ended, kind: 'authentication', options: REQUEST, ...change };
  };
  const exchange = (response: JsonObject, change: Partial<Exchange>): Exchange => ({
    at: NOW + 50,
    method: 'PUT',
    url: `${ORIGIN}/finish`,
    origin: ORIGIN,
    sent: JSON.stringify({ data: response }),
    status: 200,
    received: '{"verified":true}',
    ...change,
  });
  const client = createClient({ authenticator, origin: ORIGIN, ...caller });
  return {
    judge,
    base,
    /** A registration at the site, with which it did this. */
    async register(change: Partial<Exchange> = {}): Promise<SiteCeremony> {
      const response = { ...(await client.create({ publicKey: JSON.parse(JSON.stringify(CREATION)) })) };
      return base({ kind: 'registration', options: CREATION, response, exchange: exchange(response, change) });
    },
    async login(allowed: SiteCeremony, change: Partial<Exchange> = {}): Promise<SiteCeremony> {
      const publicKey = { ...REQUEST, allowCredentials: [{ type: 'public-key', id: allowed.response?.['id'] }] };
      const response = { ...(await client.get({ publicKey: JSON.parse(JSON.stringify(publicKey)) })) };
      return base({ options: publicKey, response, exchange: exchange(response, change) });
    },
  };
}

const entriesOf = (archive: JsonObject | undefined): readonly JsonObject[] => Object(archive).log.entries;

test('a login is judged by the registration that was seen before, whichever of several it is', async () => {
  const { judge, register, login } = openSite();
  const [first, second] = [await register(), await register({ status: 302, received: undefined })];
  expect((await judge(first)).explanation).toMatchObject({ verdict: 'accepted', server: { verdict: 'accepted' } });
  expect(await judge(second)).toMatchObject({ explanation: { verdict: 'accepted' } });
  for (const registration of [first, second]) {
    const { explanation, archive } = await judge(await login(registration));
    expect(explanation).toMatchObject({ ceremony: 'authentication', verdict: 'accepted', server: { verdict: 'accepted', status: 200 } });
    // The options and the response of both.
    expect(entriesOf(archive)).toHaveLength(4);
    expect(JSON.stringify(archive)).toContain(String(registration.response?.['id']));
    // That of a registration that is not known to have failed.
    expect(entriesOf(archive)[1]).toMatchObject({ response: { status: 200 } });
    expect(asObject(entriesOf(archive)[1]?.['response'])).not.toHaveProperty('content');
  }
});

test.each([
  ['refused', 400, '{"error":"no"}'],
  ['failed at', 500, '{}'],
])('a registration that the site %s is not held against a login', async (_, status, received) => {
  const { judge, register, login } = openSite();
  const registration = await register({ status, received });
  await judge(registration);
  const { explanation, archive } = await judge(await login(registration));
  expect(explanation.verdict).toBe('undecided');
  expect(entriesOf(archive)).toHaveLength(2);
});

test('a registration is judged alone, and so is a login with a passkey that was not seen', async () => {
  const { judge, register, login } = openSite();
  const unseen = await register();
  await judge(await register());
  expect(entriesOf((await judge(await register())).archive)).toHaveLength(2);
  const { explanation, archive } = await judge(await login(unseen));
  expect([explanation.verdict, entriesOf(archive).length]).toEqual(['undecided', 2]);
});

test.each<[string, Partial<SiteCeremony>, string]>([
  ['origin', { origin: 'https://evil.example' }, 'origin'],
  ['challenge', { options: { ...CREATION, challenge: 'CQkJCQkJCQkJCQkJCQkJCQ' } }, 'challenge'],
  ['RP ID', { options: { ...CREATION, rp: { id: 'other.example', name: 'Shop' } } }, 'rp-id-hash'],
])('a response with another %s is refused at its step', async (_, change, slug) => {
  const { judge, register } = openSite();
  const { explanation } = await judge({ ...(await register()), ...change });
  expect(explanation.verdict).toBe('rejected');
  const failed = explanation.steps?.filter(({ status }) => status === 'fail').map((step) => step.slug);
  expect(failed).toContain(slug);
});

test('the steps are open for what a page does not say', async () => {
  const { judge, register } = openSite();
  const { challenge: _, ...options } = CREATION;
  const { explanation } = await judge({ ...(await register()), options });
  const open = explanation.steps?.filter((step) => step.open).map(({ slug }) => slug);
  expect(open).toContain('challenge');
  expect(explanation.verdict).toBe('undecided');
});

test.each([
  ['https://top.example', 'pass'],
  ['https://evil.example', 'fail'],
])('the page around a frame is expected to be %s: %s', async (topOrigin, status) => {
  const { judge, register } = openSite({ topOrigin: 'https://top.example' });
  const { explanation } = await judge({ ...(await register()), crossOrigin: true, topOrigin });
  expect(explanation.steps?.find(({ slug }) => slug === 'top-origin')).toMatchObject({ status });
});

test.each<[string, Partial<SiteCeremony>, JsonObject, string, string]>([
  ['a registration', { kind: 'registration', options: { ...CREATION, rpId: 'completed' } }, { ...CREATION, allow: 1 }, '/allow', '/rpId'],
  ['a login', { options: { ...REQUEST, user: 'completed' } }, { ...REQUEST, rp: {} }, '/rp', '/user'],
  ['a login at another site', { origin: 'https://evil.example' }, REQUEST, '/rpId', '/rp'],
])('the advice is on the options of %s as the site sent them', async (_, change, offered, pointer, absent) => {
  const { judge, base } = openSite();
  const { explanation, archive } = await judge(base({ ...change, offered, error: { name: 'NotAllowedError', message: 'No.' } }));
  const pointers = explanation.advice.map((advice) => advice.pointer);
  expect(pointers).toContain(pointer);
  expect(pointers).not.toContain(absent);
  expect([explanation.verdict, archive]).toEqual([null, undefined]);
  const unseen = await judge(base({ ...change, error: { name: 'NotAllowedError', message: 'No.' } }));
  expect(unseen.explanation.advice.map((advice) => advice.pointer)).not.toContain('/allow');
});

test('the archive has the options when they came, the response as it was sent, and whether there were cookies', async () => {
  const { judge, register } = openSite();
  const registration = await register({ origin: 'https://frame.example' });
  const asked = { url: `${ORIGIN}/begin`, at: NOW - 10, sendsCookie: true, setsCookie: false };
  const { archive } = await judge({ ...registration, asked });
  const [begun, finished] = entriesOf(archive);
  expect(begun).toStrictEqual({
    startedDateTime: '2026-01-15T11:59:59.990Z',
    request: {
      method: 'POST',
      url: `${ORIGIN}/finish`,
      headers: [
        { name: 'origin', value: ORIGIN },
        { name: 'cookie', value: '…' },
      ],
    },
    response: { status: 200, headers: [], content: { text: JSON.stringify(CREATION) } },
  });
  expect(finished).toStrictEqual({
    startedDateTime: '2026-01-15T12:00:00.050Z',
    request: {
      method: 'PUT',
      url: `${ORIGIN}/finish`,
      headers: [{ name: 'origin', value: ORIGIN }],
      postData: { text: JSON.stringify(registration.response) },
    },
    response: { status: 200, headers: [], content: { text: '{"verified":true}' } },
  });
  const other = await judge({ ...(await register()), asked: { url: ORIGIN, at: undefined, sendsCookie: false, setsCookie: true } });
  expect(entriesOf(other.archive)[0]).toMatchObject({
    startedDateTime: '2026-01-15T12:00:00.002Z',
    request: { headers: [{ name: 'origin' }] },
    response: { headers: [{ name: 'set-cookie', value: '…' }] },
  });
});

test('a response that no server got is in the archive at the time of the call, without an answer', async () => {
  const { judge, register } = openSite();
  const { archive } = await judge({ ...(await register()), exchange: undefined });
  expect(entriesOf(archive)[1]).toMatchObject({
    startedDateTime: '2026-01-15T12:00:00.001Z',
    request: { method: 'POST', url: ORIGIN },
    response: { status: 0 },
  });
});

test('a response that was sent as text in text stays so', async () => {
  const { judge, register } = openSite();
  const registration = await register();
  const twice = JSON.stringify(JSON.stringify(registration.response));
  const exchange = registration.exchange && { ...registration.exchange, sent: twice };
  const { archive } = await judge({ ...registration, exchange });
  expect(entriesOf(archive)[1]).toMatchObject({ request: { postData: { text: twice } } });
});

test('a call that was not answered is explained by the registrations of its own origin', async () => {
  const { judge, base, register } = openSite();
  const registration = await register();
  await judge(registration);
  const call = { options: { ...REQUEST, allowCredentials: [{ type: 'public-key', id: registration.response?.['id'] }] } };
  const error = { name: 'NotAllowedError', message: 'No.' };
  const [own, other] = [await judge(base({ ...call, error })), await judge(base({ ...call, error, origin: 'https://other.example.org' }))];
  expect(own.explanation).toMatchObject({ verdict: null });
  expect(own.explanation.headline).not.toEqual(other.explanation.headline);
});

test('a ceremony is recorded as a fixture of its kind, a login after its registration', async () => {
  const { judge, register, login, base } = openSite();
  const registration = await register();
  const call = await login(registration);
  const tool = { tool: 'passkey browse', version: '0.1.0' } as const;
  const record = async (ceremony: SiteCeremony) => await recordCeremony({ ...ceremony, ...(await judge(ceremony)) }, { tool, now: NOW });
  expect(await record(registration)).toMatchObject({
    fixture: { kind: 'registration', response: { id: registration.response?.['id'] } },
  });
  expect(await record(call)).toMatchObject({ fixture: { kind: 'authentication', response: { id: registration.response?.['id'] } } });
  expect(await record(base({ error: { name: 'NotAllowedError', message: 'No.' } }))).toEqual({ reason: 'The ceremony got no response.' });
});

test('a login with a passkey that was not seen has no fixture, and the reason', async () => {
  const { judge, register, login } = openSite();
  const ceremony = await login(await register());
  const tool = { tool: 'passkey browse', version: '0.1.0' } as const;
  const recorded = await recordCeremony({ ...ceremony, ...(await judge(ceremony)) }, { tool, now: NOW });
  expect(recorded).toEqual({ reason: expect.stringContaining('registration') });
});
