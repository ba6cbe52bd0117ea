import { createPublicKey, ECDH } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPublicKey } from '../../src/explain/public-key.js';
import { concatBytes, encodeUtf8, toHex } from '../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeCborMap, encodeCbor } from '../../src/webauthn/cbor.js';
import { type CoseKey, decodeCoseKey, encodeCoseKey, toJwk } from '../../src/webauthn/cose-key.js';
import { encodeSubjectPublicKeyInfo, uncompressedPoint } from '../../src/webauthn/subject-public-key-info.js';
import { fixtures, registration } from '../cli/explain/run-explain.js';

const credentialIdOf = ({ response }: typeof registration) => String(response['id']);
const logins = fixtures.filter(({ kind }) => kind === 'authentication');
const coseOf = (alg: number): Uint8Array => {
  const keys = logins.map(({ credential }) => Uint8Array.from(Buffer.from(credential?.publicKey ?? '', 'base64url')));
  const found = keys.find((bytes) => decodeCoseKey(bytes).alg === alg);
  if (found === undefined) throw new Error(`expected a recorded login with a key of ${alg}`);
  return found;
};
const cose = coseOf(-7);
const key = decodeCoseKey(cose);
if (key.kty !== 2) throw new Error('expected a key on a curve');
const spki = encodeSubjectPublicKeyInfo(key);
const point = uncompressedPoint(key);
const pem = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  .export({ format: 'pem', type: 'spki' })
  .toString();
const id = credentialIdOf(registration);

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const python = (bytes: Uint8Array): string =>
  `b'${[...bytes].map((byte) => (byte > 0x20 && byte < 0x7f && byte !== 0x5c && byte !== 0x27 ? String.fromCharCode(byte) : `\\x${toHex(Uint8Array.of(byte))}`)).join('')}'`;
const octal = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => (byte > 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`))
    .join('');

const ENCODINGS: Readonly<Record<string, (bytes: Uint8Array) => string | Uint8Array>> = {
  'as bytes': (bytes) => bytes,
  base64: encodeBase64,
  base64url: encodeBase64url,
  'base64 of a form that was not encoded': (bytes) => encodeBase64(bytes).replaceAll('+', ' '),
  'base64 in lines': (bytes) => encodeBase64(bytes).replaceAll(/.{20}/g, '$&\n'),
  hexadecimal: toHex,
  'upper-case hexadecimal': (bytes) => toHex(bytes).toUpperCase(),
  'hexadecimal with colons': (bytes) => toHex(bytes).replaceAll(/..(?=.)/g, '$&:'),
  'bytea of PostgreSQL': (bytes) => `\\x${toHex(bytes)}`,
  'escaped bytea of PostgreSQL': octal,
  'blob of MySQL': (bytes) => `0x${toHex(bytes).toUpperCase()}`,
  'literal of SQLite': (bytes) => `X'${toHex(bytes)}'`,
  'bytes of Python': python,
  'numbers of String()': (bytes) => String(bytes),
  'a list of numbers': (bytes) => JSON.stringify([...bytes]),
  'a slice of Go': (bytes) => `[${[...bytes].join(' ')}]`,
  'a Buffer in JSON': (bytes) => JSON.stringify(Buffer.from(bytes)),
  'a Uint8Array in JSON': (bytes) => JSON.stringify(bytes),
  'a Buffer that was printed': (bytes) => `<Buffer ${toHex(bytes).replaceAll(/..(?=.)/g, '$& ')}>`,
  'a Uint8Array that was printed': (bytes) => `Uint8Array(${bytes.length}) [\n  ${[...bytes].join(', ')}\n]`,
  'a JSON string': (bytes) => JSON.stringify(encodeBase64(bytes)),
  'base64 twice': (bytes) => encodeBase64(encodeUtf8(encodeBase64(bytes))),
  'a row in JSON': (bytes) => JSON.stringify({ id: 1, credential_id: id, credential_public_key: encodeBase64(bytes), counter: 0 }),
  'rows in JSON': (bytes) => JSON.stringify([{ id, publicKey: [...bytes] }]),
  'extended JSON of MongoDB': (bytes) =>
    JSON.stringify({ _id: id, publicKey: { $binary: { base64: encodeBase64(bytes), subType: '00' } } }),
  'an item of DynamoDB': (bytes) => JSON.stringify({ id: { S: id }, publicKey: { B: encodeBase64(bytes) } }),
  'a row of psql': (bytes) => ` id | public_key | counter\n----+---\n  1 | \\x${toHex(bytes)} |  0\n(1 row)\n`,
  'a row of CSV': (bytes) => `id,credential_id,public_key,counter\n1,${id},"${encodeBase64(bytes)}",0\n`,
  'an object that Node printed': (bytes) => `{\n  id: '${id}',\n  publicKey: '${encodeBase64url(bytes)}',\n  counter: 0\n}`,
  'a Buffer inside one': (bytes) => `{ id: '${id}', publicKey: <Buffer ${toHex(bytes).replaceAll(/..(?=.)/g, '$& ')}>, counter: 0 }`,
  'a statement of SQL': (bytes) => `INSERT INTO passkeys (id, public_key) VALUES ('${id}', '\\x${toHex(bytes)}');`,
  'a variable of the environment': (bytes) => `PASSKEY_PUBLIC_KEY=${encodeBase64(bytes)}`,
  'UTF-16': (bytes) => new Uint8Array(Buffer.from(`\ufeff${encodeBase64(bytes)}`, 'utf16le')),
};

const read = (given: string | Uint8Array, offered: readonly number[] = []): string =>
  toHex(readPublicKey(typeof given === 'string' ? encodeUtf8(given) : given, offered).publicKey);

describe.each<[string, Uint8Array]>([
  ['a COSE_Key', cose],
  ['a SubjectPublicKeyInfo', spki],
  ['a point', point],
])('%s', (_, bytes) => {
  test.each(Object.entries(ENCODINGS))('is read from %s', (_name, encode) => {
    expect(read(encode(bytes))).toBe(toHex(cose));
  });
});

const jwk = toJwk(key);
const compressed = ECDH.convertKey(Buffer.from(point), 'prime256v1', undefined, undefined, 'compressed');

test.each<[string, string | Uint8Array]>([
  ['PEM', pem],
  ['PEM in one line', pem.replaceAll('\n', '\\n')],
  ['PEM with carriage returns', pem.replaceAll('\n', '\r\n')],
  ['PEM in a row', JSON.stringify({ id, publicKey: pem })],
  ['PEM in a log', `2026-11-28 key of ${id}:\n${pem}`],
  ['coordinates without 04', toHex(point.subarray(1))],
  ['a compressed point', Uint8Array.from(Buffer.from(compressed))],
  ['a JWK', JSON.stringify(jwk)],
  ['a JWK in a row', JSON.stringify({ id, jwk })],
  ['coordinates in hexadecimal', JSON.stringify({ x: toHex(key.x), y: toHex(key.y) })],
  [
    'a Passkey of webauthn-rs',
    JSON.stringify({
      cred: { cred_id: id, cred: { type_: 'ES256', key: { EC_EC2: { curve: 'SECP256R1', x: jwk['x'], y: jwk['y'] } } }, counter: 0 },
    }),
  ],
  ['labels of COSE in JSON', JSON.stringify({ 1: 2, 3: -7, '-1': 1, '-2': jwk['x'], '-3': jwk['y'] })],
  ['attested credential data', concatBytes(new Uint8Array(16), Uint8Array.of(0, 4), Uint8Array.of(9, 8, 7, 6), cose)],
])('a key is read from %s', (_, given) => {
  expect(read(given)).toBe(toHex(cose));
});

const node = (jwkOf: Readonly<Record<string, string>>) => createPublicKey({ key: jwkOf, format: 'jwk' });

describe('the algorithm', () => {
  const rsa = coseOf(-257);
  const rsaSpki = encodeSubjectPublicKeyInfo(decodeCoseKey(rsa));
  const withAlgorithm = (bytes: Uint8Array, alg: number) => {
    const { value } = decodeCborMap(bytes);
    return toHex(encodeCbor(new Map([...value].map(([label, member]) => [label, label === 3 ? alg : member]))));
  };

  test('of an RSA key is RS256, or the one that was offered', () => {
    expect(read(rsaSpki)).toBe(toHex(rsa));
    expect(read(rsaSpki, [-7, -37])).toBe(withAlgorithm(rsa, -37));
  });

  test('of a key on a curve is that of the curve, or the one that was offered', () => {
    expect(read(spki, [-257, -9])).toBe(withAlgorithm(cose, -9));
    expect(read(spki, [-257, -8])).toBe(toHex(cose));
  });

  test('an RSA key is read in the form of PKCS#1', () => {
    const pkcs1 = node(toJwk(decodeCoseKey(rsa)))
      .export({ format: 'pem', type: 'pkcs1' })
      .toString();
    expect(read(pkcs1)).toBe(toHex(rsa));
  });

  const okp: CoseKey = { kty: 1, alg: -8, crv: 6, x: Uint8Array.from({ length: 32 }, (_, at) => at + 3) };
  test.each<[string, string | Uint8Array]>([
    ['its 32 bytes', encodeBase64(okp.kty === 1 ? okp.x : new Uint8Array())],
    ['its SubjectPublicKeyInfo', encodeSubjectPublicKeyInfo(okp)],
    ['its 32 bytes in a row', JSON.stringify({ id, publicKey: toHex(okp.kty === 1 ? okp.x : new Uint8Array()) })],
  ])('of an Ed25519 key in %s is EdDSA', (_, given) => {
    expect(read(given)).toBe(toHex(encodeCoseKey(okp)));
  });

  test('of an ML-DSA key is in its identifier', () => {
    const akp: CoseKey = { kty: 7, alg: -49, pub: Uint8Array.from({ length: 1952 }, (_, at) => at % 251) };
    expect(read(encodeBase64(encodeSubjectPublicKeyInfo(akp)))).toBe(toHex(encodeCoseKey(akp)));
  });
});

const asText = Buffer.from(cose).toString('utf8');
const privatePem =
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH\n-----END PRIVATE KEY-----\n';

test.each<[string, string | Uint8Array, RegExp]>([
  [
    'read as UTF-8',
    asText,
    /^The key was read as UTF-8 text, which lost bytes: EF BF BD replaces the unreadable bytes \(\d+ times\)\. .* register the passkey again\.$/,
  ],
  ['read as UTF-8, in base64', encodeBase64(encodeUtf8(asText)), /EF BF BD/],
  ['read as UTF-8, in a row', JSON.stringify({ id, publicKey: asText }), /EF BF BD/],
  ['read as UTF-8, in bytea', `\\x${toHex(encodeUtf8(asText))}`, /EF BF BD/],
  ['a SubjectPublicKeyInfo read as UTF-8', Buffer.from(spki).toString('utf8'), /EF BF BD/],
  ['written as characters', latin1(cose), /^Each byte of the key was written as a UTF-8 character/],
  ['written as characters, in base64', encodeBase64(encodeUtf8(latin1(cose))), /Each byte of the key was written as a UTF-8 character/],
  ['padded by its column', concatBytes(cose, new Uint8Array(3)), /3 zero bytes follow the key, since columns of fixed length/],
  ['a private key', privatePem, /^This is a private key; keep it to yourself/],
  [
    'two different ones',
    JSON.stringify([{ publicKey: encodeBase64(cose) }, { publicKey: encodeBase64(coseOf(-257)) }]),
    /^Got several different public keys; give the one of this credential\.$/,
  ],
  ['a row without one', JSON.stringify({ id: 1, name: 'ada', counter: 4 }), /is none of/],
  ['a sentence', 'the public key goes here', /^Got text without a key\.$/],
  ['a login', JSON.stringify(logins[0]?.response), /^Got an authentication response, which holds no public key\.$/],
])('what is no key says so: %s', (_, given, message) => {
  const failure = expect(() => read(given));
  failure.toThrow(expect.objectContaining({ code: 'public_key_malformed', message: expect.stringMatching(message) }));
});
