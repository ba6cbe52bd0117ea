import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { createSignInKey } from '../../../src/server/development-key.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { APP_ORIGIN, APP_URL, OWN_ORIGIN, Service } from '../app.js';
import { test } from '../service-test.js';
import { detail, list } from './read.js';

/** The list, and the details of each entry. */
async function everything(service: Service, headers: Record<string, string> = {}): Promise<string> {
  const entries = await list(service, headers);
  const details = await Promise.all(entries.map(({ id }) => service.inject({ url: `/dev/stream/${id}`, headers })));
  return [JSON.stringify(entries), ...details.map(({ body }) => body)].join('\n');
}

const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64');
const escaped = (text: string) => [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const clientData = (challenge: string) => `{"type":"webauthn.get","challenge":"${challenge}","origin":"${APP_ORIGIN}","crossOrigin":false}`;

/** Responses that name a challenge, and that the relying party does not come to take: it stays open. */
const NAMING: readonly [name: string, of: (challenge: string) => object][] = [
  ['as it is', (challenge) => ({ clientDataJSON: clientData(challenge) })],
  ['in the other alphabet', (challenge) => ({ clientDataJSON: clientData(standard(challenge)) })],
  ['in escapes', (challenge) => ({ clientDataJSON: clientData(escaped(challenge)) })],
  ['within a longer word', (challenge) => ({ clientDataJSON: `{"type":"x${challenge}y"}` })],
  ['in another alphabet in what is no JSON', (challenge) => ({ clientDataJSON: `{"challenge":"${standard(challenge)}` })],
  ['as another member', (challenge) => ({ clientDataJSON: '{}', userHandle: challenge })],
  ['as another member, in the other alphabet', (challenge) => ({ clientDataJSON: clientData('AAAA'), signature: standard(challenge) })],
];

describe.each([
  ['while it is listed', false],
  ['when the stream has been emptied meanwhile', true],
])('a challenge that is still good, %s', (_, empties) => {
  test.each(NAMING)('is nowhere when a response names it %s', async (_name, make) => {
    await using service = await Service.start();
    // One whose spellings differ in every alphabet.
    let challenge = '';
    while (!/[-_]/.test(challenge.slice(0, 22))) {
      challenge = (await service.post('/api/passkeys/login/options', {}, { token: null })).json().challenge;
    }
    if (empties) await service.inject({ method: 'DELETE', url: '/dev/stream' });
    const made = Object.entries(make(challenge)).map(([name, value]) => [
      name,
      name === 'clientDataJSON' ? Buffer.from(String(value)).toString('base64url') : String(value),
    ]);
    const members: Record<string, string> = Object.fromEntries(made);
    const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
    const whole = { authenticatorData: 'AAAA', signature: 'AAAA', ...members };
    for (const response of [whole, members]) {
      await service.post('/api/passkeys/login', { ...credential, response }, { token: null });
    }
    const text = await everything(service);
    // Client data are kept as their bytes.
    const { clientDataJSON = '' } = members;
    if (clientDataJSON.length > 30 && !('signature' in members)) expect(text).not.toContain(clientDataJSON);
    expect(text).not.toContain(challenge);
    expect(text).not.toContain(standard(challenge));
  });
});

test('contents and key material are not kept: neither what is to be stored nor what came out', async () => {
  await using service = await Service.start();
  const [blob, credBlob, output, token] = [1, 2, 3, 4].map(() => randomBytes(32).toString('base64url'));
  const options = { extensions: { largeBlob: { support: 'preferred' }, credBlob, prf: {} } };
  const creation = (await service.post('/dev/register/options', { options })).json();
  expect(creation.extensions.credBlob).toBe(credBlob);
  const client = createClient({ authenticator: createAuthenticator(), origin: OWN_ORIGIN });
  const created = await client.create({ publicKey: { ...creation, extensions: {} } });
  const outputs = { prf: { enabled: true, results: { first: output } }, largeBlob: { supported: true } };
  await service.post('/api/passkeys/register', { ...created, token, clientExtensionResults: outputs });
  const request = (await service.post('/dev/login/options', { options: { extensions: { largeBlob: { write: blob } } } })).json();
  expect(request.extensions.largeBlob.write).toBe(blob);
  const got = await client.get({ publicKey: { ...request, extensions: {} } });
  const read = { largeBlob: { blob, written: true }, prf: { results: { first: output } }, hmacGetSecret: { output1: output } };
  await service.post('/api/passkeys/login', { ...got, token, clientExtensionResults: read }, { token: null });
  expect((await list(service)).map(({ state, changed_options: names }) => [state, names])).toEqual([
    ['verified', ['extensions.largeBlob']],
    ['verified', ['extensions.largeBlob', 'extensions.credBlob', 'extensions.prf']],
  ]);
  const text = await everything(service);
  for (const secret of [blob, credBlob, output, token]) expect(text).not.toContain(secret);
});

test('tokens, cookies, keys and what a login answers are not kept', async () => {
  const { key, signInKey } = createSignInKey(new Uint8Array(randomBytes(32)));
  const issued = 'own-token-of-the-application';
  const run = () => ({ token: issued, expiring_token: `${issued}-2` });
  const authAction = { name: 'action.js', run };
  await using service = await Service.start({ settings: { devSignIn: signInKey, authAction } });
  const { credentialId } = await service.register();
  const login = await service.login(credentialId);
  expect(login.body).toContain(issued);
  const signIn = { email: 'ada@example.com', key };
  const signedIn = await service.post('/dev/session', signIn, { token: null, headers: { origin: OWN_ORIGIN, 'x-passkey-key': key } });
  const cookies = [login, signedIn].flatMap((reply) => reply.cookies.map(({ value }) => value));
  const wrong = `pk_${randomBytes(32).toString('base64url')}`;
  const body = { app_name: 'App', app_url: APP_URL, token: wrong };
  await service.post('/api/passkeys/register/options', body, { token: wrong, headers: { cookie: `passkey_session=${wrong}` } });
  await service.inject({ url: `/api/nothing?key=${key}&token=${wrong}` });
  await service.inject({ url: `/api/passkeys/${wrong}`, headers: { authorization: `Bearer ${wrong}` } });
  await service.post(`/api/${wrong}`, {}, { token: wrong });
  const text = await everything(service, { authorization: `Bearer ${service.token}` });
  for (const secret of [service.token, issued, key, wrong, ...cookies]) expect(text).not.toContain(secret);
});

test('private keys of software authenticators are not kept', async () => {
  await using service = await Service.start();
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const answer = (await service.post('/dev/answer', { options, origin: APP_ORIGIN, persona: 'windows-hello' }, { token: null })).json();
  await service.post('/api/passkeys/register', answer.response);
  expect(await list(service)).toMatchObject([{ state: 'verified', software: { persona: 'windows-hello' } }]);
  const text = await everything(service);
  expect(text).not.toMatch(/private|"d":|PRIVATE KEY/i);
});

test("another user's token sees nothing of a ceremony that both had a part in", async () => {
  await using service = await Service.start({ settings: { devSignIn: 'off' } });
  const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
  const { token } = await service.accounts.createToken({ owner: eve });
  const { credentialId } = await service.register({ label: "Ada's phone" });
  // Ada's response to Eve's ceremony, and Eve's to Ada's.
  const hers = await service.attest(token);
  await service.post('/api/passkeys/register', hers, { token: service.token });
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const other = createClient({ authenticator: createAuthenticator(), origin: APP_ORIGIN });
  await service.post('/api/passkeys/register', await other.create({ publicKey: options }), { token });
  await service.login(credentialId);
  const seen = await list(service, { authorization: `Bearer ${token}` });
  expect(seen.length).toBeGreaterThan(0);
  for (const { owner, user } of seen) expect([owner, user]).toEqual(['User:2', 'eve@example.com']);
  const details = await Promise.all(
    seen.map(({ id }) => service.inject({ url: `/dev/stream/${id}`, headers: { authorization: `Bearer ${token}` } })),
  );
  const text = [JSON.stringify(seen), ...details.map(({ body }) => body)].join('\n');
  for (const secret of ['ada@example.com', "Ada's phone", credentialId]) expect(text).not.toContain(secret);
});

test('an entry that is open has no challenge, one that is over has', async ({ service }) => {
  const { challenge } = (await service.post('/api/passkeys/login/options', {}, { token: null })).json();
  const [open] = await list(service);
  expect(JSON.stringify(await detail(service, open?.id))).not.toContain(challenge);
  service.clock.now += 600_000;
  expect((await detail(service, open?.id)).options).toMatchObject({ challenge });
});

const SECRET = encodeBase64url(new Uint8Array(32).fill(0xa5));

test('no token, cookie, open challenge or secret output of an extension is in the list or its details', async () => {
  await using service = await Service.start({ settings: { fidoApi: true } });
  const secrets = [service.token, SECRET];
  const { credentialId } = await service.register();
  const login = await service.post('/api/passkeys/login', await service.assert(credentialId), {
    token: null,
    headers: { cookie: `passkey_session=${SECRET}`, 'x-passkey-page': '1' },
  });
  secrets.push(login.json().token, ...login.cookies.map(({ value }) => value));
  const assertion = await service.assert(credentialId);
  const results = {
    prf: { enabled: true, results: { first: SECRET } },
    largeBlob: { blob: SECRET },
    hmacGetSecret: { output1: SECRET },
    unknown: SECRET,
  };
  await service.post('/api/passkeys/verify', { ...assertion, token: SECRET, clientExtensionResults: results }, { token: SECRET });
  await service.inject({ url: `/api/session?token=${SECRET}`, headers: { authorization: `Basic ${SECRET}` } });
  await service.post('/dev/sign-in', { email: 'eve@example.com' }, { token: null });
  const open = [
    (await service.post('/api/passkeys/login/options', {}, { token: null })).json().challenge,
    (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json().challenge,
    (await service.post('/attestation/options', { username: 'ada', displayName: 'Ada' }, { token: null })).json().challenge,
  ];
  // Refused before the relying party took it, so still good.
  const unspent = await service.assert(credentialId);
  await service.post('/api/passkeys/login', { ...unspent, id: SECRET, rawId: SECRET }, { token: null });
  open.push(JSON.parse(Buffer.from(unspent.response.clientDataJSON, 'base64url').toString()).challenge);
  const entries = await list(service);
  const details = await Promise.all(entries.map(({ id }) => detail(service, id)));
  const told = JSON.stringify([entries, details]);
  const inside = [...told.matchAll(/clientDataJSON\\*":\\*"([\w-]+)/g)].map(([, text = '']) => Buffer.from(text, 'base64url').toString());
  expect(inside.length).toBeGreaterThan(3);
  expect(entries.length).toBeGreaterThan(6);
  for (const secret of [...secrets, ...open].filter((each) => typeof each === 'string' && each !== '')) {
    expect([secret, told.includes(secret), inside.some((text) => text.includes(secret))]).toEqual([secret, false, false]);
  }
});
