import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../../src/webauthn/json.js';
import { APP_URL, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

/** Without a statement nothing is signed: the UP flag can be taken away. */
async function answerWithoutPresence(service: Service, options: PublicKeyCredentialCreationOptionsJSON) {
  const response = await service.client.create({ publicKey: options });
  const bytes = decodeBase64url(response.response.attestationObject);
  const hash = createHash('sha256').update(RP_ID).digest();
  const flags = Buffer.from(bytes).indexOf(hash) + hash.length;
  bytes[flags] = (bytes[flags] ?? 0) & ~1;
  return { ...response, response: { ...response.response, attestationObject: encodeBase64url(bytes) } };
}

describe('POST /dev/register/options with mediation', () => {
  test.each([
    [{ mediation: 'conditional' }, 200, undefined],
    [{}, 422, 'user_not_present'],
  ])('%j: an answer without user presence is a %i', async (more, status, code) => {
    await using service = await Service.start();
    const options = await service.post('/dev/register/options', { app_url: APP_URL, ...more });
    expect(options.json()).not.toHaveProperty('mediation');
    const reply = await service.post('/api/passkeys/register', await answerWithoutPresence(service, options.json()));
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  test('takes no other mediation', async ({ service }) => {
    const reply = await service.post('/dev/register/options', { app_url: APP_URL, mediation: 'silent' });
    expect(reply.json()).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ pointer: '/mediation' }] });
  });
});
