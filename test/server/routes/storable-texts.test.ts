import { describe, expect, test } from 'vitest';
import { APP_URL, Service } from '../app.js';

const USER = { username: 'ada@example.com', displayName: 'Ada' };

/** Every text of the API that comes into a store. */
const TEXTS: readonly (readonly [method: 'POST' | 'PATCH', url: string, pointer: string, body: (text: string) => object])[] = [
  ['POST', '/api/passkeys/register/options', '/app_name', (text) => ({ app_name: text, app_url: APP_URL })],
  ['PATCH', '/api/passkeys/1', '/label', (text) => ({ label: text })],
  ['POST', '/api/passkeys/register', '/label', (text) => ({ label: text })],
  ['POST', '/api/passkeys/register', '/authenticatorAttachment', (text) => ({ authenticatorAttachment: text })],
  ['POST', '/api/passkeys/register', '/response/transports/0', (text) => ({ response: { transports: [text] } })],
  ['POST', '/dev/register/options', '/app_name', (text) => ({ app_name: text })],
  ['POST', '/dev/sign-in', '/email', (text) => ({ email: `${text}@example.com` })],
  ['POST', '/dev/sign-in', '/name', (text) => ({ email: 'ada@example.com', name: text })],
  ['POST', '/dev/sign-in', '/owner', (text) => ({ owner: `${text}:1` })],
  ['POST', '/attestation/options', '/username', (text) => ({ ...USER, username: text })],
  ['POST', '/attestation/options', '/displayName', (text) => ({ ...USER, displayName: text })],
  ['POST', '/assertion/options', '/username', (text) => ({ username: text })],
];

describe('a text that a database cannot keep', () => {
  test.each(TEXTS)('is a 422: %s %s %s', async (method, url, pointer, body) => {
    await using service = await Service.start({ settings: { fidoApi: true } });
    const authorization = url === '/dev/sign-in' ? {} : { authorization: `Bearer ${service.token}` };
    for (const text of ['User\0', 'User\ud800']) {
      const reply = await service.inject({ method, url, payload: body(text), headers: authorization });
      expect(reply.statusCode).toBe(422);
      const { errorMessage, detail } = reply.json();
      expect(errorMessage ?? detail).toContain(`${pointer} must have neither U+0000 nor a half of a surrogate pair.`);
    }
  });
});
