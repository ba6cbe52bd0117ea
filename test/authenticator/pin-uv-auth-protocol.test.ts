import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openInputs } from '../../src/authenticator/extensions.js';
import { encryptSalts, evaluatePrf, openSalts } from '../../src/authenticator/hmac-secret.js';
import { agreeOnKey, authenticate, decrypt, encrypt, isAuthentic } from '../../src/authenticator/pin-uv-auth-protocol.js';
import type { PinUvAuthProtocolId } from '../../src/authenticator/ports.js';
import { concatBytes, encodeUtf8, fromHex, toHex } from '../../src/kernel/bytes.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { fc } from '../properties.js';
import { getRequest, granted, makeRequest, RP_ID, systemRandom, takeApart, user, withCredential } from './requests.js';

const sha256 = (...parts: Uint8Array[]) =>
  new Uint8Array(
    createHash('sha256')
      .update(concatBytes(...parts))
      .digest(),
  );
const hashOf = (bytes: Uint8Array) => toHex(sha256(bytes));

/** W3C WebAuthn L3 §16, "PRF extension": everything is derived from this text and a number. */
const SEED = encodeUtf8('WebAuthn PRF test vectors');
const numbered = (number: number) => concatBytes(SEED, Uint8Array.of(number));
const saltOf = (input: Uint8Array) => sha256(encodeUtf8('WebAuthn PRF\0'), input);
const platform = agreeOnKey(systemRandom, sha256(numbered(4)));
const authenticator = agreeOnKey(systemRandom, sha256(numbered(5)));
const credRandom = sha256(numbered(6));
const ivOf = (number: number) => () => sha256(numbered(number)).slice(0, 16);

const CASES: readonly { title: string; protocol: PinUvAuthProtocolId; inputs: readonly number[]; saltIv: number; outputIv: number }[] = [
  { title: 'Single input case using PIN protocol 2', protocol: 2, inputs: [2], saltIv: 7, outputIv: 9 },
  { title: 'Two input case using PIN protocol 2', protocol: 2, inputs: [2, 3], saltIv: 8, outputIv: 10 },
  { title: 'Single input case using PIN protocol 1', protocol: 1, inputs: [2], saltIv: 7, outputIv: 9 },
];

/** One exchange with the keys, salts and initialization vectors of the vectors. */
function exchange({ protocol, inputs, saltIv, outputIv }: (typeof CASES)[number]) {
  const [first = new Uint8Array(), second] = inputs.map((number) => saltOf(numbered(number)));
  const salts = { first, ...(second && { second }) };
  const sent = encryptSalts(protocol, { agreement: platform, peer: authenticator.publicKey, random: ivOf(saltIv) }, salts);
  const opened = openSalts(authenticator, sent.input, ivOf(outputIv));
  if (!opened.ok) throw new Error(opened.message);
  const prf = { withVerification: credRandom, withoutVerification: new Uint8Array(32) };
  const results = evaluatePrf({ prf } as Parameters<typeof evaluatePrf>[0], opened.salts, true);
  if (results === undefined) throw new Error('Expected outputs.');
  const output = opened.seal(results);
  return {
    sharedSecret: platform.sharedSecret(protocol, authenticator.publicKey),
    saltEnc: sent.input.saltEnc,
    outputs: concatBytes(results.first, results.second ?? new Uint8Array()),
    outputEnc: output,
    read: sent.read(output),
    results,
    opened: opened.salts,
    salts,
  };
}

/** SHA-256 of what the standard prints. */
const PUBLISHED = [
  [
    'f05a72bdef65897221ae5592c4c42cc3b2ec7d0ac2ff8dec962f94ac486c3fe5',
    'c3065a8e1ea9ece5932b2585847590fdae1c2dc50d6859056982f3b262e6d29c',
    'cc7ba9d1f702063fa2841d118435df33a0a599e3d2aba2e218580edea4beb319',
    'ba24f7551f8a3fe413554426c1d9cd62b01ffaab2cee63546c07d553a8904f1c',
  ],
  [
    'f05a72bdef65897221ae5592c4c42cc3b2ec7d0ac2ff8dec962f94ac486c3fe5',
    '639a0963d460d55dbbdca1e0f42fea8559efd49612cc34d74b6a69b725ae3933',
    '80181fd61f152e73e75ec8f451b0de55113592399c37ecbbfeba8b631460af9a',
    '0f1efcba7d32a78d6289857ae0e924c71ce9a49572a1874673ef3cf26a10e7d4',
  ],
  [
    'ed0724102cc13d12c9bb40e15d68a4579b3421d5ebdc785aa3230b66e4eed573',
    'b9ade269e6561fa6202add79ed635164dc9572958c6c3a6602f8ea3fb2821d9c',
    'cc7ba9d1f702063fa2841d118435df33a0a599e3d2aba2e218580edea4beb319',
    '82919a649b3e8a0008ea68ef67d55a7b8ebceaf850c5e2556fa12bde769debc0',
  ],
];

describe('the prf vectors of the standard, down to the PIN protocol', () => {
  test.each(CASES.map((one, index) => ({ ...one, published: PUBLISHED[index] })))(
    '$title: shared secret, encrypted salts, outputs and encrypted outputs',
    ({ published, ...one }) => {
      const { sharedSecret, saltEnc, outputs, outputEnc, read, results, opened, salts } = exchange(one);
      expect([sharedSecret, saltEnc, outputs, outputEnc].map(hashOf)).toEqual(published);
      expect(opened).toEqual(salts);
      expect(read).toEqual(results);
    },
  );

  const file = process.env.PASSKEY_W3C_VECTORS;
  test.skipIf(file === undefined)('the hashes are those of the published bytes (PASSKEY_W3C_VECTORS)', () => {
    interface Hex {
      readonly hex: string;
    }
    type Case = Readonly<Record<'shared_secret' | 'salt_enc' | 'output1' | 'output_enc', Hex>> & {
      readonly title: string;
      readonly output2?: Hex;
    };
    const { prf } = JSON.parse(readFileSync(file ?? '', 'utf8')) as { prf: { cases: readonly Case[] } };
    expect(prf.cases.map(({ title }) => title)).toEqual(CASES.map(({ title }) => title));
    const hashes = prf.cases.map((one) =>
      [one.shared_secret.hex, one.salt_enc.hex, one.output1.hex + (one.output2?.hex ?? ''), one.output_enc.hex].map((hex) =>
        hashOf(fromHex(hex)),
      ),
    );
    expect(hashes).toEqual(PUBLISHED);
  });
});

const protocols = fc.constantFrom<PinUvAuthProtocolId>(1, 2);
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe.each([1, 2] as const)('PIN/UV auth protocol %d', (protocol) => {
  test('both sides come to the same secret', () => {
    fc.assert(
      fc.property(fc.integer(), () => {
        const [one, other] = [agreeOnKey(systemRandom), agreeOnKey(systemRandom)];
        const secret = one.sharedSecret(protocol, other.publicKey);
        expect(other.sharedSecret(protocol, one.publicKey)).toEqual(secret);
        expect(secret.length).toBe(protocol === 1 ? 32 : 64);
        expect(one.sharedSecret(protocol, agreeOnKey(systemRandom).publicKey)).not.toEqual(secret);
      }),
      { numRuns: 20 },
    );
  });

  test('decrypt undoes encrypt, for whole blocks', () => {
    const secret = systemRandom(protocol === 1 ? 32 : 64);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), (blocks) => {
        const plaintext = systemRandom(16 * blocks);
        expect(decrypt(protocol, secret, encrypt(protocol, secret, plaintext, systemRandom))).toEqual(plaintext);
      }),
    );
    expect(decrypt(protocol, secret, new Uint8Array(33))).toBeUndefined();
    if (protocol === 2) expect(decrypt(protocol, secret, new Uint8Array())).toBeUndefined();
  });

  test('one bit more or less is not authentic', () => {
    const secret = systemRandom(protocol === 1 ? 32 : 64);
    fc.assert(
      fc.property(bytes32, fc.nat({ max: 255 }), (message, bit) => {
        const code = authenticate(protocol, secret, message);
        expect(isAuthentic(protocol, secret, message, code)).toBe(true);
        const other = Uint8Array.from(message, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(isAuthentic(protocol, secret, other, code)).toBe(false);
        expect(isAuthentic(protocol, secret, message, code.slice(1))).toBe(false);
      }),
    );
  });
});

test('messages are authenticated with the HMAC key of the secret, by protocol 1 with half of the code', () => {
  const secret = Uint8Array.from({ length: 64 }, (_, at) => at);
  const message = encodeUtf8('a message');
  const hmac = (key: Uint8Array) => new Uint8Array(createHmac('sha256', key).update(message).digest());
  expect(authenticate(1, secret.subarray(0, 32), message)).toEqual(hmac(secret.subarray(0, 32)).slice(0, 16));
  expect(authenticate(2, secret, message)).toEqual(hmac(secret.subarray(0, 32)));
});

test('a drawn key is below the order of the curve, whatever is drawn', () => {
  for (const [drawn, first] of [
    [0xff, 0x7f],
    [0x80, 0],
    [0x7f, 0x7f],
  ] as const) {
    const bytes = new Uint8Array(32).fill(drawn === 0x80 ? 1 : drawn).with(0, drawn);
    expect(agreeOnKey(() => bytes).publicKey).toEqual(agreeOnKey(systemRandom, bytes.with(0, first)).publicKey);
  }
});

test('salts go through encrypted and come back as they were', () => {
  fc.assert(
    fc.property(protocols, bytes32, fc.option(bytes32, { nil: undefined }), (protocol, first, second) => {
      const [agreement, other] = [agreeOnKey(systemRandom), agreeOnKey(systemRandom)];
      const salts = { first, ...(second && { second }) };
      const { input, read } = encryptSalts(protocol, { agreement, peer: other.publicKey, random: systemRandom }, salts);
      const opened = openSalts(other, input, systemRandom);
      expect(opened).toMatchObject({ ok: true, salts });
      if (opened.ok) expect(read(opened.seal(salts))).toEqual(salts);
      const forged = openSalts(other, { ...input, saltAuth: new Uint8Array(input.saltAuth.length) }, systemRandom);
      expect(forged).toMatchObject({ ok: false, status: 'CTAP2_ERR_PIN_AUTH_INVALID' });
    }),
    { numRuns: 30 },
  );
});

describe('an authenticator with hmac-secret', () => {
  const options = { extensions: ['hmac-secret', 'hmac-secret-mc'] as const };

  test('refuses salts of the wrong length and of another key', async () => {
    const { authenticator: key } = await withCredential(options);
    const peer = await key.getKeyAgreement(1);
    const agreement = agreeOnKey(systemRandom);
    const secret = agreement.sharedSecret(1, peer);
    const saltEnc = encrypt(1, secret, new Uint8Array(48), systemRandom);
    const short = { pinUvAuthProtocol: 1, keyAgreement: agreement.publicKey, saltEnc, saltAuth: authenticate(1, secret, saltEnc) } as const;
    expect(await key.makeCredential(makeRequest({ extensions: { hmacSecret: short } }))).toEqual({
      ok: false,
      status: 'CTAP1_ERR_INVALID_LENGTH',
      message: 'Expected saltEnc of hmac-secret to hold one or two salts of 32 bytes; got 48 bytes.',
    });
    const foreign = { ...short, keyAgreement: agreeOnKey(systemRandom).publicKey };
    expect(await key.makeCredential(makeRequest({ extensions: { hmacSecret: foreign } }))).toEqual({
      ok: false,
      status: 'CTAP2_ERR_PIN_AUTH_INVALID',
      message: 'Expected saltAuth of hmac-secret to match saltEnc; it does not.',
    });
    await expect(withCredential({ pinUvAuthProtocols: [1] }).then(({ authenticator: one }) => one.getKeyAgreement(2))).rejects.toThrow(
      TypeError,
    );
  });
});

describe('what an authenticator opens of hmac-secret', () => {
  const agreement = agreeOnKey(systemRandom);
  const key = agreeOnKey(systemRandom);
  const salts = { first: systemRandom(32), second: systemRandom(32) };
  const { input } = encryptSalts(2, { agreement, peer: key.publicKey, random: systemRandom }, salts);
  const settings = { prfAtCreation: true, keyAgreement: () => key, minPinLength: 4, minPinLengthRpIds: [] };
  const others = { credBlob: true as const };
  const ALL = ['hmac-secret', 'hmac-secret-mc'] as const;
  test.each([
    ['create', [], true, others],
    ['create', ALL, undefined, others],
    ['create', ALL, true, { ...others, hmacSecret: true }],
    ['get', ALL, true, others],
    ['create', ['hmac-secret'], input, { ...others, hmacSecret: true }],
    ['create', ALL, input, { ...others, hmacSecret: input }],
    ['get', ['hmac-secret'], input, { ...others, hmacSecret: input }],
    ['get', [], input, others],
  ] as const)('at %s with %j', (operation, extensions, hmacSecret, inputs) => {
    const opened = openInputs(
      { ...settings, extensions },
      { ...others, ...(hmacSecret !== undefined && { hmacSecret }) },
      { operation, random: systemRandom },
    );
    const hasSalts = 'hmacSecret' in inputs && inputs.hmacSecret !== true;
    expect(opened).toEqual({ ok: true, inputs, ...(hasSalts && { hmacSecret: { ok: true, salts, seal: expect.any(Function) } }) });
  });

  test('and answers at registration and login', async () => {
    const { authenticator: one, data } = await withCredential({ extensions: ALL }, { extensions: { hmacSecret: true } });
    expect(data.extensions).toEqual(new Map([['hmac-secret', true]]));
    const peer = await one.getKeyAgreement(2);
    const exchanged = encryptSalts(2, { agreement, peer, random: systemRandom }, salts);
    const extensions = { hmacSecret: exchanged.input };
    const [source] = await one.store.list();
    const { authenticatorData } = granted(await one.getAssertion(getRequest({ extensions })));
    const output = decodeAuthenticatorData(authenticatorData).extensions?.get('hmac-secret');
    if (!(output instanceof Uint8Array) || source === undefined) throw new Error('Expected an output.');
    expect(exchanged.read(output)).toEqual(evaluatePrf(source, salts, true));
    expect(exchanged.read(output.slice(16))).toBeUndefined();

    const again = granted(await one.makeCredential(makeRequest({ user: user('2'), extensions })));
    const created = takeApart(again);
    const sealed = created.data.extensions?.get('hmac-secret-mc');
    const stored = await one.store.find(RP_ID, created.id);
    if (!(sealed instanceof Uint8Array) || stored === undefined) throw new Error('Expected an output.');
    expect(exchanged.read(sealed)).toEqual(evaluatePrf(stored, salts, true));
    expect([...(created.data.extensions?.keys() ?? [])]).toEqual(['hmac-secret', 'hmac-secret-mc']);
  });
});
