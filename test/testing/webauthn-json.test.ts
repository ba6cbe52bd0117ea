import { describe, expect, test } from 'vitest';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { toWebauthnJson } from '../../src/testing/webauthn-json.js';

describe('toWebauthnJson', () => {
  test('writes a registration as @github/webauthn-json does', async () => {
    const { response } = await createCeremonies({ traits: { transports: ['usb', 'smart-card'] } }).registration();
    const { id, rawId, clientExtensionResults, response: inner } = response;
    expect(toWebauthnJson(response)).toEqual({
      id,
      rawId,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults,
      response: { clientDataJSON: inner.clientDataJSON, attestationObject: inner.attestationObject, transports: ['usb'] },
    });
  });

  test('writes null for a user handle that is not there', async () => {
    const { response: discoverable } = await createCeremonies().authentication();
    expect(toWebauthnJson(discoverable)).toMatchObject({ response: { userHandle: discoverable.response.userHandle } });
    const { response } = await createCeremonies({ persona: 'security-key-u2f' }).authentication({ userVerification: 'discouraged' });
    expect(response.response).not.toHaveProperty('userHandle');
    expect(toWebauthnJson(response).response).toEqual({
      clientDataJSON: response.response.clientDataJSON,
      authenticatorData: response.response.authenticatorData,
      signature: response.response.signature,
      userHandle: null,
    });
  });
});
