import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RS1, RS256 } from '../../src/authenticator/attestation/attestation-key.js';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import { compoundAttestation } from '../../src/authenticator/attestation/compound.js';
import { ATTESTATION_NAMES } from '../../src/authenticator/attestation/named-formats.js';
import { packedAttestation, packedSelfAttestation } from '../../src/authenticator/attestation/packed.js';
import { tpmAttestation } from '../../src/authenticator/attestation/tpm.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { createClient } from '../../src/client/client.js';
import { quickKeys } from '../authenticator/requests.js';
import { ALGORITHMS } from './cose.js';
import { type Answer, bearer, type Json, post, send } from './exchange.js';
import { createIndependentParty, type IndependentParty } from './server.js';
import { startIndependentServer } from './start.js';

const ORIGIN = 'https://login.example.com';
const APP = { app_name: 'Example', app_url: `${ORIGIN}/account` };
const authority = createAttestationAuthority();
const roots = [new X509Certificate(authority.root)];

type Options = Parameters<ReturnType<typeof createClient>['create']>[0]['publicKey'];

/** One software authenticator in a browser at a correct party. */
function meet(traits: AuthenticatorOptions = {}, party: IndependentParty = createIndependentParty({ roots })) {
  const authenticator = createAuthenticator({ newPrivateKey: quickKeys, ...traits });
  const client = createClient({ authenticator, origin: ORIGIN });
  return {
    party,
    async register(asked: Json = {}, user: 0 | 1 = 0): Promise<Answer> {
      const token = bearer(party.tokens[user]);
      const options = await post(party, '/api/passkeys/register/options', { ...APP, ...asked }, token);
      expect(options).toMatchObject({ status: 200 });
      const created = await client.create({ publicKey: toOptions(options.json) });
      return await post(party, '/api/passkeys/register', created, token);
    },
    async signIn(path: 'login' | 'verify', asked: Json = {}): Promise<Answer> {
      const options = await post(party, `/api/passkeys/${path === 'login' ? 'login' : 'verify'}/options`, { ...APP, ...asked });
      expect(options).toMatchObject({ status: 200 });
      const rpId = new URL(ORIGIN).hostname;
      return await post(party, `/api/passkeys/${path}`, await client.get({ publicKey: { rpId, ...toOptions(options.json) } }));
    },
  };
}

/** The options of a party are checked by the client that takes them. */
function toOptions(json: Json): Options & { challenge: string } {
  return JSON.parse(JSON.stringify(json));
}

const idOf = ({ json }: Answer): Json => ({ credential_id: Object(json['passkey']).credential_id });

describe('the correct party accepts', () => {
  test.each(ALGORITHMS)('algorithm %i', async (algorithm) => {
    const { register, signIn } = meet({ algorithms: [algorithm], signCount: { kind: 'global', start: 1 } });
    const registered = await register({ algorithms: [algorithm] });
    expect(registered).toMatchObject({ status: 200, json: { passkey: { id: 1 } } });
    expect(await signIn('verify', idOf(registered))).toMatchObject({ status: 200, json: { passkeeable_id: 1, passkeeable_type: 'User' } });
    expect(await signIn('login')).toMatchObject({ status: 200, json: { user: { id: 1 } } });
  });

  test.each(ATTESTATION_NAMES.filter((name) => name !== 'none' && name !== 'packed'))('%s, and trusts it', async (attestation) => {
    const { register } = meet({ attestation });
    expect(await register({ attestation: 'direct' })).toMatchObject({ status: 200 });
  });

  test.each([RS256, RS1] as const)('tpm with algorithm %i', async (aikAlgorithm) => {
    const { register } = meet({ attestation: tpmAttestation(authority, { aikAlgorithm }) });
    expect(await register({ attestation: 'direct' })).toMatchObject({ status: 200 });
  });

  test('a compound of which one statement is trusted', async () => {
    const { register } = meet({ attestation: compoundAttestation([packedSelfAttestation, packedAttestation(authority)]) });
    expect(await register({ attestation: 'direct' })).toMatchObject({ status: 200 });
  });

  test.each([...ALGORITHMS])('self attestation of algorithm %i where policy has it', async (algorithm) => {
    const party = createIndependentParty({ roots, policy: { selfAttestation: 'accept' } });
    const { register } = meet({ attestation: 'packed', algorithms: [algorithm] }, party);
    expect(await register({ attestation: 'direct', algorithms: [algorithm] })).toMatchObject({ status: 200 });
  });

  test('over HTTP, with the root of the built command and a session', async () => {
    const server = await startIndependentServer();
    try {
      const call = async (path: string, init: RequestInit = {}) => await fetch(`${server.url}${path}`, init);
      const json = (body: unknown, headers: Json = {}): RequestInit => ({
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      const token = bearer(server.tokens[0]);
      const client = createClient({ authenticator: createAuthenticator({ attestation: 'packed-x5c' }), origin: ORIGIN });
      const options = await call('/api/passkeys/register/options', json({ ...APP, attestation: 'direct' }, token));
      const created = await client.create({ publicKey: toOptions(Object(await options.json())) });
      expect((await call('/api/passkeys/register', json(created, token))).status).toBe(200);
      const request = toOptions(Object(await (await call('/api/passkeys/login/options', json(APP))).json()));
      const login = await call('/api/passkeys/login', json(await client.get({ publicKey: request })));
      expect(login.status).toBe(200);
      const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
      expect(await (await call('/api/session', { headers: { cookie } })).json()).toMatchObject({ user: { id: 1 } });
      expect((await call('/api/session', { method: 'DELETE', headers: { cookie } })).status).toBe(204);
      expect((await call('/api/session', { headers: { cookie } })).status).toBe(401);

      const again = toOptions(Object(await (await call('/api/passkeys/login/options', json(APP))).json()));
      const second = await call('/api/passkeys/login', json(await client.get({ publicKey: again })));
      const other = second.headers.get('set-cookie')?.split(';')[0] ?? '';
      expect((await call('/api/passkeys/1', { method: 'DELETE', headers: { cookie: other } })).status).toBe(204);
      expect((await call('/api/session', { headers: { cookie: other } })).status).toBe(401);
    } finally {
      await server.close();
    }
  });
});

describe('the correct party refuses in its own words', () => {
  test.each(['none', 'packed'] as const)('%s where attestation was asked for', async (attestation) => {
    const { register } = meet({ attestation });
    const answer = await register({ attestation: 'direct' });
    expect(answer).toMatchObject({ status: 400, json: { error: { reason: 'attestation_not_trusted' } } });
  });

  test('attestation by an authority that it does not know', async () => {
    const { register } = meet({
      attestation: 'packed-x5c',
      attestationAuthority: createAttestationAuthority({ seed: 'another' }),
    });
    expect(await register({ attestation: 'direct' })).toMatchObject({ status: 400 });
  });

  test('an app on a foreign IP address, and the API says which methods and credentials it takes', async () => {
    const { party } = meet();
    const token = bearer(party.tokens[0]);
    const onAddress = async (app_url: string) => (await post(party, '/api/passkeys/register/options', { ...APP, app_url }, token)).status;
    expect([await onAddress('http://127.0.0.1:8080'), await onAddress('http://192.0.2.1'), await onAddress('http://[::2]')]).toEqual([
      200, 400, 400,
    ]);
    expect((await send(party, 'PUT', '/api/session')).headers['allow']).toBe('POST, GET, DELETE');
    expect((await send(party, 'GET', '/api/session')).headers['www-authenticate']).toBe('Bearer');
  });

  test.each([
    ['GET', '/api/passkeys', {}, 401],
    ['PUT', '/api/passkeys', {}, 405],
    ['GET', '/elsewhere', {}, 404],
    ['POST', '/api/passkeys/login', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['POST', '/api/passkeys/login', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415],
    ['POST', '/api/passkeys/login', { body: 'x'.repeat(70_000), headers: { 'content-type': 'application/json' } }, 413],
  ])('%s %s with %j', async (method, path, request, status) => {
    const { party } = meet();
    const answer = await send(party, method, path, request);
    expect(answer).toMatchObject({ status, json: { error: {} } });
    expect(Object.keys(Object(answer.json['error']))).toEqual(['reason', 'message']);
  });
});
