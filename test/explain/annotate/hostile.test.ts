import { describe, expect, test } from 'vitest';
import { harCeremonies, harFindings } from '../../../src/explain/annotate/har.js';
import { readPemCertificates } from '../../../src/explain/annotate/pem.js';
import { recognise } from '../../../src/explain/annotate/recognise.js';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { type CborValue, encodeCbor } from '../../../src/webauthn/cbor.js';
import { all, find, JSON_SAMPLES, text, treeOf, vector } from './samples.js';

/** A text where JSON holds something that has no text. */
const TEXTLESS = { toString: 1, valueOf: 1 };
const levels = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;

describe('names that every object inherits', () => {
  test.each(['constructor', '__proto__', 'toString'])('a member %s of client data is one that nobody knows', (name) => {
    const tree = treeOf(text(`{"type":"webauthn.get","challenge":"AAAA","origin":"https://a.example","${name}":1}`));
    expect(find(tree, name)?.note).toBe('not a member of the standard; verifiers ignore it');
  });

  test.each(['constructor', '__proto__'])('an attestation statement format %s is not registered', (fmt) => {
    const object = encodeCbor(
      new Map<CborValue, CborValue>([
        ['fmt', fmt],
        ['attStmt', new Map()],
        ['authData', vector.authentication.authenticatorData],
      ]),
    );
    expect(find(treeOf(object), 'fmt')?.note).toBe('not a registered format');
  });

  test.each(['constructor', '__proto__'])('a key type, a curve and a label %s of a COSE key are unknown', (name) => {
    const key = (kty: CborValue) =>
      treeOf(
        encodeCbor(
          new Map<CborValue, CborValue>([
            [1, kty],
            [3, -7],
            [-1, name],
            [name, 1],
          ]),
        ),
      );
    expect(key(name).note).toBe(`unknown key type ${name}`);
    expect(key(2).note).toBe('EC2');
    expect(all(key(2)).map(({ label, note }) => [label, note])).toEqual(
      expect.arrayContaining([
        ['crv (-1)', 'unknown curve'],
        [`unknown label (${name})`, undefined],
      ]),
    );
  });
});

describe('objects where a text is expected', () => {
  test('the URL of a request of an archive', () => {
    const postData = { text: JSON.stringify(JSON_SAMPLES.authentication) };
    const [found] = harFindings({ log: { entries: [{ request: { url: TEXTLESS, headers: [], postData } }] } });
    expect(found).toMatchObject({ url: '(no URL)', origin: undefined });
  });

  test('the name of a header', () => {
    const postData = { text: JSON.stringify(JSON_SAMPLES.authentication) };
    const headers = [
      { name: TEXTLESS, value: 'x' },
      { name: 'Origin', value: 'https://a.example' },
    ];
    const [found] = harFindings({ log: { entries: [{ request: { url: 'https://a.example/', headers, postData } }] } });
    expect(found?.origin).toBe('https://a.example');
  });

  test('the number of an algorithm', () => {
    const tree = treeOf(text({ ...JSON_SAMPLES['creation-options'], pubKeyCredParams: [{ alg: TEXTLESS }, { alg: -7 }] }));
    expect(find(tree, 'pubKeyCredParams', '[0]', 'toString')?.value).toBe('1');
    expect(find(tree, 'pubKeyCredParams', '[1]')).toMatchObject({ value: '-7', note: 'ES256' });
  });

  test('the name of a fixture in a body of an archive', () => {
    const body = { format: 'passkey-fixture', name: TEXTLESS, kind: TEXTLESS };
    const tree = treeOf(text({ log: { entries: [{ request: { url: 'x', postData: { text: JSON.stringify(body) } } }] } }));
    expect(find(tree, 'entry 0, request')).toMatchObject({ value: 'passkey fixture', note: 'x' });
  });
});

describe('JSON that is nested deep', () => {
  const nested = (count: number) => `{"type":"webauthn.get","challenge":"AAAA","origin":"https://a.example","x":${levels(count)}}`;

  test('is read to 200 levels', () => expect(recognise(text(nested(199))).kind).toBe('client-data'));

  test.each([200, 100_000])('and refused where there are %i more', (count) => {
    const column = nested(0).length + 199;
    const message = `f looks like JSON, but at 1:${column} (line:column) at most 200 levels is expected; got "[".`;
    expect(() => recognise(text(nested(count)), 'f')).toThrow(expect.objectContaining({ code: 'validation_failed', message }));
  });

  test('is client data all the same inside a credential', () => {
    const response = { ...JSON_SAMPLES.authentication.response, clientDataJSON: encodeBase64url(text(nested(100_000))) };
    const x = find(treeOf(text({ ...JSON_SAMPLES.authentication, response })), 'response', 'clientDataJSON', 'x');
    expect(x?.offset).toBe(nested(0).length - 1);
    expect(x).not.toHaveProperty('length');
  });

  test('stays away in the body of an archive', () => {
    const body = JSON.stringify({ ...JSON_SAMPLES.authentication, x: 0 }).replace('"x":0', `"x":${levels(300)}`);
    expect(harFindings({ log: { entries: [{ request: { url: 'x', postData: { text: body } } }] } })).toEqual([]);
  });
});

describe('what is large', () => {
  test.each<[string, Uint8Array, string]>([
    ['hexadecimal', text('aa '.repeat(1_500_000)), 'f is too large: 4500000 bytes; expected at most 4194304 for anything but JSON.'],
    ['bytes', new Uint8Array(4_194_305), 'f is too large: 4194305 bytes; expected at most 4194304 for anything but JSON.'],
    ['UTF-16', Uint8Array.from(Buffer.from('A'.repeat(5_000_000), 'utf16le')), 'f is too large: 5000000 bytes inside the UTF-16; expected'],
    ['a text in JSON', text(JSON.stringify('A'.repeat(5_000_000))), 'f is too large: 5000000 bytes inside the JSON string; expected'],
    [
      'a token',
      text(`eyJhbGciOiJSUzI1NiJ9.${'A'.repeat(5_000_000)}.AAAA`),
      'for anything but JSON. This is a signed token (JWT). Give a BLOB of',
    ],
    [
      'an archive',
      concatBytes(Uint8Array.of(0x50, 0x4b, 3, 4), new Uint8Array(5_000_000)),
      'for anything but JSON. This is a zip archive; unpack it',
    ],
  ])('%s is refused', (_, bytes, message) => {
    expect(() => recognise(bytes, 'f')).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(message) }),
    );
  });

  test('JSON is not', () => {
    const large = { ...JSON_SAMPLES.authentication, x: 'A'.repeat(5_000_000) };
    expect(recognise(text(`\ufeff\n ${JSON.stringify(large)}`)).kind).toBe('authentication');
  });
});

test('JSON of 100,000 values is read, and no more', () => {
  const credential = (values: number) =>
    text({ response: { signature: 'AAAA', clientDataJSON: 'AAAA' }, more: Array.from({ length: values }, () => 0) });
  expect(recognise(credential(99_995)).kind).toBe('authentication');
  expect(() => recognise(credential(99_996), 'f')).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      message: 'f is too large: JSON that is not an HTTP archive is expected to have 100000 values at most; got more.',
    }),
  );
});

test('an archive may have a million values in its objects of WebAuthn', () => {
  const body = JSON.stringify({ ...JSON_SAMPLES.authentication, x: Array.from({ length: 99_000 }, () => 0) });
  const archive = (count: number) => ({
    log: { entries: Array.from({ length: count }, () => ({ request: { postData: { text: body } } })) },
  });
  expect(harFindings(archive(10))).toHaveLength(10);
  expect(() => harFindings(archive(11))).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

describe('what took the square of its length', () => {
  const PEM = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

  test('PEM that begins and never ends', () => {
    const begins = Array.from({ length: 40_000 }, (_, index) => `-----BEGIN CERTIFICATE${' '.repeat(index % 2)}-----\n`).join('');
    expect(() => readPemCertificates(begins, 'f')).toThrow('f looks like PEM, but has a BEGIN line without a matching END line.');
  });

  test('and the blocks of a PEM text are those that end', () => {
    const read = (content: string) => readPemCertificates(content, 'f').map((bytes) => [...bytes]);
    expect(read(`a\n${PEM('CERTIFICATE', 'AQID')}b\n${PEM('CERTIFICATE', 'BAUG')}`)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(read(`-----END CERTIFICATE-----\n-----BEGIN OTHER-----\n${PEM('CERTIFICATE', 'AQID')}`)).toEqual([[1, 2, 3]]);
  });

  test('an archive of thousands of ceremonies, whose options are the first with the challenge', () => {
    const challengeAt = (index: number) => encodeBase64url(Uint8Array.of(251, 255, index >> 8, index & 255));
    const body = (value: object) => ({ request: { url: 'https://a.example/', postData: { text: JSON.stringify(value) } } });
    const count = 5000;
    const options = Array.from({ length: count }, (_, index) => ({
      challenge: `${challengeAt(index).replaceAll('-', '+')}==`,
      rpId: `${index}`,
    }));
    const credentials = Array.from({ length: count }, (_, index) => {
      const data = { type: 'webauthn.get', challenge: challengeAt(count - index), origin: 'https://a.example' };
      const clientDataJSON = encodeBase64url(encodeUtf8(JSON.stringify(data)));
      return { ...JSON_SAMPLES.authentication, response: { ...JSON_SAMPLES.authentication.response, clientDataJSON } };
    });
    const again = { challenge: challengeAt(7), rpId: 'again' };
    const ceremonies = harCeremonies(harFindings({ log: { entries: [...options, again, ...credentials].map(body) } }));
    expect(ceremonies.map((ceremony) => ceremony.options?.['rpId'])).toEqual(
      Array.from({ length: count }, (_, index) => (index === 0 ? undefined : `${count - index}`)),
    );
  });
});
