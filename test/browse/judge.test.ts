import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { SiteCeremony } from '../../src/browse/ceremony.js';
import { carries, createJudge, findCredential } from '../../src/browse/judge.js';
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
  // The second login with a passkey is not judged by the first.
  for (const registration of [first, second, first]) {
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

test.each([undefined, 7])('the steps are open for what a page does not say: challenge %s', async (challenge) => {
  const { judge, register } = openSite();
  const { challenge: _, ...rest } = CREATION;
  const options = challenge === undefined ? rest : { ...rest, challenge };
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

const ENTRY = {
  startedDateTime: '2026-01-15T11:59:59.990Z',
  request: { method: 'POST', url: `${ORIGIN}/finish`, headers: [{ name: 'origin', value: ORIGIN }] },
  response: { status: 200, headers: [], content: { text: JSON.stringify(CREATION) } },
};

test('the archive has the options when they came, and the response as it was sent', async () => {
  const { judge, register } = openSite();
  const registration = await register({ origin: 'https://frame.example' });
  const { archive, explanation } = await judge({ ...registration, asked: { url: `${ORIGIN}/begin`, at: NOW - 10 } });
  expect(archive).toStrictEqual({
    log: {
      creator: { name: 'passkey browse' },
      entries: [
        ENTRY,
        {
          startedDateTime: '2026-01-15T12:00:00.050Z',
          request: {
            method: 'PUT',
            url: `${ORIGIN}/finish`,
            headers: [{ name: 'origin', value: ORIGIN }],
            postData: { text: JSON.stringify(registration.response) },
          },
          response: { status: 200, headers: [], content: { text: '{"verified":true}' } },
        },
      ],
    },
  });
  expect(explanation).toMatchObject({
    source: ORIGIN,
    name: `registration, ${ORIGIN}/finish`,
    input: { kind: 'har', encodings: ['JSON'] },
    tree: null,
    error: null,
  });
});

const COOKIE = { name: 'cookie', value: '…' };

test.each<[string, Pick<Exchange, 'sendsCookie' | 'setsCookie'>, JsonObject[], JsonObject[]]>([
  ['were sent', { sendsCookie: true, setsCookie: false }, [COOKIE], []],
  ['were set', { sendsCookie: false, setsCookie: true }, [], [{ ...COOKIE, name: 'set-cookie' }]],
  ['were sent, and the rest is not known', { sendsCookie: true }, [COOKIE], []],
  ['are not known', {}, [], []],
])('the archive says that cookies %s', async (_, cookies, sent, set) => {
  const { judge, register } = openSite();
  const { archive } = await judge({ ...(await register()), asked: { url: ORIGIN, at: undefined, ...cookies } });
  expect(entriesOf(archive)[0]).toStrictEqual({
    startedDateTime: '2026-01-15T12:00:00.001Z',
    request: { ...ENTRY.request, headers: [...ENTRY.request.headers, ...sent] },
    response: { ...ENTRY.response, headers: set },
  });
});

test('a response that no server got is in the archive at the time of the call, without an answer', async () => {
  const { judge, register } = openSite();
  const registration = await register();
  const { archive } = await judge({ ...registration, exchange: undefined });
  expect(entriesOf(archive)).toStrictEqual([
    { ...ENTRY, startedDateTime: '2026-01-15T12:00:00.001Z', request: { ...ENTRY.request, url: ORIGIN } },
    {
      startedDateTime: '2026-01-15T12:00:00.001Z',
      request: { ...ENTRY.request, url: ORIGIN, postData: { text: JSON.stringify(registration.response) } },
      response: { status: 0, headers: [] },
    },
  ]);
});

test.each<[string, (response: JsonObject | undefined) => string | undefined, boolean]>([
  ['as text in text', (response) => JSON.stringify(JSON.stringify(response)), true],
  ['without its bytes', (response) => JSON.stringify({ ...response, response: { clientDataJSON: {}, attestationObject: {} } }), true],
  ['in a form', (response) => `data=${encodeURIComponent(JSON.stringify(response))}`, false],
  ['in another way', () => '{"other":1}', false],
  ['unseen', () => undefined, false],
])('of a response that was sent %s, the archive has what explains it', async (_, write, isKept) => {
  const { judge, register } = openSite();
  const registration = await register();
  const sent = write(registration.response);
  const { archive } = await judge({ ...registration, exchange: registration.exchange && { ...registration.exchange, sent } });
  const text = isKept ? sent : JSON.stringify(registration.response);
  expect(entriesOf(archive)[1]).toMatchObject({ request: { postData: { text } } });
});

test.each<[string, string, JsonObject | undefined, boolean]>([
  ['both parts', '{"a":"eyJ9","b":"o2M"}', { clientDataJSON: 'eyJ9', attestationObject: 'o2M' }, true],
  ['only one part of two', '{"a":"eyJ9"}', { clientDataJSON: 'eyJ9', attestationObject: 'o2M' }, false],
  [
    'the attestation, which has no signature',
    '{"a":"eyJ9","b":"o2M"}',
    { clientDataJSON: 'eyJ9', attestationObject: 'o2M', signature: 'MEU' },
    true,
  ],
  ['the signature', '{"a":"eyJ9","b":"MEU"}', { clientDataJSON: 'eyJ9', signature: 'MEU' }, true],
  ['not the signature', '{"a":"eyJ9","b":"MEU"}', { clientDataJSON: 'eyJ9', signature: 'MEV' }, false],
  ['the only part that there is', '{"a":"eyJ9"}', { clientDataJSON: 'eyJ9', attestationObject: 7 }, true],
])('a body with %s carries the response: %#', (_, body, response, isCarried) => {
  expect(carries(body, { response })).toBe(isCarried);
  expect(carries(body, undefined)).toBe(false);
});

test('finds the credential that a request sends, not one that it receives', () => {
  const text = JSON.stringify({ id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA' } });
  const exchange = { at: NOW, method: 'POST', url: ORIGIN, origin: ORIGIN, status: 200 };
  expect(findCredential({ ...exchange, sent: text, received: JSON.stringify(CREATION) })?.json).toMatchObject({ id: 'AA' });
  expect(findCredential({ ...exchange, sent: JSON.stringify(CREATION), received: text })).toBeUndefined();
});

test('a call that was not answered is explained by the registrations of its own origin', async () => {
  const { judge, base, register } = openSite();
  const registration = await register();
  await judge(registration);
  const call = { options: { ...REQUEST, allowCredentials: [{ type: 'public-key', id: registration.response?.['id'] }] } };
  const error = { name: 'NotAllowedError', message: 'No.' };
  const own = await judge(base({ ...call, error }));
  const other = await judge(base({ ...call, error, origin: 'https://other.example.org' }));
  expect(own.explanation).toMatchObject({ verdict: null, input: { kind: 'har' } });
  expect(own.explanation.headline).not.toEqual(other.explanation.headline);
});

test('a call of which the recording says nothing is explained by its options', async () => {
  const { judge, base } = openSite();
  const error = { name: 'NotAllowedError', message: 'No.' };
  const { explanation } = await judge(base({ error }));
  expect(explanation).toMatchObject({ source: ORIGIN, verdict: null, headline: null, input: { kind: 'request-options' }, tree: null });
});

const tool = { tool: 'passkey browse', version: '0.1.0' } as const;

test('a ceremony is recorded as a fixture of its kind, a login after its registration', async () => {
  const { judge, register, login, base } = openSite();
  const registration = await register();
  const call = await login(registration);
  const record = async (ceremony: SiteCeremony) =>
    await recordCeremony({ ...ceremony, ...(await judge(ceremony)) }, { tool, now: NOW + 99 });
  const fixture = { format: 'passkey-fixture', origin: ORIGIN, provenance: { ...tool, recordedAt: '2026-01-15T12:00:00.050Z' } };
  expect(await record(registration)).toMatchObject({
    fixture: { ...fixture, name: 'example.org-registration', kind: 'registration', response: { id: registration.response?.['id'] } },
  });
  expect(await record(call)).toMatchObject({
    fixture: { ...fixture, name: 'example.org-authentication', kind: 'authentication', response: { id: registration.response?.['id'] } },
  });
  expect(await record(base({ error: { name: 'NotAllowedError', message: 'No.' } }))).toEqual({ reason: 'The ceremony got no response.' });
});

test('what makes no fixture has a reason', async () => {
  const { judge, register, login } = openSite();
  const registration = await register();
  const ceremony = await login(registration);
  const ended = { ...ceremony, ...(await judge(ceremony)) };
  expect(await recordCeremony(ended, { tool, now: NOW })).toEqual({ reason: expect.stringContaining('registration') });
  // The archive of a login that has no login.
  const { archive } = await judge(registration);
  expect(await recordCeremony({ ...ended, archive }, { tool, now: NOW })).toEqual({
    reason: 'The same ceremony was recorded before.',
  });
});
