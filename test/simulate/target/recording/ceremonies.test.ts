import { describe, expect, test } from 'vitest';
import { credentialParts, findCeremonies } from '../../../../src/simulate/target/recording/ceremonies.js';
import { bodyValue, recordedExchanges } from '../../../../src/simulate/target/recording/exchanges.js';
import { writePath } from '../../../../src/simulate/target/recording/leaves.js';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const ID = Uint8Array.from({ length: 16 }, (_, index) => 0xf8 + index);
const CLIENT_DATA = new TextEncoder().encode(JSON.stringify({ type: 'webauthn.get', challenge: 'AQID', origin: 'http://localhost' }));
/** In base64 it has neither padding nor a character of its own. */
const SIGNATURE = Uint8Array.from([1, 2, 3]);
const padded = (bytes: Uint8Array) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_');

/** The expressions for the parts of a recorded login, by their place in the body. */
function partsOf(body: object): Readonly<Record<string, string>> {
  const [exchange] = recordedExchanges([
    {
      index: 0,
      method: 'POST',
      url: 'http://localhost/login',
      at: 0,
      status: 200,
      request: { headers: [['content-type', 'application/json']], body: JSON.stringify(body), params: [], isBodyMissing: false },
      response: { headers: [], body: '{}', params: [], isBodyMissing: false },
    },
  ]);
  const [ceremony] = exchange === undefined ? [] : findCeremonies([exchange]);
  if (exchange === undefined || ceremony === undefined) throw new Error('no ceremony');
  const parts = credentialParts(bodyValue(exchange), ceremony, [base64url(ID)]);
  return Object.fromEntries(parts.map(({ path, expression }) => [writePath(body, path), expression]));
}

const response = (write: (bytes: Uint8Array) => string) => ({
  clientDataJSON: write(CLIENT_DATA),
  signature: write(SIGNATURE),
  authenticatorData: write(ID.subarray(2)),
});

describe('the parts of a recorded credential', () => {
  test('are the credential, where it is as toJSON() writes it', () => {
    expect(partsOf({ credential: { id: base64url(ID), type: 'public-key', response: response(base64url) } })).toEqual({
      credential: 'credential',
    });
  });

  test('are spelled one by one, and may be absent', () => {
    expect(partsOf({ id: base64url(ID), rawId: base64(ID), response: response(base64) })).toEqual({
      id: 'credential.id?',
      rawId: 'credential.rawId? | base64',
      'response.clientDataJSON': 'credential.response.clientDataJSON? | base64',
      'response.signature': 'credential.response.signature? | base64',
      'response.authenticatorData': 'credential.response.authenticatorData? | base64',
    });
    expect(partsOf({ credentialId: base64url(ID), ...response(padded) })).toMatchObject({
      credentialId: 'credential.id?',
      authenticatorData: 'credential.response.authenticatorData? | padded',
    });
  });

  test('have no ID of a user', () => {
    expect(partsOf({ id: base64url(ID), user: { id: 'YWxpY2U' }, ...response(base64) })).not.toHaveProperty('user.id');
    expect(partsOf({ id: 'b3RoZXI', user: { id: 'YWxpY2U' }, ...response(base64) })).toMatchObject({ id: 'credential.id?' });
    expect(partsOf({ id: 'b3RoZXI', user: { id: 'YWxpY2U' }, ...response(base64) })).not.toHaveProperty('user.id');
  });
});
