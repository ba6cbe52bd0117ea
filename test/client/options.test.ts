import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import type { CredentialMediation } from '../../src/webauthn/enumerations.js';
import { creation, ORIGIN, registered, request, setUp } from './ceremony.js';

/** As if parsed from somebody's JSON. */
const parsed = <T>(value: T, change: object): T => JSON.parse(JSON.stringify({ ...value, ...change }));

describe('bad options, read strictly, are a TypeError that names the member', () => {
  const descriptor = { type: 'public-key', id: 'AA' };
  const user = { id: 'MQ', name: 'n', displayName: 'd' };
  const creations: [object, string][] = [
    [{ rp: undefined }, 'Expected publicKey.rp to be an object; the member is missing.'],
    [{ rp: 'example.com' }, 'Expected publicKey.rp to be an object; got string "example.com".'],
    [{ rp: {} }, 'Expected publicKey.rp.name to be a string; the member is missing.'],
    [{ rp: { name: 'x', id: 7 } }, 'Expected publicKey.rp.id to be a string; got number 7.'],
    [{ rp: { name: null } }, 'Expected publicKey.rp.name to be a string; got null.'],
    [{ user: undefined }, 'Expected publicKey.user to be an object; the member is missing.'],
    [{ user: [] }, 'Expected publicKey.user to be an object; got an array.'],
    [{ user: { ...user, id: undefined } }, 'Expected publicKey.user.id to be a base64url string; the member is missing.'],
    [{ user: { ...user, name: undefined } }, 'Expected publicKey.user.name to be a string; the member is missing.'],
    [{ user: { ...user, displayName: undefined } }, 'Expected publicKey.user.displayName to be a string; the member is missing.'],
    [{ user: { ...user, id: '' } }, 'Expected publicKey.user.id to have 1 to 64 bytes; got 0.'],
    [{ user: { ...user, id: 'A'.repeat(87) } }, 'Expected publicKey.user.id to have 1 to 64 bytes; got 65.'],
    [{ challenge: undefined }, 'Expected publicKey.challenge to be a base64url string; the member is missing.'],
    [{ challenge: { 0: 1 } }, 'Expected publicKey.challenge to be a base64url string; got an object.'],
    [{ pubKeyCredParams: undefined }, 'Expected publicKey.pubKeyCredParams to be an array; the member is missing.'],
    [{ pubKeyCredParams: {} }, 'Expected publicKey.pubKeyCredParams to be an array; got an object.'],
    [{ pubKeyCredParams: [-7] }, 'Expected publicKey.pubKeyCredParams[0] to be an object; got number -7.'],
    [{ pubKeyCredParams: [{ alg: -7 }] }, 'Expected publicKey.pubKeyCredParams[0].type to be a string; the member is missing.'],
    [
      { pubKeyCredParams: [{ type: 'public-key', alg: '-7' }] },
      'Expected publicKey.pubKeyCredParams[0].alg to be a whole number; got string "-7".',
    ],
    [
      { pubKeyCredParams: [{ type: 'public-key', alg: -7.5 }] },
      'Expected publicKey.pubKeyCredParams[0].alg to be a whole number; got number -7.5.',
    ],
    [{ timeout: '1' }, 'Expected publicKey.timeout to be a number; got string "1".'],
    [{ timeout: 10n }, 'Expected publicKey.timeout to be a number; got bigint 10.'],
    [{ timeout: Number.NaN }, 'Expected publicKey.timeout to be a number; got number NaN.'],
    [{ timeout: Symbol('1') }, 'Expected publicKey.timeout to be a number; got symbol.'],
    [{ extensions: { credProps: 'yes' } }, 'Expected publicKey.extensions.credProps to be a boolean; got string "yes".'],
    [{ excludeCredentials: descriptor }, 'Expected publicKey.excludeCredentials to be an array; got an object.'],
    [{ excludeCredentials: [{ id: 'AA' }] }, 'Expected publicKey.excludeCredentials[0].type to be a string; the member is missing.'],
    [
      { excludeCredentials: [descriptor, { type: 'x' }] },
      'Expected publicKey.excludeCredentials[1].id to be a base64url string; the member is missing.',
    ],
    [
      { excludeCredentials: [{ ...descriptor, transports: 'usb' }] },
      'Expected publicKey.excludeCredentials[0].transports to be an array of strings; got string "usb".',
    ],
    [{ authenticatorSelection: 'required' }, 'Expected publicKey.authenticatorSelection to be an object; got string "required".'],
    [
      { authenticatorSelection: { requireResidentKey: 'yes' } },
      'Expected publicKey.authenticatorSelection.requireResidentKey to be a boolean; got string "yes".',
    ],
    [{ attestation: true }, 'Expected publicKey.attestation to be a string; got boolean true.'],
    [{ hints: 'security-key' }, 'Expected publicKey.hints to be an array of strings; got string "security-key".'],
    [{ attestationFormats: [1] }, 'Expected publicKey.attestationFormats to be an array of strings; got an array.'],
    [{ extensions: [] }, 'Expected publicKey.extensions to be an object; got an array.'],
    [{ extensions: { prf: true } }, 'Expected publicKey.extensions.prf to be an object; got boolean true.'],
    [
      { extensions: { prf: { eval: {} } } },
      'Expected publicKey.extensions.prf.eval.first to be a base64url string; the member is missing.',
    ],
  ];
  test.each(creations)('create: %o', async (change, message) => {
    const { client, authenticator } = setUp({}, { mode: 'strict' });
    await expect(client.create({ publicKey: { ...creation(), ...change } })).rejects.toThrow(new TypeError(message));
    expect(await authenticator.store.list()).toEqual([]);
  });

  const requests: [object, string][] = [
    [{ challenge: undefined }, 'Expected publicKey.challenge to be a base64url string; the member is missing.'],
    [{ rpId: 7 }, 'Expected publicKey.rpId to be a string; got number 7.'],
    [{ allowCredentials: 'all' }, 'Expected publicKey.allowCredentials to be an array; got string "all".'],
    [{ allowCredentials: [null] }, 'Expected publicKey.allowCredentials[0] to be an object; got null.'],
    [{ userVerification: null }, 'Expected publicKey.userVerification to be a string; got null.'],
    [{ hints: [{}] }, 'Expected publicKey.hints to be an array of strings; got an array.'],
    [{ timeout: {} }, 'Expected publicKey.timeout to be a number; got an object.'],
  ];
  test.each(requests)('get: %j', async (change, message) => {
    const { client } = setUp({}, { mode: 'strict' });
    await expect(client.get({ publicKey: parsed(request(), change) })).rejects.toThrow(new TypeError(message));
  });

  test('the options themselves', async () => {
    const { client } = setUp();
    const options = JSON.parse('{}');
    await expect(client.create(options)).rejects.toThrow(new TypeError('Expected publicKey to be an object; got undefined.'));
    await expect(client.get(options)).rejects.toThrow(new TypeError('Expected publicKey to be an object; got undefined.'));
    const mediation: CredentialMediation = JSON.parse('"sometimes"');
    const message = 'Expected mediation to be one of silent, optional, conditional, required; got string "sometimes".';
    await expect(client.create({ publicKey: creation(), mediation })).rejects.toThrow(new TypeError(message));
    await expect(client.get({ publicKey: request(), mediation })).rejects.toThrow(
      new TypeError('Expected mediation to be one of silent, optional, conditional, required, immediate; got string "sometimes".'),
    );
  });

  test('a topOrigin that is none, or contradicts crossOrigin', () => {
    const { authenticator } = setUp();
    expect(() => createClient({ authenticator, origin: ORIGIN, topOrigin: '' })).toThrow(
      new TypeError(
        'Expected topOrigin to be an origin: scheme, host and a port that is not the default; got "". Give for example "https://example.com".',
      ),
    );
    expect(() => createClient({ authenticator, origin: ORIGIN, topOrigin: 'https://top.example', crossOrigin: false })).toThrow(
      new TypeError('Expected no topOrigin while crossOrigin is false: only a page in a cross-origin iframe has one (§5.8.1).'),
    );
  });

  const { authenticator } = setUp();
  test.each([
    ['example.com', 'Give for example "https://example.com".'],
    ['https://example.com/', 'Give "https://example.com".'],
    ['https://Example.com:443', 'Give "https://example.com".'],
    ['mailto:ada@example.com', 'Give for example'],
  ])('an origin that is none: %s', (origin, hint) => {
    for (const options of [
      { authenticator, origin },
      { authenticator, origin: ORIGIN, topOrigin: origin },
    ]) {
      expect(() => createClient(options)).toThrow(TypeError);
      expect(() => createClient(options)).toThrow(hint);
    }
  });
});

test('null stands for a dictionary without members, as in Web IDL', async () => {
  const { client } = setUp();
  const publicKey = parsed(creation(), { authenticatorSelection: null, extensions: null });
  expect((await client.create({ publicKey })).clientExtensionResults).toEqual({});
});

describe('values that the standard does not know', () => {
  test('count as missing', async () => {
    const { response, authenticator } = await registered(
      { attestation: 'packed' },
      {
        pubKeyCredParams: [
          { type: 'tin-foil', alg: -8 },
          { type: 'public-key', alg: -7 },
        ],
        excludeCredentials: [{ type: 'tin-foil', id: 'AA' }],
        authenticatorSelection: {
          authenticatorAttachment: 'implanted',
          residentKey: 'maybe',
          requireResidentKey: true,
          userVerification: 'rather',
        },
        attestation: 'gossip',
        hints: ['crystal-ball'],
        extensions: { horoscope: true },
      },
    );
    expect(response.response.publicKeyAlgorithm).toBe(-7);
    expect(response.clientExtensionResults).toEqual({});
    expect(await authenticator.store.list()).toMatchObject([{ discoverable: true }]);
  });
});
