import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import { creation, ORIGIN, RP_ID, registered, request } from './ceremony.js';

const clientDataOf = ({ response }: { response: { clientDataJSON: string } }) =>
  decodeClientData(new Uint8Array(Buffer.from(response.clientDataJSON, 'base64url')));

describe('payment (Secure Payment Confirmation)', () => {
  const payment = {
    isPayment: true,
    rpId: RP_ID,
    topOrigin: 'https://shop.example',
    payeeName: 'Shop',
    payeeOrigin: 'https://shop.example',
    total: { currency: 'EUR', value: '5.00' },
    instrument: { displayName: 'Card ••42', icon: 'https://example.com/icon.png' },
  };

  test('a shop asks with the credential of a bank: the client data say what was paid', async () => {
    const { authenticator, id } = await registered({}, { extensions: { payment: { isPayment: true } } });
    const shop = createClient({ authenticator, origin: 'https://shop.example' });
    const publicKey = request({ rpId: RP_ID, allowCredentials: [{ type: 'public-key', id }], extensions: { payment } });
    const got = await shop.get({ publicKey });
    const { isPayment: _, instrument, ...paid } = payment;
    expect(clientDataOf(got)).toMatchObject({
      type: 'payment.get',
      origin: 'https://shop.example',
      raw: { payment: { ...paid, instrument: { ...instrument, iconMustBeShown: true } } },
    });
    // Without the extension a foreign RP ID stays foreign.
    await expect(shop.get({ publicKey: { ...publicKey, extensions: {} } })).rejects.toMatchObject({ name: 'SecurityError' });
  });

  test('what is missing is named, and what is no payment is an ordinary ceremony', async () => {
    const { client } = await registered();
    const { total: _, ...incomplete } = payment;
    await expect(client.get({ publicKey: request({ extensions: { payment: incomplete } }) })).rejects.toThrow(
      new TypeError('Expected publicKey.extensions.payment.total to be an object; the member is missing.'),
    );
    for (const none of [{ ...payment, isPayment: false }, 'x', null]) {
      expect(clientDataOf(await client.get({ publicKey: request({ extensions: { payment: none } }) })).type).toBe('webauthn.get');
    }
  });

  test('in an iframe, the feature "payment" is what counts', async () => {
    const { authenticator } = await registered();
    const framed = (allowed: boolean) =>
      createClient({
        authenticator,
        origin: ORIGIN,
        topOrigin: 'https://shop.example',
        permissionsPolicy: { payment: allowed, 'publickey-credentials-create': false },
      });
    const publicKey = request({ extensions: { payment } });
    expect(clientDataOf(await framed(true).get({ publicKey })).type).toBe('payment.get');
    await expect(framed(false).get({ publicKey })).rejects.toMatchObject({ name: 'NotAllowedError' });
    await framed(true).create({ publicKey: creation({ extensions: { payment: { isPayment: true } } }) });
    await expect(framed(true).create({ publicKey: creation() })).rejects.toMatchObject({ name: 'NotAllowedError' });
  });
});
