import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { newPasskey, START } from '../../contract/samples.js';
import { quick, share } from '../../thorough.js';
import { lookTogether, OWN_ORIGIN, Service } from '../app.js';

const FIDO = { settings: { fidoApi: true } };
const ANONYMOUS = { token: null };

/** A caller of the FIDO server API: keeps cookies, answers with an authenticator of its own. */
async function caller(policy = {}) {
  const service = await Service.start({ ...FIDO, policy });
  const authenticator = createAuthenticator({ attestation: 'packed' });
  const client = createClient({ authenticator, origin: OWN_ORIGIN });
  let cookie = '';
  const post = async (url: string, body: unknown) => {
    const reply = await service.post(url, body, { ...ANONYMOUS, headers: cookie === '' ? {} : { cookie } });
    const [set] = reply.cookies;
    if (set) cookie = `${set.name}=${set.value}`;
    return reply;
  };
  const creation = async (more = {}) =>
    (await post('/attestation/options', { username: 'johndoe@example.com', displayName: 'John Doe', ...more })).json();
  const attest = async (more = {}) => await client.create({ publicKey: await creation(more) });
  const request = async (more = {}) => (await post('/assertion/options', { username: 'johndoe@example.com', ...more })).json();
  return {
    service,
    post,
    creation,
    attest,
    request,
    assert: async (more = {}) => await client.get({ publicKey: await request(more) }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const OK = { status: 'ok', errorMessage: '' };

describe('the FIDO server API', () => {
  quick('registers and authenticates, answering as the conformance documents describe', async () => {
    await using fido = await caller();
    const result = await fido.post('/attestation/result', { ...(await fido.attest()), getClientExtensionResults: {} });
    expect([result.statusCode, result.json()]).toEqual([200, OK]);
    const asserted = await fido.post('/assertion/result', await fido.assert());
    expect([asserted.statusCode, asserted.json()]).toEqual([200, OK]);
  });

  quick('the options carry what was asked for', async () => {
    await using fido = await caller();
    const authenticatorSelection = { requireResidentKey: false, authenticatorAttachment: 'cross-platform', userVerification: 'required' };
    const extensions = { 'example.extension': true };
    expect(await fido.creation({ attestation: 'direct', authenticatorSelection, extensions })).toMatchObject({
      ...OK,
      rp: { name: 'passkey', id: 'localhost' },
      user: { name: 'johndoe@example.com', displayName: 'John Doe' },
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
      ],
      attestation: 'direct',
      authenticatorSelection,
      extensions,
      excludeCredentials: [],
    });
    const { id } = await fido.attest().then(async (response) => {
      await fido.post('/attestation/result', response);
      return response;
    });
    expect((await fido.creation()).excludeCredentials).toMatchObject([{ type: 'public-key', id }]);
    expect(await fido.request({ userVerification: 'required', extensions })).toMatchObject({
      ...OK,
      rpId: 'localhost',
      userVerification: 'required',
      extensions,
      allowCredentials: [{ type: 'public-key', id }],
    });
  });

  quick('attestation is none and verification preferred where the caller says nothing', async () => {
    await using fido = await caller();
    expect(await fido.creation()).toMatchObject({ attestation: 'none', authenticatorSelection: { userVerification: 'preferred' } });
  });

  quick.each([
    ['username missing', '/attestation/options', { displayName: 'John' }, 422, 'validation_failed: /username is missing.'],
    ['displayName missing', '/attestation/options', { username: 'john' }, 422, 'validation_failed: /displayName is missing.'],
    [
      'an unknown requirement',
      '/attestation/options',
      { username: 'john', displayName: 'John', authenticatorSelection: { userVerification: 'maybe' } },
      422,
      'validation_failed: /authenticatorSelection/userVerification must be one of ["required","preferred","discouraged"].',
    ],
    [
      'an unknown conveyance',
      '/attestation/options',
      { username: 'john', displayName: 'John', attestation: 'maybe' },
      422,
      'validation_failed: /attestation must be one of ["none","indirect","direct","enterprise"].',
    ],
    ['nobody known', '/assertion/options', { username: 'nobody' }, 404, /^passkey_not_found: .*"nobody" has none/],
    ['a response that is none', '/attestation/result', {}, 422, /validation_failed: .*\/response is missing/],
    ['an assertion that is none', '/assertion/result', { id: 'AAAA' }, 422, /validation_failed/],
  ])('%s: status failed and why', async (_what, url, body, status, message) => {
    await using fido = await caller();
    const reply = await fido.post(url, body);
    expect([reply.statusCode, reply.json()]).toEqual([
      status,
      { status: 'failed', errorMessage: typeof message === 'string' ? message : expect.stringMatching(message) },
    ]);
  });

  quick('the bodies of the documents’ examples are enough: no rawId, and an empty user handle for none', async () => {
    await using fido = await caller();
    const { id, type, response } = await fido.attest();
    const { clientDataJSON, attestationObject } = response;
    const registered = await fido.post('/attestation/result', { id, response: { clientDataJSON, attestationObject }, type });
    expect([registered.statusCode, registered.json()]).toEqual([200, OK]);
    const { authenticatorData, signature, clientDataJSON: requested } = (await fido.assert()).response;
    const body = { id, response: { authenticatorData, signature, userHandle: '', clientDataJSON: requested }, type };
    const asserted = await fido.post('/assertion/result', body);
    expect([asserted.statusCode, asserted.json()]).toEqual([200, OK]);
  });

  const WRONG_ENVELOPES: [string, Record<string, unknown>, RegExp][] = [
    ['id missing', { id: undefined }, /\/id is missing/],
    ['id a number', { id: 7 }, /\/id must be a string/],
    ['id in base64', { id: 'AAAA==' }, /\/id has to match the pattern/],
    ['rawId of another credential', { rawId: 'AAAA' }, /rawId/],
    ['type missing', { type: undefined }, /\/type is missing/],
    ['type a number', { type: 7 }, /\/type must be "public-key"/],
    ['type another', { type: 'password' }, /\/type must be "public-key"/],
    ['response missing', { response: undefined }, /\/response is missing/],
    ['response a text', { response: 'AAAA' }, /\/response must be an object/],
  ];
  const wrongTexts = (member: string): [string, Record<string, unknown>, RegExp][] => [
    [`${member} missing`, { [member]: undefined }, new RegExp(`/response/${member} is missing`)],
    [`${member} an object`, { [member]: {} }, new RegExp(`/response/${member} must be a string`)],
    [`${member} empty`, { [member]: '' }, new RegExp(`/response/${member} has to match the pattern`)],
    [`${member} in base64`, { [member]: 'AA+/' }, new RegExp(`/response/${member} has to match the pattern`)],
  ];

  test.each(share(WRONG_ENVELOPES, 4))('attestation, %s: refused', async (_what, change, message) => {
    await using fido = await caller();
    const reply = await fido.post('/attestation/result', { ...(await fido.attest()), ...change });
    expect([reply.statusCode, reply.json()]).toEqual([422, { status: 'failed', errorMessage: expect.stringMatching(message) }]);
  });

  test.each(share([...wrongTexts('clientDataJSON'), ...wrongTexts('attestationObject')], 4))(
    'attestation, %s: refused',
    async (_, change, message) => {
      await using fido = await caller();
      const response = await fido.attest();
      const reply = await fido.post('/attestation/result', { ...response, response: { ...response.response, ...change } });
      expect([reply.statusCode, reply.json()]).toEqual([422, { status: 'failed', errorMessage: expect.stringMatching(message) }]);
    },
  );

  test.each(share(WRONG_ENVELOPES, 4))('assertion, %s: refused', async (_what, change, message) => {
    await using fido = await caller();
    await fido.post('/attestation/result', await fido.attest());
    const reply = await fido.post('/assertion/result', { ...(await fido.assert()), ...change });
    expect([reply.statusCode, reply.json()]).toEqual([422, { status: 'failed', errorMessage: expect.stringMatching(message) }]);
  });

  quick.each([
    ...['clientDataJSON', 'authenticatorData', 'signature'].flatMap(wrongTexts),
    ['userHandle a number', { userHandle: 7 }, /\/response\/userHandle must be a string or null/] as const,
    ['userHandle in base64', { userHandle: 'MQ==' }, /\/response\/userHandle has to match the pattern/] as const,
  ])('assertion, %s: refused', async (_what, change, message) => {
    await using fido = await caller();
    await fido.post('/attestation/result', await fido.attest());
    const assertion = await fido.assert();
    const reply = await fido.post('/assertion/result', { ...assertion, response: { ...assertion.response, ...change } });
    expect([reply.statusCode, reply.json()]).toEqual([422, { status: 'failed', errorMessage: expect.stringMatching(message) }]);
  });

  quick('a registration needs the cookie of its options', async () => {
    await using fido = await caller();
    const response = await fido.attest();
    const reply = await fido.service.post('/attestation/result', response, ANONYMOUS);
    expect([reply.statusCode, reply.json().errorMessage]).toEqual([422, expect.stringMatching(/^challenge_unknown: .*cookie/)]);
  });

  quick('another user’s cookie does not take over a registration', async () => {
    await using fido = await caller();
    const response = await fido.attest();
    await fido.creation({ username: 'mallory' });
    const reply = await fido.post('/attestation/result', response);
    expect(reply.json().errorMessage).toMatch(/^challenge_unknown/);
  });

  quick('a bad signature and a used challenge fail with 4xx and the reason', async () => {
    await using fido = await caller();
    await fido.post('/attestation/result', await fido.attest());
    const good = await fido.assert();
    const forged = { ...good, response: { ...good.response, signature: `AA${good.response.signature.slice(2)}` } };
    const refused = await fido.post('/assertion/result', forged);
    expect([refused.statusCode, refused.json().errorMessage]).toEqual([422, expect.stringMatching(/^signature_invalid: /)]);
    expect((await fido.post('/assertion/result', good)).json().errorMessage).toMatch(/^challenge_used: /);
  });

  quick('user names tell upper from lower case, and the users are apart from all others', async () => {
    await using fido = await caller();
    const names = ['john', 'John', 'jöhn', 'johndoe@example.com', 'x'.repeat(255)];
    const handles = [];
    for (const username of names) handles.push((await fido.creation({ username })).user.id);
    expect(new Set(handles).size).toBe(names.length);
    const owners = await fido.service.accounts.listOwners();
    expect(owners.map(({ type }) => type)).toEqual(['FIDO', 'FIDO', 'FIDO', 'FIDO', 'FIDO', 'User']);
  });

  quick.each([
    ['without --fido-api', {}],
    ['in production mode', { settings: { fidoApi: true, mode: 'production' as const } }],
  ])('is not there %s', async (_what, options) => {
    await using service = await Service.start(options);
    const reply = await service.post('/attestation/options', { username: 'a', displayName: 'A' }, ANONYMOUS);
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'route_not_found']);
  });

  quick('a new user name that many ask with at once is one user', async () => {
    await using service = await Service.start({ ...FIDO, store: lookTogether(5) });
    const body = { username: 'new', displayName: 'New' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => service.post('/attestation/options', body, ANONYMOUS)));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200));
    expect(new Set(replies.map((reply) => reply.json().user.id)).size).toBe(1);
  });

  quick('its users get random user handles, and its cookie bears the port, as those of development do', async () => {
    await using fido = await caller();
    const reply = await fido.post('/attestation/options', { username: 'john', displayName: 'John' });
    expect(decodeBase64url(reply.json().user.id)).toHaveLength(32);
    expect(reply.cookies).toMatchObject([{ name: 'passkey_fido_user_7277' }]);
  });

  quick('of more than 64 passkeys lists the 64 used last, as browsers refuse more', async () => {
    await using fido = await caller();
    await fido.creation();
    const [owner] = await fido.service.accounts.listOwners({ type: 'FIDO' });
    if (owner === undefined) throw new Error('no owner');
    const ids = [];
    for (let age = 0; age < 70; age += 1) {
      const { credential } = await fido.service.store.insertPasskey(newPasskey({ owner, rpId: 'localhost', createdAt: START - age }));
      ids.push(encodeBase64url(credential.id));
    }
    const lists = [(await fido.creation()).excludeCredentials, (await fido.request()).allowCredentials];
    for (const list of lists) expect(list.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 64));
  });

  quick('it is not part of the OpenAPI document', async () => {
    await using service = await Service.start(FIDO);
    const { paths } = (await service.inject({ method: 'GET', url: '/openapi.json' })).json();
    expect(Object.keys(paths).filter((path) => /^\/(at|as)/.test(path))).toEqual([]);
  });
});
