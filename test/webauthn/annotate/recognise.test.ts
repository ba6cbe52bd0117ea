import { describe, expect, it } from 'vitest';
import { recognise } from '../../../src/webauthn/annotate/recognise.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { concatBytes, encodeUtf8, toHex } from '../../../src/webauthn/bytes.js';
import { BINARY, JSON_SAMPLES, text } from './samples.js';

const ENCODINGS: readonly [name: string, encode: (bytes: Uint8Array) => Uint8Array, encodings: readonly string[]][] = [
  ['base64url', (bytes) => text(encodeBase64url(bytes)), ['base64url']],
  ['base64url with a line feed', (bytes) => text(`${encodeBase64url(bytes)}\n`), ['base64url']],
  ['hexadecimal', (bytes) => text(toHex(bytes)), ['hex']],
  ['upper case hexadecimal with colons', (bytes) => text((toHex(bytes).toUpperCase().match(/../g) ?? []).join(':')), ['hex']],
  ['0x and hexadecimal', (bytes) => text(`0x${toHex(bytes)}`), ['hex']],
  ['a JSON string', (bytes) => text(JSON.stringify(encodeBase64url(bytes))), ['JSON string', 'base64url']],
  ['a list of bytes', (bytes) => text([...bytes]), ['JSON list of bytes']],
  ['a Uint8Array through JSON.stringify', (bytes) => text(JSON.stringify(Uint8Array.from(bytes))), ['JSON list of bytes']],
  ['a Node buffer through JSON.stringify', (bytes) => text(JSON.stringify(Buffer.from(bytes))), ['JSON list of bytes']],
  ['base64url of base64url', (bytes) => text(encodeBase64url(text(encodeBase64url(bytes)))), ['base64url', 'base64url']],
];

describe.each(Object.entries(BINARY))('%s', (kind, bytes) => {
  it('as bytes', () => expect(recognise(bytes)).toMatchObject({ kind, items: [bytes] }));

  it.each(ENCODINGS)('as %s', (_, encode, encodings) => {
    expect(recognise(encode(bytes))).toEqual({ kind, items: [bytes], encodings });
  });

  it('as padded base64', () => {
    const recognised = recognise(text(encodeBase64(bytes)));
    expect(recognised).toMatchObject({ kind, items: [bytes] });
  });
});

describe.each(Object.entries(JSON_SAMPLES))('%s', (kind, json) => {
  it.each<[string, unknown, string]>([
    ['by itself', json, ''],
    ['inside publicKey', { publicKey: json }, '/publicKey'],
    ['inside a wrapper of two', { label: 'x', data: { 'a/b': json } }, '/data/a~1b'],
  ])('%s', (_, document, pointer) => {
    expect(recognise(text(document))).toEqual({ kind, json, pointer, encodings: ['JSON'] });
  });

  it('with a byte order mark, or as base64', () => {
    expect(recognise(concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), text(json)))).toMatchObject({ kind });
    expect(recognise(text(encodeBase64(text(json))))).toMatchObject({ kind });
  });
});

it('knows fixtures and HTTP archives by their marks', () => {
  expect(recognise(text({ format: 'passkey-fixture' }))).toMatchObject({ kind: 'fixture' });
  expect(recognise(text({ log: { entries: [] } }))).toMatchObject({ kind: 'har' });
});

describe('what is not what it seems', () => {
  const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1);
  const trailing = (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0));
  const at = (bytes: Uint8Array) => new RegExp(`byte ${bytes.length}\\b`);
  const attestation = BINARY['attestation-object'];

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /empty/],
    ['an attestation object that is cut', cut(attestation), /attestation object[\s\S]*is malformed at byte/],
    ['an attestation object with a byte more', trailing(attestation), at(attestation)],
    ['the same as base64url', text(encodeBase64url(trailing(attestation))), at(attestation)],
    ['a COSE key with a byte more', trailing(BINARY['cose-key']), at(BINARY['cose-key'])],
    ['authenticator data with a byte more', trailing(BINARY['authenticator-data']), at(BINARY['authenticator-data'])],
    ['JSON with a comma too much', text('{\n  "id": 1,\n}'), /3:1 \(line:column\)/],
    ['JSON of something else', text({ hello: 'world' }), /is none of/],
    ['a credential that JSON.stringify emptied', text({ type: 'public-key', rawId: {}, response: {} }), /toJSON\(\)/],
    ['text with a character outside', text('AAAA!AAA'), /"!" at position 4/],
    ['a private key in PEM', text('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'), /PRIVATE KEY/],
    ['a certificate that is none', text('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'), /certificate/],
    ['a few bytes', Uint8Array.of(1, 2, 3), /3 bytes that begin with 0x01/],
  ])('%s', (_, bytes, message) => {
    expect(() => recognise(bytes)).toThrow(expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }));
  });

  const NONE = 'that is none of: JSON, PEM, hexadecimal, base64, base64url.';

  it.each<[string, string, string]>([
    ['two words', 'hello world', '" " at position 5'],
    ['a sentence, long as authenticator data', 'words without a point that go on for more than thirty seven bytes', '" " at position 5'],
    ['Markdown with letters outside ASCII', '# Passkeys – a tool\n\nText.\n', '"#" at position 0'],
    ['another script', 'Grüße', '"ü" at position 2'],
    ['lines of different width', 'hello\nwonderful\nworld', '"\\n" at position 5'],
    ['padding in the middle', 'AA=AAA', '"=" at position 2'],
    ['text behind white space', '  a, b', '"," at position 3'],
  ])('text that is no encoding: %s', (_, content, place) => {
    expect(() => recognise(encodeUtf8(content), 'a.txt')).toThrow(
      expect.objectContaining({ message: `a.txt is text ${NONE} ${place} does not belong in any of them.` }),
    );
  });

  it('wrapped base64 that is cut is still told by its byte', () => {
    const wrapped = encodeBase64(cut(attestation)).replaceAll(/.{64}/g, '$&\n');
    expect(() => recognise(text(wrapped), 'a.txt')).toThrow(/^a\.txt looks most like attestation object/);
  });

  it('never throws anything else, whatever the bytes', () => {
    for (const sample of [...Object.values(BINARY), text(JSON_SAMPLES.registration), encodeUtf8('-----BEGIN CERTIFICATE-----')]) {
      for (let index = 0; index < sample.length; index += 3) {
        for (const changed of [sample.subarray(0, index), sample.with(index, (sample[index] ?? 0) ^ 0x55)]) {
          try {
            recognise(changed);
          } catch (error) {
            expect(error).toMatchObject({ name: 'PasskeyError' });
          }
        }
      }
    }
  });
});
