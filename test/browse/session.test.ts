import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { Call, EndedCeremony } from '../../src/browse/ceremony.js';
import type { Exchange } from '../../src/browse/network.js';
import { Session } from '../../src/browse/session.js';
import { createClient } from '../../src/client/client.js';
import { asObject, type JsonObject } from '../../src/kernel/json-value.js';

const ORIGIN = 'https://shop.example.org';
const CREATION = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: 'example.org', name: 'Shop' },
  user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
  authenticatorSelection: { residentKey: 'required' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  extensions: { remoteDesktopClientOverride: { origin: ORIGIN, sameOriginWithAncestors: true } },
};

function openSession() {
  const ended: EndedCeremony[] = [];
  const calls: Call[] = [];
  const authenticator = createAuthenticator();
  const session = new Session({
    now: () => Date.UTC(2026, 0, 15),
    onEnded: (ceremony) => void ended.push(ceremony),
    onUnjudged(_ceremony, cause) {
      throw cause;
    },
    async answer(call) {
      calls.push(call);
      const { options, origin, crossOrigin } = call;
      const client = createClient({ authenticator, origin, crossOrigin });
      const publicKey = JSON.parse(JSON.stringify(options));
      const response = call.kind === 'registration' ? await client.create({ publicKey }) : await client.get({ publicKey });
      return { persona: 'plain', tamper: null, response: { ...response } };
    },
  });
  onTestFinished(() => session.close());
  const call = async (name: 'create' | 'get', options: JsonObject): Promise<JsonObject> => {
    const answer = await session.called({ call: name, id: 1, options });
    return 'response' in answer ? answer.response : { ...answer.error };
  };
  return { session, ended, calls, call };
}

const sent = (body: string): Exchange => ({
  at: 0,
  method: 'POST',
  url: `${ORIGIN}/finish`,
  origin: ORIGIN,
  sent: body,
  status: 200,
  received: '{}',
});

/** The way of forms: every member is a field, in base64 instead of base64url. */
function asForm(response: JsonObject): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(asObject(response['response']))) {
    fields.set(name, String(value).replaceAll('-', '+').replaceAll('_', '/'));
  }
  return fields.toString();
}

test('takes what Chromium adds for the proxy out of the options', async () => {
  const { calls, call } = openSession();
  await call('create', CREATION);
  await call('create', { ...CREATION, extensions: { credProps: true, ...CREATION.extensions } });
  expect(calls).toMatchObject([{ origin: ORIGIN, crossOrigin: false }, { options: { extensions: { credProps: true } } }]);
  expect(calls[0]?.options).not.toHaveProperty('extensions');
  expect(Object.keys(asObject(calls[1]?.options['extensions']))).toEqual(['credProps']);
});

test('two tabs with the same options: each request ends the ceremony whose response it carries', async () => {
  const { session, ended, call } = openSession();
  await call('create', CREATION);
  const request = { challenge: CREATION.challenge, rpId: 'example.org', extensions: CREATION.extensions };
  const [first, second] = [await call('get', request), await call('get', request)];
  session.exchanged({ ...sent(JSON.stringify({ data: JSON.stringify(second) })), status: 400 });
  session.exchanged(sent(asForm(first)));
  session.exchanged(sent(asForm(first)));
  await session.close();
  const statuses = ended.map(({ number, exchange }) => [number, exchange?.status]);
  expect(statuses).toEqual([
    [3, 400],
    [2, 200],
    [1, undefined],
  ]);
});

test('the page gets the exception of the client, and the ceremony ends with it', async () => {
  const { session, ended, call } = openSession();
  const error = { name: 'NotAllowedError', message: expect.any(String) };
  expect(await call('get', { challenge: CREATION.challenge, rpId: 'example.org', extensions: CREATION.extensions })).toEqual(error);
  await session.close();
  expect(ended).toMatchObject([{ error, response: undefined, explanation: { verdict: null, advice: expect.any(Array) } }]);
});

test.each([
  [true, false],
  [false, true],
  [undefined, false],
])('sameOriginWithAncestors %s: the call is of a cross-origin frame: %s', async (sameOriginWithAncestors, crossOrigin) => {
  const { calls, call } = openSession();
  await call('create', { ...CREATION, extensions: { remoteDesktopClientOverride: { origin: ORIGIN, sameOriginWithAncestors } } });
  expect(calls).toMatchObject([{ kind: 'registration', origin: ORIGIN, crossOrigin }]);
});
