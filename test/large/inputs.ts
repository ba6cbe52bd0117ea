import { createColors } from 'picocolors';
import { renderExplanation } from '../../src/cli/explain/explanation.js';
import { toJson } from '../../src/cli/output/printable.js';
import { harCeremonies, harFindings } from '../../src/explain/annotate/har.js';
import { writeDocuments } from '../../src/explain/document.js';
import { readExpectations } from '../../src/explain/expectations.js';
import { explainInput } from '../../src/explain/explain.js';
import { lintRequestOptions } from '../../src/explain/lint/lint-options.js';
import { parseFixture } from '../../src/fixture/read.js';
import { concatBytes, encodeUtf8, toHex } from '../../src/kernel/bytes.js';
import { encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { type CborValue, decodeCbor, encodeCbor } from '../../src/webauthn/cbor.js';
import { attested, NOW, writeCertificate } from './registration.js';

interface Topic {
  /** Between which a benchmark measures. */
  readonly sizes: readonly [least: number, most: number];
  /** At which a test counts, and at twice as much: below the limits where those would refuse it early. */
  readonly counted: number;
  /** Prepares the input; what it returns does the work. */
  readonly make: (size: number) => () => unknown;
}

const JSON_NAME = 'f.json';
const bytesOf = (size: number, byte = 0x41) => new Uint8Array(size).fill(byte);
const explain =
  (bytes: Uint8Array, expectations: object = {}) =>
  async () => {
    const settings = readExpectations({ ...expectations, at: NOW }, () => NOW);
    const explained = await explainInput({ name: JSON_NAME, bytes }, settings, NOW);
    return (
      toJson(writeDocuments(JSON_NAME, explained)).length +
      [...renderExplanation(explained, false, { width: 80, paint: createColors(false) })].join('').length
    );
  };
const explainJson = (value: unknown, expectations?: object) => explain(encodeUtf8(JSON.stringify(value)), expectations);
const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const fixtureWith = (more: object) => ({ format: 'passkey-fixture', version: 1, ...more });

const explainX5c = (x5c: readonly Uint8Array[]) => {
  const { response, expectations } = attested(x5c);
  return explainJson(response, expectations);
};

/** Inputs made to keep a parser busy, by what they are. */
export const LARGE_INPUTS: Readonly<Record<string, Topic>> = {
  'a certificate with an object identifier of n bytes, alone': {
    sizes: [25_000, 400_000],
    counted: 16_000,
    make: (size) => explain(writeCertificate({ oid: concatBytes(bytesOf(size - 1, 0xff), Uint8Array.of(1)) })),
  },
  'a registration whose certificate has an object identifier of n bytes': {
    sizes: [5_000, 160_000],
    counted: 16_000,
    make: (size) => explainX5c([writeCertificate({ oid: concatBytes(bytesOf(size - 1, 0xff), Uint8Array.of(1)) })]),
  },
  'a registration whose certificate has an object identifier of n short numbers': {
    sizes: [5_000, 160_000],
    counted: 16_000,
    make: (size) => explainX5c([writeCertificate({ oid: bytesOf(size, 1) })]),
  },
  'a registration whose certificate has an object identifier of n bytes as a parameter': {
    sizes: [5_000, 160_000],
    counted: 16_000,
    make: (size) => explainX5c([writeCertificate({ parameter: concatBytes(bytesOf(size - 1, 0xff), Uint8Array.of(1)) })]),
  },
  'a certificate with a serial number of n bytes': {
    sizes: [256_000, 4_000_000],
    counted: 16_000,
    make: (size) => explain(writeCertificate({ serialNumber: bytesOf(size) })),
  },
  'a registration with n certificates': {
    sizes: [250, 4_000],
    counted: 8,
    make: (size) => explainX5c(Array.from({ length: size }, () => writeCertificate({}))),
  },
  'the place of an error at the end of one line of n bytes': {
    sizes: [100_000, 4_000_000],
    counted: 16_000,
    make: (size) => {
      const text = JSON.stringify(fixtureWith({ name: 1, list: Array.from({ length: size / 4 }, () => 100) }));
      return () => parseFixture(text, JSON_NAME);
    },
  },
  'the place of an error beside long names of n bytes in all': {
    sizes: [100_000, 4_000_000],
    counted: 16_000,
    make: (size) => {
      const text = JSON.stringify(fixtureWith({ ['x'.repeat(size / 2)]: members(size / 16) }));
      return () => parseFixture(text, JSON_NAME);
    },
  },
  'a fixture with n members': {
    sizes: [10_000, 320_000],
    counted: 1_000,
    make: (size) => {
      const text = JSON.stringify(fixtureWith(members(size)));
      return () => parseFixture(text, JSON_NAME);
    },
  },
  'a registration response with n members': {
    sizes: [20_000, 320_000],
    counted: 1_000,
    make: (size) => explainJson({ ...attested([]).response, ...members(size) }),
  },
  'creation options with n members': {
    sizes: [20_000, 320_000],
    counted: 1_000,
    make: (size) => explainJson({ challenge: 'AAAA', pubKeyCredParams: [], rp: {}, ...members(size) }),
  },
  'client data with n members': {
    sizes: [20_000, 320_000],
    counted: 1_000,
    make: (size) => explainJson({ type: 'webauthn.get', challenge: 'AAAA', origin: 'https://a.example', ...members(size) }),
  },
  'JSON of n members that cannot be recognised': {
    sizes: [20_000, 320_000],
    counted: 1_000,
    make: (size) => explainJson(members(size, {})),
  },
  'n keys of prf.evalByCredential beside n credentials': {
    sizes: [1_000, 32_000],
    counted: 500,
    make: (size) => {
      const ids = Array.from({ length: size }, (_, index) => encodeBase64url(encodeUtf8(String(index).padStart(6, '0'))));
      const evalByCredential = Object.fromEntries(ids.map((id) => [id, { first: 'AAAA' }]));
      const options = {
        challenge: 'AAAA',
        allowCredentials: ids.map((id) => ({ type: 'public-key', id })),
        extensions: { prf: { evalByCredential } },
      };
      return () => lintRequestOptions(options);
    },
  },
  'an rp.id of n colons': {
    sizes: [20_000, 320_000],
    counted: 8_000,
    make: (size) => explainJson({ challenge: 'AAAA', rp: { id: `${':'.repeat(size)}\n`, name: 'x' }, user: {}, pubKeyCredParams: [] }),
  },
  'an origin of n labels': {
    sizes: [2_000, 64_000],
    counted: 2_000,
    make: (size) =>
      explainJson(attested([], { origin: `https://${'a.'.repeat(size)}example` }).response, {
        rpId: 'example.org',
        origin: `https://${'a.'.repeat(size)}example`,
        challenge: 'AAAA',
      }),
  },
  'annotate: a map of n entries in authenticator data': {
    sizes: [15_000, 60_000],
    counted: 1_000,
    make: (size) => {
      const extensions = new Map<CborValue, CborValue>(Array.from({ length: size }, (_, index) => [`k${index}`, index]));
      const flags = { up: true, uv: true, be: false, bs: false };
      return explain(encodeAuthenticatorData({ rpIdHash: bytesOf(32), flags, signCount: 1, extensions }));
    },
  },
  'annotate: n entries of an attestation statement': {
    sizes: [15_000, 60_000],
    counted: 1_000,
    make: (size) => {
      const attStmt = new Map<CborValue, CborValue>(Array.from({ length: size }, (_, index) => [`k${index}`, index]));
      return explain(encodeAttestationObject({ fmt: 'packed', attStmt, authData: new Uint8Array(37) }));
    },
  },
  'a CBOR string of n empty chunks': {
    sizes: [250_000, 4_000_000],
    counted: 4_000,
    make: (size) =>
      explain(
        concatBytes(encodeUtf8('\u00a3').subarray(1), encodeCbor('fmt'), Uint8Array.of(0x7f), bytesOf(size, 0x60), Uint8Array.of(0xff)),
      ),
  },
  'CBOR: a big number of n bytes': {
    sizes: [125_000, 4_000_000],
    counted: 32_000,
    make: (size) => {
      const number = concatBytes(Uint8Array.of(0xc2, 0x5a), Uint8Array.of(size >>> 24, size >>> 16, size >>> 8, size), bytesOf(size));
      return () => String(decodeCbor(number).value).length;
    },
  },
  'an archive of n ceremonies': {
    sizes: [1_000, 16_000],
    counted: 100,
    make: (size) => {
      const body = { request: { url: 'https://a.example/', postData: { text: JSON.stringify(attested([]).response) } } };
      const har = { log: { entries: Array.from({ length: size }, () => body) } };
      return () => harCeremonies(harFindings(har)).length;
    },
  },
  'n statements of a compound attestation': {
    sizes: [1_000, 16_000],
    counted: 8,
    make: (size) => {
      const { response, expectations } = attested([], { statements: size });
      return explainJson(response, expectations);
    },
  },
  'base64 of n bytes, written and read': {
    sizes: [4_000_000, 32_000_000],
    counted: 16_000,
    make: (size) => () => decodeBase64url(encodeBase64url(bytesOf(size))).length,
  },
  'hexadecimal of n bytes': { sizes: [4_000_000, 32_000_000], counted: 16_000, make: (size) => () => toHex(bytesOf(size)).length },
  'a PEM text with n certificates': {
    sizes: [250, 4_000],
    counted: 50,
    make: (size) =>
      explain(encodeUtf8(`-----BEGIN CERTIFICATE-----\n${encodeBase64(writeCertificate({}))}\n-----END CERTIFICATE-----\n`.repeat(size))),
  },
  'a text of n equals signs': {
    sizes: [125_000, 4_000_000],
    counted: 16_000,
    make: (size) => explain(encodeUtf8(`${'= '.repeat(size / 2)}A`)),
  },
  'a text of n characters that is nothing': {
    sizes: [125_000, 4_000_000],
    counted: 16_000,
    make: (size) => explain(encodeUtf8('ab !'.repeat(size / 4))),
  },
  'JSON of one string of n characters': {
    sizes: [1_000_000, 32_000_000],
    counted: 64_000,
    make: (size) => explainJson(fixtureWith({ name: 'x'.repeat(size) })),
  },
  'a certificate with n attributes in its subject': {
    sizes: [250, 2_000],
    counted: 250,
    make: (size) => explain(writeCertificate({ attributes: size })),
  },
  'a registration whose certificate has n extensions': {
    sizes: [250, 2_000],
    counted: 250,
    make: (size) => explainX5c([writeCertificate({ extensions: size })]),
  },
  'an attestation object of n maps, one beside the other': {
    sizes: [2_000, 32_000],
    counted: 2_000,
    make: (size) =>
      explain(
        encodeAttestationObject({
          fmt: 'packed',
          attStmt: new Map([['x', Array.from({ length: size }, () => new Map())]]),
          authData: new Uint8Array(37),
        }),
      ),
  },
  'hexadecimal text of n bytes': { sizes: [125_000, 1_000_000], counted: 8_000, make: (size) => explain(encodeUtf8('3d '.repeat(size))) },
  'base64 inside base64 of n bytes': {
    sizes: [125_000, 1_000_000],
    counted: 8_000,
    make: (size) => explain(encodeUtf8(encodeBase64(encodeUtf8(encodeBase64(bytesOf(size, 0x3c)))))),
  },
  'JSON of one list of n bytes': {
    sizes: [20_000, 320_000],
    counted: 4_000,
    make: (size) => explainJson(Array.from({ length: size }, () => 7)),
  },
  'JSON that breaks off after n lines': {
    sizes: [100_000, 1_000_000],
    counted: 4_000,
    make: (size) => explain(encodeUtf8(`{"a":[${'1,\n'.repeat(size)}`)),
  },
  'JSON that breaks off after one line of n numbers': {
    sizes: [100_000, 1_000_000],
    counted: 4_000,
    make: (size) => explain(encodeUtf8(`{"a":[${'1,'.repeat(size)}`)),
  },
  'an archive with a form of n fields': {
    sizes: [20_000, 320_000],
    counted: 2_000,
    make: (size) => {
      const har = { log: { entries: [{ request: { url: 'https://a.example/', postData: { text: `${'a=%7B&'.repeat(size)}b=1` } } }] } };
      return () => harCeremonies(harFindings(har)).length;
    },
  },
  'request options with n credentials': {
    sizes: [2_000, 30_000],
    counted: 500,
    make: (size) =>
      explainJson({
        challenge: 'AAAA',
        rpId: 'example.org',
        allowCredentials: Array.from({ length: size }, (_, id) => ({ type: 'public-key', id: `A${id}` })),
      }),
  },
};
