import type { InjectOptions } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { OWN_ORIGIN, Service } from '../app.js';

/** Asked from afar, with the bearer token of Ada (of the service) or of Eve. */
async function withTwoUsers() {
  const service = await Service.start();
  onTestFinished(() => service.app.close());
  const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
  const { token: eves } = await service.accounts.createToken({ owner: eve });
  const afar = (token: string | undefined, request: InjectOptions) =>
    service.inject({
      remoteAddress: '192.168.1.9',
      ...request,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...request.headers },
    });
  return { service, eves, afar };
}

const post = (url: string, payload: object = {}): InjectOptions => ({ method: 'POST', url, payload });

describe('a bearer token, where development sign-in is closed', () => {
  test('begins a registration for its own user, with options of its choice', async () => {
    const { service, eves, afar } = await withTwoUsers();
    const reply = await afar(
      eves,
      post('/dev/register/options', { app_url: 'https://app.example.com', options: { attestation: 'direct' } }),
    );
    expect([reply.statusCode, reply.json()]).toMatchObject([200, { attestation: 'direct', user: { name: 'eve@example.com' } }]);
    const response = await service.client.create({ publicKey: reply.json() });
    expect((await service.post('/api/passkeys/register', response)).statusCode).toBe(422);
  });

  test('begins an authentication with its own passkey, and not with another’s or a revoked one', async () => {
    const { service, eves, afar } = await withTwoUsers();
    const { credentialId, passkey } = await service.register();
    const ask = (token: string) => afar(token, post('/dev/verify/options', { credential_id: credentialId, options: { timeout: 5000 } }));
    expect((await ask(service.token)).json()).toMatchObject({ timeout: 5000, allowCredentials: [{ id: credentialId }] });
    const others = await ask(eves);
    expect([others.statusCode, others.json().code]).toEqual([404, 'passkey_not_found']);
    await service.relyingParty.revoke(passkey.id, {});
    expect((await ask(service.token)).statusCode).toBe(404);
    const login = await afar(eves, post('/dev/login/options', { app_url: 'https://app.example.com', options: { hints: ['hybrid'] } }));
    expect([login.statusCode, login.json().hints]).toEqual([200, ['hybrid']]);
  });

  test('sees and restores its own passkeys only', async () => {
    const { service, eves, afar } = await withTwoUsers();
    const { passkey } = await service.register();
    await service.relyingParty.revoke(passkey.id, {});
    expect((await afar(eves, { url: '/dev/passkeys?all=1' })).json()).toEqual([]);
    expect((await afar(eves, post('/dev/passkeys/1/restore'))).statusCode).toBe(404);
    expect((await afar(service.token, { url: '/dev/passkeys?all=1' })).json()).toMatchObject([{ id: 1 }]);
    expect((await afar(service.token, post('/dev/passkeys/1/restore'))).statusCode).toBe(200);
  });

  test('sees its own ceremonies in the timeline only, those it missed and those to come', async () => {
    const { service, eves, afar } = await withTwoUsers();
    const { credentialId } = await service.register({ label: 'Of Ada' });
    const { passkey } = await service.register({ label: 'Of Eve' }, eves);
    const open = async (token: string) => (await afar(token, { url: '/dev/events?after=0', payloadAsStream: true })).stream();
    const streams = [await open(service.token), await open(eves)];
    await service.login(credentialId);
    await service.relyingParty.rename(passkey.id, 'Later, of Eve', {});
    await service.post('/api/passkeys/login/options', {}, { token: null });
    await service.app.close();
    const [adas = '', hers = ''] = await Promise.all(streams.map(async (stream) => (await stream.toArray()).map(String).join('')));
    const labels = (text: string) =>
      [...text.replaceAll(/^event: stream\n.*$/gm, '').matchAll(/"label":"([^"]*)"/g)].map(([, label]) => label);
    expect(labels(adas)).toEqual(['Of Ada', 'Of Ada']);
    expect(labels(hers)).toEqual(['Of Eve', 'Later, of Eve']);
    expect(new Set([...hers.matchAll(/"owner":("[^"]*"|null)/g)].map(([, owner]) => owner))).toEqual(new Set(['"User:2"']));
  });

  test('has its own ceremonies as fixtures only', async () => {
    const { service, eves, afar } = await withTwoUsers();
    const attestation = await service.attest();
    await service.post('/api/passkeys/register', attestation);
    const { challenge } = decodeClientData(decodeBase64url(attestation.response.clientDataJSON));
    expect((await afar(service.token, { url: `/dev/fixtures/${challenge}` })).statusCode).toBe(200);
    const others = await afar(eves, { url: `/dev/fixtures/${challenge}` });
    expect([others.statusCode, others.json().code]).toEqual([404, 'route_not_found']);
  });

  test('does not sign in: it would become the token of any user', async () => {
    const { service, eves, afar } = await withTwoUsers();
    for (const payload of [{ owner: 'User:1' }, { owner: 'User:2' }, {}]) {
      const reply = await afar(eves, post('/dev/sign-in', payload));
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'development_only']);
    }
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  test('a session, a wrong token or none opens nothing', async () => {
    const { service, afar } = await withTwoUsers();
    const { credentialId } = await service.register();
    const cookie = Service.cookieOf(await service.login(credentialId));
    for (const url of ['/dev/passkeys', '/dev/events', '/dev/stream', '/dev/stream/0-1', '/dev/fixtures/AAAA']) {
      expect((await afar(undefined, { url, headers: { cookie } })).statusCode).toBe(403);
      expect((await afar('pk_wrong', { url, headers: { cookie } })).statusCode).toBe(401);
    }
  });

  test('is good through a proxy, from a page of the proxy’s origin', async () => {
    const { service } = await withTwoUsers();
    const headers = { origin: 'https://dev.example.com', 'x-forwarded-for': '203.0.113.9' };
    expect((await service.post('/dev/register/options', {}, { headers })).statusCode).toBe(200);
    expect((await service.post('/dev/register/options', {}, { headers: { origin: 'https://dev.example.com' } })).statusCode).toBe(200);
  });
});

test('a local browser sees everybody’s ceremonies, with a bearer token as without', async () => {
  const { service, eves } = await withTwoUsers();
  const { credentialId } = await service.register();
  const reply = await service.post(
    '/dev/verify/options',
    { credential_id: credentialId },
    { token: eves, headers: { origin: OWN_ORIGIN } },
  );
  expect(reply.statusCode).toBe(200);
});
