import { describe, expect, test } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { decodeClientData, encodeClientData } from '../../src/webauthn/client-data.js';
import { fc } from '../properties.js';
import { answersOrRefuses, bytes, damaged, text } from './arbitraries.js';

const GOOD = { type: 'webauthn.get', challenge: 'Zm9v', origin: 'https://example.com' };
const json = (value: unknown) => encodeUtf8(JSON.stringify(value));

const input = fc.record(
  {
    type: text(),
    challenge: text(),
    origin: text(),
    crossOrigin: fc.boolean(),
    topOrigin: text(),
    extra: fc.dictionary(text(8), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
  },
  { requiredKeys: ['type', 'challenge', 'origin'] },
);

describe('decodeClientData', () => {
  test('reads what a browser sends', () => {
    const sent = { ...GOOD, crossOrigin: false, other_keys_can_be_added_here: 'do not compare clientDataJSON against a template.' };
    expect(decodeClientData(json(sent))).toEqual({ ...GOOD, crossOrigin: false, raw: sent });
  });

  test('reads an iframe’s', () => {
    const sent = { ...GOOD, crossOrigin: true, topOrigin: 'https://top.example' };
    expect(decodeClientData(json(sent))).toEqual({ ...sent, raw: sent });
  });

  test('keeps the challenge as it was sent', () => {
    expect(decodeClientData(json({ ...GOOD, challenge: 'Zm9+/w==' })).challenge).toBe('Zm9+/w==');
  });

  test('leaves out what is not there', () => {
    expect(Object.keys(decodeClientData(json(GOOD)))).toEqual(['type', 'challenge', 'origin', 'raw']);
  });

  test('strips a byte order mark', () => {
    expect(decodeClientData(concatBytes(fromHex('efbbbf'), json(GOOD)))).toMatchObject(GOOD);
  });

  test('puts U+FFFD where there is no UTF-8', () => {
    expect(decodeClientData(fromHex('7b2274797065223a22ff222c226368616c6c656e6765223a22222c226f726967696e223a22227d')).type).toBe('\ufffd');
  });

  test.each([{ status: 'supported' }, { status: 'present', id: 'AA' }, { status: 'unused' }, { status: 'not-supported' }, null, 'any'])(
    'keeps a tokenBinding of %j, which is reserved',
    (tokenBinding) => {
      expect(decodeClientData(json({ ...GOOD, tokenBinding }))).toMatchObject({ ...GOOD, tokenBinding });
    },
  );

  test('reads members in any order, with spaces and escapes', () => {
    const sent = ' { "origin" : "https://\\u0065xample.com" ,\n"challenge":"Zm9v", "type":"webauthn.get"\t} ';
    expect(decodeClientData(encodeUtf8(sent))).toMatchObject(GOOD);
  });

  test('does not take inherited members', () => {
    const sent = '{"__proto__":{"type":"webauthn.get"},"challenge":"Zm9v","origin":"https://example.com"}';
    expect(decodeClientData(encodeUtf8(sent))).not.toHaveProperty('type');
  });

  test.each([
    ['', 0, 'expected a JSON object, got the end'],
    ['   ', 3, 'got the end'],
    ['null', 0, 'expected a JSON object, got null'],
    ['[]', 0, 'expected a JSON object, got an array'],
    ['"text"', 0, 'expected a JSON object, got a string'],
    ['{}', 0, 'expected "challenge" to be a string, got none'],
    ['{"type":"a","challenge":"b","origin":"c"} x', 42, 'expected the end, got "x"'],
    ['{"type":"a","challenge":"b","origin":"c"', 40, 'expected "," or "}", got the end'],
    ['{"type":"a","challenge":"b","origin":"c",}', 41, 'expected a member name in double quotes, got "}"'],
    ['{"type":"a","challenge":7,"origin":"c"}', 24, 'expected "challenge" to be a string, got a value of type number'],
    ['{"type":"é","challenge":null,"origin":"c"}', 25, 'expected "challenge" to be a string, got null'],
    ['{"type":"a","challenge":"b","origin":["c"]}', 37, 'expected "origin" to be a string, got an array'],
    ['{"type":"a","challenge":"b","origin":"c","crossOrigin":"true"}', 55, 'expected "crossOrigin" to be a boolean or absent'],
    ['{"type":"a","challenge":"b","origin":"c","crossOrigin":null}', 55, 'expected "crossOrigin" to be a boolean or absent, got null'],
    ['{"type":"a","challenge":"b","origin":"c","topOrigin":false}', 53, 'expected "topOrigin" to be a string, got a value of type boolean'],
    ['\ufeff{"challenge":1}', 16, 'expected "challenge" to be a string'],
  ])('refuses %j at byte %i', (sent, offset, detail) => {
    expect(() => decodeClientData(encodeUtf8(sent))).toThrow(
      expect.objectContaining({
        code: 'client_data_malformed',
        message: expect.stringContaining(`The client data is malformed at byte ${offset}: `),
      }),
    );
    expect(() => decodeClientData(encodeUtf8(sent))).toThrow(detail);
  });

  test('answers or refuses whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(80), damaged(input.map(encodeClientData)), fc.json().map(encodeUtf8)), (value) => {
        answersOrRefuses('client_data_malformed', () => decodeClientData(value));
      }),
      { numRuns: 150 },
    );
  });
});

describe('encodeClientData', () => {
  test('writes the members in the standard’s order', () => {
    const { type, challenge, origin } = GOOD;
    const encoded = encodeClientData({
      extra: { z: 1, type: 'ignored', a: [] },
      topOrigin: 'https://top.example',
      crossOrigin: true,
      origin,
      challenge,
      type,
    });
    expect(decodeUtf8(encoded)).toBe(
      '{"type":"webauthn.get","challenge":"Zm9v","origin":"https://example.com","crossOrigin":true,"topOrigin":"https://top.example","z":1,"a":[]}',
    );
  });

  test('writes crossOrigin false when it is not given', () => {
    expect(decodeUtf8(encodeClientData(GOOD))).toBe(
      '{"type":"webauthn.get","challenge":"Zm9v","origin":"https://example.com","crossOrigin":false}',
    );
  });

  test('escapes as CCDToString does, not as JSON.stringify', () => {
    expect(decodeUtf8(encodeClientData({ ...GOOD, origin: '"\\\n\u0000\u001f\u007fé\u{1f511}' }))).toContain(
      '"origin":"\\"\\\\\\u000a\\u0000\\u001f\u007fé\u{1f511}"',
    );
  });

  test('comes back as it was', () => {
    fc.assert(
      fc.property(input, ({ extra, ...members }) => {
        const { raw, ...decoded } = decodeClientData(encodeClientData({ ...members, extra: { ...extra, topOrigin: undefined } }));
        expect(decoded).toEqual({
          crossOrigin: false,
          ...members,
          ...(Object.hasOwn(extra ?? {}, 'tokenBinding') && { tokenBinding: extra?.['tokenBinding'] }),
        });
        expect(Object.keys(raw)).toHaveLength(new Set([...Object.keys(decoded), ...Object.keys(extra ?? {})]).size);
      }),
    );
  });
});
