import { describe, expect, test } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/kernel/bytes.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { type CborValue, encodeCbor } from '../../src/webauthn/cbor.js';
import { fc } from '../properties.js';
import { answersOrRefuses, bytes, canonicalMap, damaged, text } from './arbitraries.js';

const AUTH_DATA = Uint8Array.of(1, 2, 3);
const object = (members: Record<string, CborValue>) => encodeCbor(new Map<CborValue, CborValue>(Object.entries(members)));
const statement = (fmt: string) => new Map<CborValue, CborValue>(Object.entries({ fmt, attStmt: new Map([['sig', Uint8Array.of(1)]]) }));

const single = fc.record({ fmt: text().filter((fmt) => fmt !== 'compound'), attStmt: canonicalMap });
const input = fc.oneof(
  fc.tuple(single, bytes(40)).map(([one, authData]) => ({ ...one, authData })),
  fc
    .tuple(fc.array(single, { minLength: 2, maxLength: 3 }), bytes(40))
    .map(([statements, authData]) => ({ fmt: 'compound', attStmt: new Map(), authData, statements })),
);

describe('decodeAttestationObject', () => {
  test('reads one without statement', () => {
    const encoded = fromHex('a363666d74646e6f6e656761747453746d74a068617574684461746143010203');
    expect(decodeAttestationObject(encoded)).toEqual({ fmt: 'none', attStmt: new Map(), authData: AUTH_DATA });
    expect(toHex(encodeAttestationObject({ fmt: 'none', attStmt: new Map(), authData: AUTH_DATA }))).toBe(toHex(encoded));
  });

  test('reads members in any order, and ignores others', () => {
    expect(
      decodeAttestationObject(fromHex('a56161f668617574684461746143010203656570417474f56761747453746d74a063666d74646e6f6e65')),
    ).toEqual({
      fmt: 'none',
      attStmt: new Map(),
      authData: AUTH_DATA,
    });
  });

  const [FMT, STATEMENT, DATA] = ['63666d74646e6f6e65', '6761747453746d74a0', '68617574684461746143010203'];
  test.each([
    ['a map of indefinite length', `bf${FMT}${STATEMENT}${DATA}ff`, 0, 'the length of a map is definite'],
    ['a map with a long head', `b803${FMT}${STATEMENT}${DATA}`, 0, 'writes 3 in the fewest bytes'],
    ['a tag', `a3${FMT}${STATEMENT}686175746844617461c143010203`, 28, 'has no tags'],
    ['authenticator data in chunks', `a3${FMT}${STATEMENT}6861757468446174615f41014102ff`, 28, 'the length of a byte string is definite'],
    ['a statement of indefinite length', `a3${FMT}6761747453746d74bfff${DATA}`, 18, 'the length of a map is definite'],
    ['a member with a long head', `a3${FMT}6761747453746d74a163616c673806${DATA}`, 23, 'writes 6 in the fewest'],
  ])('refuses %s, as CTAP2 does', (_, hex, offset, detail) => {
    expect(() => decodeAttestationObject(fromHex(hex))).toThrow(
      expect.objectContaining({
        code: 'attestation_malformed',
        message: expect.stringMatching(`at byte ${offset}: expected canonical CBOR.*${detail}`),
      }),
    );
  });

  test('reads the statements of a compound attestation', () => {
    const encoded = object({ fmt: 'compound', attStmt: [statement('packed'), statement('tpm')], authData: AUTH_DATA });
    expect(decodeAttestationObject(encoded)).toEqual({
      fmt: 'compound',
      attStmt: new Map(),
      authData: AUTH_DATA,
      statements: [
        { fmt: 'packed', attStmt: new Map([['sig', Uint8Array.of(1)]]) },
        { fmt: 'tpm', attStmt: new Map([['sig', Uint8Array.of(1)]]) },
      ],
    });
  });

  const nested = new Map<CborValue, CborValue>(Object.entries({ fmt: 'compound', attStmt: [statement('packed'), statement('tpm')] }));
  test.each([
    ['none', [], []],
    ['one', [statement('packed')], ['packed']],
    ['another compound', [statement('packed'), nested], ['packed', 'compound']],
  ])('reads a compound attestation of %s, which §7.1 step 22 judges', (_, attStmt, formats) => {
    const { statements } = decodeAttestationObject(object({ fmt: 'compound', attStmt, authData: AUTH_DATA }));
    expect(statements?.map(({ fmt }) => fmt)).toEqual(formats);
  });

  const none = { fmt: 'none', attStmt: new Map(), authData: AUTH_DATA };
  test.each([
    ['nothing', new Uint8Array(), 0, 'expected an item, got the end'],
    ['an array', fromHex('80'), 0, 'expected a map, got an array'],
    ['a byte more', concatBytes(object(none), Uint8Array.of(0)), 32, 'expected nothing after it, got 1 more byte'],
    ['a cut one', object(none).slice(0, -1), 28, 'a byte string of length 3 is announced, but only 2 bytes are left'],
    ['no fmt', object({ attStmt: new Map(), authData: AUTH_DATA }), 0, 'expected "fmt" to be a text string, got none'],
    ['no authData', object({ fmt: 'none', attStmt: new Map() }), 0, 'expected "authData" to be a byte string, got none'],
    ['no attStmt', object({ fmt: 'none', authData: AUTH_DATA }), 0, 'expected "attStmt" to be a map, got none'],
    ['a fmt of bytes', object({ ...none, fmt: AUTH_DATA }), 5, 'expected "fmt" to be a text string, got a byte string'],
    [
      'an authData of text',
      object({ ...none, authData: 'AQID' }),
      28,
      'expected "authData" to be a byte string, got a value of type string',
    ],
    ['an attStmt of null', object({ ...none, attStmt: null }), 18, 'expected "attStmt" to be a map, got null'],
    ['an attStmt of a list', object({ ...none, attStmt: [statement('packed'), statement('tpm')] }), 18, 'to be a map, got an array of 2'],
    ['fmt twice', fromHex('a263666d74646e6f6e6563666d74646e6f6e65'), 10, 'the map already has this key'],
    ['a compound of numbers', object({ ...none, fmt: 'compound', attStmt: [1, 2] }), 22, 'an array of maps'],
    ['a compound that is a map', object({ ...none, fmt: 'compound' }), 22, 'an array of maps with "fmt" and "attStmt", got a map'],
  ])('refuses %s', (_, value, offset, detail) => {
    const message = `The attestation object is malformed at byte ${offset}: `;
    expect(() => decodeAttestationObject(value)).toThrow(
      expect.objectContaining({ code: 'attestation_malformed', message: expect.stringContaining(message) }),
    );
    expect(() => decodeAttestationObject(value)).toThrow(detail);
  });

  test('answers or refuses whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(80), damaged(input.map(encodeAttestationObject))), (value) => {
        answersOrRefuses('attestation_malformed', () => decodeAttestationObject(value));
      }),
      { numRuns: 150 },
    );
  });
});

describe('encodeAttestationObject', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(input, (value) => {
        expect(decodeAttestationObject(encodeAttestationObject(value))).toEqual(value);
      }),
    );
  });
});
