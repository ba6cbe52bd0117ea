import { describe, expect, test } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/kernel/bytes.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { type CborMap, encodeCbor } from '../../src/webauthn/cbor.js';
import { fc } from '../properties.js';
import { answersOrRefuses, bytes, cborMap, damaged } from './arbitraries.js';

const NO_FLAGS = { up: false, uv: false, be: false, bs: false };
const HASH = new Uint8Array(32).fill(0xaa);
const KEY = encodeCbor(new Map([[3, -7]]));
const ATTESTED = { aaguid: new Uint8Array(16).fill(1), credentialId: Uint8Array.of(1, 2, 3), credentialPublicKey: KEY };
const hex = (flags: string, rest = '') => fromHex(`${'aa'.repeat(32)}${flags}00000005${rest}`);

const flags = fc.record({ up: fc.boolean(), uv: fc.boolean(), be: fc.boolean(), bs: fc.boolean(), byte: fc.nat(255) });
const input = fc.record(
  {
    rpIdHash: bytes(32, 32),
    flags,
    signCount: fc.nat(0xffffffff),
    attestedCredentialData: fc.record({ aaguid: bytes(16, 16), credentialId: bytes(40), credentialPublicKey: cborMap.map(encodeCbor) }),
    extensions: cborMap,
  },
  { requiredKeys: ['rpIdHash', 'flags', 'signCount'] },
);

describe('decodeAuthenticatorData', () => {
  test('reads an assertion', () => {
    expect(decodeAuthenticatorData(hex('05'))).toEqual({
      rpIdHash: HASH,
      flags: { up: true, uv: true, be: false, bs: false, at: false, ed: false, byte: 5 },
      signCount: 5,
    });
  });

  test.each([
    ['00', {}],
    ['01', { up: true }],
    ['04', { uv: true }],
    ['08', { be: true }],
    ['10', { bs: true }],
    ['22', { byte: 0x22 }],
  ])('reads the flags %s', (byte, set) => {
    const all = { ...NO_FLAGS, at: false, ed: false, byte: Number.parseInt(byte, 16) };
    expect(decodeAuthenticatorData(hex(byte)).flags).toEqual({ ...all, ...set });
  });

  test('reads the sign count without a sign', () => {
    expect(decodeAuthenticatorData(fromHex(`${'aa'.repeat(32)}00ffffffff`)).signCount).toBe(0xffffffff);
  });

  test('reads attested credential data, and keeps the key as it stands', () => {
    // Indefinite length, and one member with a longer head than needed: no canonical CBOR, but the bytes are what counts.
    const key = 'bf033807190001f6ff';
    expect(decodeAuthenticatorData(hex('41', `${'01'.repeat(16)}0003010203${key}`)).attestedCredentialData).toEqual({
      ...ATTESTED,
      credentialPublicKey: fromHex(key),
    });
  });

  test('reads extensions with and without attested credential data', () => {
    const extensions = new Map([['credProtect', 2]]);
    const extensionBytes = encodeCbor(extensions);
    expect(decodeAuthenticatorData(hex('81', toHex(extensionBytes)))).toMatchObject({ extensions, extensionBytes });
    const both = encodeAuthenticatorData({ rpIdHash: HASH, flags: NO_FLAGS, signCount: 0, attestedCredentialData: ATTESTED, extensions });
    expect(decodeAuthenticatorData(both)).toMatchObject({ attestedCredentialData: ATTESTED, extensions, extensionBytes });
  });

  test('reads credential IDs longer than the standard allows: that is a step of the registration', () => {
    const credentialId = new Uint8Array(1024).fill(7);
    const encoded = encodeAuthenticatorData({
      rpIdHash: HASH,
      flags: NO_FLAGS,
      signCount: 0,
      attestedCredentialData: { ...ATTESTED, credentialId },
    });
    expect(decodeAuthenticatorData(encoded).attestedCredentialData?.credentialId).toEqual(credentialId);
  });

  test('reads from the middle of a Buffer, and copies', () => {
    const source = Buffer.concat([Buffer.from([9, 9]), hex('05')]).subarray(2);
    const { rpIdHash } = decodeAuthenticatorData(source);
    source.fill(0);
    expect(rpIdHash).toEqual(HASH);
    expect(rpIdHash).not.toBeInstanceOf(Buffer);
  });

  const credential = `${'01'.repeat(16)}0003010203`;
  test.each([
    ['nothing', new Uint8Array(), 0, 'expected at least 37 bytes, got 0'],
    ['36 bytes', new Uint8Array(36), 36, 'expected at least 37 bytes, got 36'],
    [
      'a byte more',
      hex('05', '00'),
      37,
      'expected nothing after it, got 1 more byte (the flags announce no attested credential data and no extensions)',
    ],
    ['attested data without the flag', hex('05', `${credential}a0`), 37, 'expected nothing after it, got 22 more bytes'],
    [
      'a byte more after the key',
      hex('41', `${credential}a000`),
      59,
      'expected nothing after it, got 1 more byte (the flags announce attested',
    ],
    ['extensions without the flag', hex('41', `${credential}a0a0`), 59, 'no extensions'],
    ['a byte more after the extensions', hex('c1', `${credential}a0a0f6`), 60, 'expected nothing after it, got 1 more byte'],
    ['the flag without attested data', hex('41'), 37, 'expected 18 bytes of AAGUID and credential ID length from byte 37 on, got 0'],
    ['a cut credential ID', hex('41', `${'01'.repeat(16)}00030102`), 57, 'expected a credential ID of 3 bytes from byte 55 on, got 2'],
    ['no key', hex('41', credential), 58, 'expected an item, got the end'],
    ['a key that is no map', hex('41', `${credential}00`), 58, 'expected a map, got an unsigned integer'],
    ['a cut key', hex('41', `${credential}a10320`).slice(0, -1), 58, 'a map of length 1 is announced, but only 1 byte is left'],
    ['the flag without extensions', hex('81'), 37, '(extensions) is malformed at byte 37: expected an item, got the end'],
    ['extensions that are no map', hex('81', '80'), 37, 'expected a map, got an array'],
    ['extensions with a key twice', hex('81', 'a2616101616102'), 41, 'the map already has this key'],
  ])('refuses %s', (_, value, offset, detail) => {
    const error = { code: 'authenticator_data_malformed', message: expect.stringContaining(`malformed at byte ${offset}: `) };
    expect(() => decodeAuthenticatorData(value)).toThrow(expect.objectContaining(error));
    expect(() => decodeAuthenticatorData(value)).toThrow(detail);
  });

  test('answers or refuses whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(120), damaged(input.map(encodeAuthenticatorData))), (value) => {
        answersOrRefuses('authenticator_data_malformed', () => decodeAuthenticatorData(value));
      }),
      { numRuns: 150 },
    );
  });
});

describe('encodeAuthenticatorData', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(input, (data) => {
        const encoded = encodeAuthenticatorData(data);
        const decoded = decodeAuthenticatorData(encoded);
        const { byte: _, ...booleans } = data.flags;
        expect(decoded).toMatchObject({ rpIdHash: data.rpIdHash, signCount: data.signCount, flags: booleans });
        expect(decoded.attestedCredentialData).toEqual(data.attestedCredentialData);
        expect(decoded.extensions).toEqual(data.extensions);
        expect(decoded.flags.byte & 0x22).toBe(data.flags.byte & 0x22);
        expect(encodeAuthenticatorData(decoded)).toEqual(encoded);
      }),
    );
  });

  test('writes extension bytes as they are', () => {
    const extensionBytes = fromHex('bfff');
    const extensions: CborMap = new Map([['other', true]]);
    const encoded = encodeAuthenticatorData({ rpIdHash: HASH, flags: NO_FLAGS, signCount: 0, extensions, extensionBytes });
    expect(encoded).toEqual(concatBytes(HASH, fromHex('8000000000'), extensionBytes));
  });

  test.each([
    ['rpIdHash', { rpIdHash: new Uint8Array(31) }, 'RP ID hash of 32 bytes, got 31'],
    ['signCount', { signCount: 2 ** 32 }, 'sign count of 32 bits, got 4294967296'],
    ['signCount', { signCount: -1 }, 'got -1'],
    ['signCount', { signCount: 1.5 }, 'got 1.5'],
    ['aaguid', { attestedCredentialData: { ...ATTESTED, aaguid: new Uint8Array(15) } }, 'AAGUID of 16 bytes, got 15'],
    ['credentialId', { attestedCredentialData: { ...ATTESTED, credentialId: new Uint8Array(65536) } }, 'at most 65535 bytes, got 65536'],
  ])('refuses a %s that does not fit', (_, change, detail) => {
    const encode = () => encodeAuthenticatorData({ rpIdHash: HASH, flags: NO_FLAGS, signCount: 0, ...change });
    expect(encode).toThrow(expect.objectContaining({ code: 'authenticator_data_malformed', message: expect.stringContaining(detail) }));
  });
});
