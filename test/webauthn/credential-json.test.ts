import { describe, expect, test } from 'vitest';
import { credentialToJson, optionsToJson, parseOptions, parseOutputs } from '../../src/webauthn/credential-json.js';

const bytes = (...values: number[]) => Uint8Array.from(values).buffer;

describe('parseOptions, where the browser has no parse…OptionsFromJSON()', () => {
  test('decodes every member that is bytes and leaves the rest', () => {
    expect(
      parseOptions({
        challenge: 'AQID',
        rp: { id: 'localhost', name: 'x' },
        user: { id: 'MQ', name: 'ada', displayName: 'Ada' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        excludeCredentials: [{ id: '_-8', type: 'public-key', transports: ['usb'] }],
        extensions: { credProps: true, prf: { eval: { first: 'AQ', second: 'Ag' } }, largeBlob: { write: 'Aw' } },
      }),
    ).toStrictEqual({
      challenge: Uint8Array.of(1, 2, 3),
      rp: { id: 'localhost', name: 'x' },
      user: { id: Uint8Array.of(0x31), name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: [{ id: Uint8Array.of(0xff, 0xef), type: 'public-key', transports: ['usb'] }],
      extensions: {
        credProps: true,
        prf: { eval: { first: Uint8Array.of(1), second: Uint8Array.of(2) } },
        largeBlob: { write: Uint8Array.of(3) },
      },
    });
  });

  test.each([
    [{ challenge: 'a!' }, 'challenge'],
    [{ user: { name: 'x' } }, 'user.id'],
    [{ allowCredentials: [{ id: 'AQ' }, { id: 7 }] }, 'allowCredentials[1].id'],
    [{ extensions: { prf: { eval: { first: '?' } } } }, 'extensions.prf.eval.first'],
  ])('names the member that is not base64url: %j', (options, member) => {
    expect(() => parseOptions(options)).toThrow(new RegExp(`base64url in ${member.replaceAll(/[[\].]/g, '\\$&')};`));
  });
});

describe('credentialToJson, where credentials have no toJSON()', () => {
  const common = {
    id: 'AQ',
    rawId: bytes(1),
    type: 'public-key',
    getClientExtensionResults: () => ({ prf: { results: { first: bytes(9) } } }),
  };

  test('writes a registration', () => {
    const credential: Parameters<typeof credentialToJson>[0] = {
      ...common,
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: bytes(2),
        attestationObject: bytes(3),
        getTransports: () => ['internal'],
        getAuthenticatorData: () => bytes(4),
        getPublicKey: () => null,
        getPublicKeyAlgorithm: () => -7,
      },
    };
    expect(credentialToJson(credential)).toStrictEqual({
      id: 'AQ',
      rawId: 'AQ',
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { prf: { results: { first: 'CQ' } } },
      response: {
        clientDataJSON: 'Ag',
        attestationObject: 'Aw',
        transports: ['internal'],
        authenticatorData: 'BA',
        publicKeyAlgorithm: -7,
      },
    });
  });

  test('writes an authentication without a user handle', () => {
    const response = { clientDataJSON: bytes(2), authenticatorData: bytes(4), signature: bytes(5), userHandle: null };
    expect(credentialToJson({ ...common, authenticatorAttachment: null, response })).toStrictEqual({
      id: 'AQ',
      rawId: 'AQ',
      type: 'public-key',
      clientExtensionResults: { prf: { results: { first: 'CQ' } } },
      response: { clientDataJSON: 'Ag', authenticatorData: 'BA', signature: 'BQ' },
    });
  });
});

describe('optionsToJson', () => {
  test('writes what parseOptions reads, from buffers and from any view of them', () => {
    const json = {
      challenge: 'AQID',
      user: { id: 'MQ', name: 'ada', displayName: 'Ada' },
      allowCredentials: [{ id: '_-8', type: 'public-key' }],
      extensions: { credBlob: 'BQ', prf: { evalByCredential: { AQ: { first: 'Ag' } } }, largeBlob: { write: 'Aw' } },
    };
    expect(optionsToJson(parseOptions(json))).toStrictEqual(json);
    expect(optionsToJson(parseOptions(json, (source) => new Uint8Array(source).buffer))).toStrictEqual(json);
    const view = new DataView(bytes(9, 1, 2, 9), 1, 2);
    expect(optionsToJson({ challenge: view })).toStrictEqual({ challenge: 'AQI' });
  });

  test.each([
    [{ challenge: 'AQID' }, 'challenge', 'string'],
    [{ user: { name: 'x' } }, 'user.id', 'undefined'],
    [{ excludeCredentials: [{ id: [1] }] }, 'excludeCredentials[0].id', 'object'],
  ])('names the member that is no bytes: %j', (options, member, got) => {
    expect(() => optionsToJson(options)).toThrow(new TypeError(`Expected ${member} to be an ArrayBuffer or a view of one; got ${got}.`));
  });
});

test('parseOutputs decodes the outputs that are bytes, and no other text', () => {
  const json = {
    prf: { enabled: true, results: { first: 'AQ', second: 'Ag' } },
    largeBlob: { blob: 'Aw' },
    getCredBlob: 'BA',
    other: 'AQ',
  };
  expect(parseOutputs(json, (source) => [...source])).toStrictEqual({
    prf: { enabled: true, results: { first: [1], second: [2] } },
    largeBlob: { blob: [3] },
    getCredBlob: [4],
    other: 'AQ',
  });
});
