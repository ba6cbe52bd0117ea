import { describe, expect } from 'vitest';
import { APP_ORIGIN, APP_URL, Service } from './app.js';
import { test } from './service-test.js';

const FROM_APP = { origin: APP_ORIGIN, 'sec-fetch-site': 'same-site' };
const OPTIONS = { app_name: 'Shop', app_url: APP_URL };
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };

/** Detail and code of the problem that a request is answered with. */
async function refuse(service: Service, path: string, payload: unknown, headers: Record<string, string> = json) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const authorization = `Bearer ${service.token}`;
  const url = `/api/passkeys${path}`;
  const reply = await service.inject({ method: 'POST', url, headers: { authorization, ...headers }, payload: body });
  return { code: reply.json().code, detail: reply.json().detail };
}

describe('the detail of a problem names the mistake of', () => {
  test('a registration that is sent to /login, and a login that is sent to /register', async ({ service }) => {
    const attested = await service.attest();
    expect(await refuse(service, '/login', attested)).toEqual({
      code: 'validation_failed',
      detail: expect.stringMatching(/response of a registration: send it to POST \/api\/passkeys\/register\.$/),
    });
    const { credentialId } = await service.register();
    const { detail } = await refuse(service, '/register', await service.assert(credentialId));
    expect(detail).toMatch(/response of a login: send it to POST \/api\/passkeys\/login\.$/);
  });

  test.for([
    ['a misspelled member', '/register/options', { appName: 'Shop', app_url: APP_URL }, /Is "appName" meant to be app_name\? Rename it\.$/],
    [
      'a misspelled member inside another',
      '/register',
      { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJson: 'AA', attestationObject: 'AA' } },
      /Is "clientDataJson" meant to be clientDataJSON\?/,
    ],
    [
      'a member that is there by its name',
      '/verify',
      { rawId: 'AA', type: 'public-key', response: { signature: 'AA' } },
      /\/id is missing\.[^?]*$/,
    ],
    ['a doubly encoded body', '/register/options', JSON.stringify(JSON.stringify(OPTIONS)), /call JSON\.stringify\(\) once\.$/],
    ['a credential that became {}', '/register', { label: 'Phone' }, /JSON\.stringify\(credential\) is \{\}/],
    ['an ArrayBuffer that became {}', '/login', { id: 'AA', rawId: {}, type: 'public-key', response: {} }, /each ArrayBuffer/],
  ] as const)('%s', async ([, path, body, detail], { service }) => {
    expect(await refuse(service, path, body)).toEqual({ code: 'validation_failed', detail: expect.stringMatching(detail) });
  });

  test.for([
    ['its member', (body: object) => ({ credential: body }), 'credential'],
    ['a member of its member', (body: object) => ({ label: 'Phone', data: { attestation: body } }), 'data.attestation'],
    ['a member as text', (body: object) => ({ publicKeyCredential: JSON.stringify(body) }), 'publicKeyCredential'],
    ['its response', (body: object) => ({ id: 'AA', response: body }), 'response'],
  ] as const)('a body that has the credential in %s', async ([, wrap, place], { service }) => {
    const attested = await service.attest();
    expect(await refuse(service, '/register', wrap(attested))).toEqual({
      code: 'validation_failed',
      detail: expect.stringContaining(`The credential is in ${place}: send its members`),
    });
    const { detail } = await refuse(service, '/login', wrap(attested));
    expect(detail).not.toContain('JSON.stringify');
  });

  test('a credential ID in hexadecimal, as id, as both IDs, and as credential_id', async ({ service }) => {
    const attested = [await service.attest(), await service.attest(), await service.attest(), await service.attest()];
    const { credentialId } = await service.register();
    const hex = Buffer.from(credentialId, 'base64url').toString('hex');
    const body = await service.assert(credentialId);
    const named = /The credential ID was sent as hexadecimal\./;
    for (const id of [hex, hex.toUpperCase()]) {
      for (const ids of [{ id }, { id, rawId: id }]) {
        expect((await refuse(service, '/login', { ...body, ...ids })).detail).toMatch(named);
        expect((await refuse(service, '/register', { ...attested.pop(), ...ids })).detail).toMatch(named);
      }
      expect((await refuse(service, '/verify/options', { credential_id: id })).detail).toMatch(named);
    }
    expect((await refuse(service, '/login', { ...body, id: 'AAAA', rawId: 'AAAA' })).detail).not.toMatch(named);
  });

  test.for([
    ['as a form', form, 'unsupported_media_type'],
    ['as JSON', json, 'malformed_json'],
  ] as const)('a URL-encoded body that is sent %s', async ([, headers, code], { service }) => {
    const answer = await refuse(service, '/register/options', new URLSearchParams(OPTIONS).toString(), headers);
    expect(answer).toEqual({ code, detail: expect.stringMatching(/The body is a form: send JSON\.stringify/) });
  });

  test('options without app_url, with the origin to send', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const send = (headers: object) => refuse(service, '/register/options', { app_name: 'Shop' }, { ...json, ...headers });
    expect((await send({})).detail).toContain(`"app_url": "${APP_ORIGIN}"`);
    expect((await send({ origin: 'http://localhost:5173' })).detail).toContain('"app_url": "http://localhost:5173"');
  });

  test.each([
    ['of another origin', FROM_APP, /credentials: 'include'/],
    ['of another site', { ...FROM_APP, 'sec-fetch-site': 'cross-site' }, /for pages of the same site/],
    ['of our own, and no other program', {}, /Log in again\.$/],
  ])('a session without its cookie, by a page %s', async (_what, headers, detail) => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    expect((await service.inject({ url: '/api/session', headers })).json().detail).toMatch(detail);
  });
});

test('in production nothing is named', async () => {
  await using service = await Service.start({ settings: { mode: 'production' } });
  const { detail, code } = await refuse(service, '/register/options', { appName: 'Shop' });
  expect([code, detail]).toEqual(['validation_failed', undefined]);
});
