import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { recognise } from '../../../src/explain/annotate/recognise.js';
import { concatBytes, encodeUtf8, toHex } from '../../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { BINARY, JSON_SAMPLES, text } from './samples.js';

/** Little endian. */
const utf16 = (content: string): Uint8Array => Uint8Array.from(Buffer.from(content, 'utf16le'));

const ENCODINGS: readonly [name: string, encode: (bytes: Uint8Array) => Uint8Array, encodings: readonly string[]][] = [
  ['base64url', (bytes) => text(encodeBase64url(bytes)), ['base64url']],
  ['base64url with a line feed', (bytes) => text(`${encodeBase64url(bytes)}\n`), ['base64url']],
  ['hexadecimal', (bytes) => text(toHex(bytes)), ['hex']],
  ['upper case hexadecimal with colons', (bytes) => text((toHex(bytes).toUpperCase().match(/../g) ?? []).join(':')), ['hex']],
  ['0x and hexadecimal', (bytes) => text(`0x${toHex(bytes)}`), ['hex']],
  ['hexadecimal with dashes', (bytes) => text((toHex(bytes).toUpperCase().match(/../g) ?? []).join('-')), ['hex']],
  ['hexadecimal with spaces, in groups of four', (bytes) => text((toHex(bytes).match(/.{1,4}/g) ?? []).join(' ')), ['hex']],
  ['a list of 0x numbers', (bytes) => text((toHex(bytes).match(/../g) ?? []).map((pair) => `0x${pair}`).join(', ')), ['hex']],
  ['escapes of a string', (bytes) => text((toHex(bytes).match(/../g) ?? []).map((pair) => `\\x${pair}`).join('')), ['hex']],
  ['String(Uint8Array)', (bytes) => text(String(Uint8Array.from(bytes))), ['list of bytes']],
  ['base64url in UTF-16 with its mark', (bytes) => utf16(`\ufeff${encodeBase64url(bytes)}`), ['UTF-16', 'base64url']],
  ['base64url in UTF-16 without', (bytes) => utf16(encodeBase64url(bytes)), ['UTF-16', 'base64url']],
  [
    'base64url in UTF-16, the other byte first',
    (bytes) => Uint8Array.from(Buffer.from(`\ufeff${encodeBase64url(bytes)}`, 'utf16le').swap16()),
    ['UTF-16', 'base64url'],
  ],
  ['a JSON string', (bytes) => text(JSON.stringify(encodeBase64url(bytes))), ['JSON string', 'base64url']],
  ['a list of bytes', (bytes) => text([...bytes]), ['JSON list of bytes']],
  ['a Uint8Array through JSON.stringify', (bytes) => text(JSON.stringify(Uint8Array.from(bytes))), ['JSON list of bytes']],
  ['a Node buffer through JSON.stringify', (bytes) => text(JSON.stringify(Buffer.from(bytes))), ['JSON list of bytes']],
  ['base64url of base64url', (bytes) => text(encodeBase64url(text(encodeBase64url(bytes)))), ['base64url', 'base64url']],
];

describe.each(Object.entries(BINARY))('%s', (kind, bytes) => {
  test('as bytes', () => expect(recognise(bytes)).toMatchObject({ kind, items: [{ bytes }] }));

  test.each(ENCODINGS)('as %s', (_, encode, encodings) => {
    expect(recognise(encode(bytes))).toMatchObject({ kind, items: [{ bytes }], encodings });
  });

  test('as padded base64', () => {
    const recognised = recognise(text(encodeBase64(bytes)));
    expect(recognised).toMatchObject({ kind, items: [{ bytes }] });
  });
});

test.each([
  [1023, /authenticator data .*expected a credential ID of 1023 bytes/],
  [1024, /cannot be recognised/],
])('bytes that announce a credential ID of %i bytes and break off', (length, message) => {
  const bytes = new Uint8Array(60).fill(0x99);
  bytes.set([0x41], 32);
  bytes.set([length >> 8, length & 0xff], 53);
  expect(() => recognise(bytes)).toThrow(expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }));
});

describe.each(Object.entries(JSON_SAMPLES))('%s', (kind, json) => {
  test.each<[string, unknown, string]>([
    ['by itself', json, ''],
    ['inside publicKey', { publicKey: json }, '/publicKey'],
    ['inside a wrapper of two', { label: 'x', data: { 'a/b': json } }, '/data/a~1b'],
  ])('%s', (_, document, pointer) => {
    expect(recognise(text(document))).toMatchObject({ kind, json, pointer, encodings: ['JSON'] });
  });

  test('with a byte order mark, or as base64', () => {
    expect(recognise(concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), text(json)))).toMatchObject({ kind });
    expect(recognise(text(encodeBase64(text(json))))).toMatchObject({ kind });
  });
});

test.each<[string, string, unknown]>([
  ['creation options without a challenge', 'creation-options', { rp: { name: 'x' }, user: {}, pubKeyCredParams: [] }],
  ['request options without a challenge', 'request-options', { publicKey: { rpId: 'example.org', userVerification: 'required' } }],
  ['request options of a challenge alone', 'request-options', { publicKey: { challenge: 'A'.repeat(43) } }],
  ['a registration without client data', 'registration', { id: 'AA', response: { attestationObject: 'AA' } }],
  [
    'a registration without its attestation object',
    'registration',
    { response: { clientDataJSON: 'e30', authenticatorData: 'AA', transports: [] } },
  ],
  ['an authentication without client data', 'authentication', { response: { authenticatorData: 'AA', signature: 'AA' } }],
  ['an answer of GraphQL', 'request-options', { data: { viewer: { login: { options: { publicKey: JSON_SAMPLES['request-options'] } } } } }],
])('%s', (_, kind, json) => {
  expect(recognise(text(json))).toMatchObject({ kind });
});

test('knows fixtures and HTTP archives by their marks', () => {
  expect(recognise(text({ format: 'passkey-fixture' }))).toMatchObject({ kind: 'fixture' });
  expect(recognise(text({ log: { entries: [] } }))).toMatchObject({ kind: 'har' });
});

describe('what is not what it seems', () => {
  const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1);
  const trailing = (bytes: Uint8Array) => concatBytes(bytes, Uint8Array.of(0));
  const at = (bytes: Uint8Array) => new RegExp(`byte ${bytes.length}\\b`);
  const attestation = BINARY['attestation-object'];
  const spki = Uint8Array.from(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' }));

  test.each<[string, Uint8Array, RegExp]>([
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
    ['a few bytes', Uint8Array.of(1, 2, 3), /cannot be recognised: it is 3 bytes, the first 0x01\. Give a whole response/],
    ['white space', text(' \n'), /contains only white space/],
    ['one character', text('A'), /is too short: its base64url text does not fill one byte/],
    ['the first 37 bytes of an attestation object', attestation.subarray(0, 37), /looks most like attestation object/],
    ['the first 40 bytes of a COSE key', BINARY['cose-key'].subarray(0, 40), /looks most like COSE key/],
    [
      'many bytes of nothing',
      new Uint8Array(100).map((__, index) => index * 97 + 13),
      /cannot be recognised: it is 100 bytes, the first 0x0d\. Give/,
    ],
    [
      'base64url with its last bits changed',
      text(encodeBase64url(BINARY['cose-key']).replace(/.$/, 'B')),
      /is base64url, but its last character, "B" at position 102, completes no byte/,
    ],
    ['hexadecimal that lacks a digit', text(toHex(attestation).slice(1)), /looks like hexadecimal, but has an odd number of digits/],
    [
      'hexadecimal with a letter too far',
      text(toHex(attestation).replace(/^.{20}/, '$&o')),
      /"o" at position 20 is not a hexadecimal digit/,
    ],
    [
      'hexadecimal with colons and a letter too far',
      text(`${(toHex(attestation).match(/../g) ?? []).join(':')}:0g`),
      /"g" at position \d+ is not a hexadecimal digit/,
    ],
    ['a dump with offsets', text('00000000: a363 666d 7466'), /":" at position 8/],
    [
      'JSON that is not UTF-8',
      concatBytes(text('{"challenge":"abcdef'), Uint8Array.of(0xff), text('"}')),
      /looks like JSON, but byte 20 is not UTF-8; got 0xff/,
    ],
    ['a signed token', text('eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln'), /signed token \(JWT\).*--metadata FILE/],
    ['a SubjectPublicKeyInfo', spki, /cannot be recognised: it is 91 bytes.*what getPublicKey\(\) gives/],
    ['a signature', text(JSON_SAMPLES.authentication.response.signature), /ECDSA signature in DER.*whole authentication response/],
    ['a bare point', new Uint8Array(65).with(0, 4), /bare point/],
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8), /gzip; decompress/],
    ['a JWK', text({ kty: 'EC' }), /This is a JWK/],
    ['a response without its credential', text(JSON_SAMPLES.registration.response), /without the credential around it/],
    ['an array of credentials', text([JSON_SAMPLES.registration]), /JSON array; give one object/],
    [
      'PEM with a wrong character',
      text('x\n-----BEGIN CERTIFICATE-----\nMIIB\nAA!A\n-----END CERTIFICATE-----'),
      /"!" at 4:3 \(line:column\)/,
    ],
    ['PEM of a public key', text('-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'), /"PUBLIC KEY".*COSE_Key/],
    ['PEM without an end', text('-----BEGIN CERTIFICATE-----\nMIIB'), /without a matching END line/],
  ])('%s', (_, bytes, message) => {
    expect(() => recognise(bytes)).toThrow(expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }));
  });

  const NONE = 'that is none of: JSON, PEM, hexadecimal, base64, base64url.';

  test.each<[string, string, string]>([
    ['another script', 'Grüße', '"ü" at position 2'],
    ['lines of different width', 'A1b2\nC3d4e5f6\nG7h8', '"\\n" at position 4'],
    ['padding in the middle', 'AA=AAA', '"=" at position 2'],
    ['text behind white space', '  a, b', '"," at position 3'],
  ])('text that is no encoding: %s', (_, content, place) => {
    expect(() => recognise(encodeUtf8(content), 'a.txt')).toThrow(
      expect.objectContaining({ message: `a.txt is text ${NONE} ${place} does not belong in any of them.` }),
    );
  });

  test.each([
    ['two words', 'hello world'],
    ['a sentence, long as authenticator data', 'words without a point that go on for more than thirty seven bytes'],
    ['Markdown with letters outside ASCII', '# Passkeys – a tool\n\nText.\n'],
    ['a line of a log', '[2026-01-15T10:30:00Z] WARN the lamp is out'],
    ['a printed error', '[Error: the lamp is out]'],
    ['words in quotes', '"The lamp is out", it said.'],
    ['JSON that says something', '{"ok":false,"errors":[{"message":"The lamp is out."}]}'],
  ])('a sentence is an error that is not known: %s', (_, content) => {
    expect(() => recognise(encodeUtf8(content), 'a.txt')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^a\.txt: This error is unknown; add the HAR or the response\.(?: The most similar|$)/),
      }),
    );
  });

  test.each([
    ['hexadecimal', 'a1'.repeat(500_000)],
    ['hexadecimal with colons', 'a1:'.repeat(300_000)],
    ['numbers', '17, '.repeat(300_000)],
    ['base64', 'Zm9v'.repeat(250_000)],
    ['white space', ' '.repeat(1_000_000)],
    ['names without quotes', `{${'a'.repeat(500_000)} ${'(1'.repeat(200_000)}}`],
    ['braces', '{'.repeat(1_000_000)],
    ['backslashes', '\\'.repeat(500_000)],
    ['quotes', `{${"'\\'".repeat(300_000)}}`],
  ])('long texts do not exhaust the stack: %s', (_, content) => {
    expect(() => recognise(encodeUtf8(content))).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });

  test('wrapped base64 that is cut is still told by its byte', () => {
    const wrapped = encodeBase64(cut(attestation)).replaceAll(/.{64}/g, '$&\n');
    expect(() => recognise(text(wrapped), 'a.txt')).toThrow(/^a\.txt looks most like attestation object/);
  });

  test('never throws anything else, whatever the bytes', () => {
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
