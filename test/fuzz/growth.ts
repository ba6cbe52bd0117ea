import { concatBytes, encodeUtf8, toHex } from '../../src/kernel/bytes.js';
import { isObject } from '../../src/kernel/json-value.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeCbor, encodeCbor } from '../../src/webauthn/cbor.js';
import { decodeDer } from '../../src/webauthn/der.js';
import { type CborTree, cborTree, nodesOf, withNode, writeCbor } from './cbor-tree.js';
import { archiveOf, corpus } from './corpus.js';
import { type DerTree, derNodes, derTree, withDerNode, writeDer } from './der-tree.js';
import { pathsOf, valueAt, withValue } from './json-tree.js';
import { Random } from './random.js';
import { storeDocument } from './store-rows.js';

/** An input of any size: one place in it holds `n` of something. */
export type Growing = (n: number) => Uint8Array;

const repeated = <T>(n: number, item: T): T[] => Array.from({ length: n }, () => item);
const noRandom = new Random(0, 0);

function growCbor(random: Random, samples: readonly Uint8Array[]): Growing {
  const tree = cborTree(decodeCbor(random.pick(samples)).value, encodeCbor);
  const target = random.pick(nodesOf(tree));
  const raw = (bytes: Uint8Array): CborTree => ({ kind: 'raw', bytes });
  const integer = (value: number) => raw(encodeCbor(value));
  const grown: (n: number) => CborTree = random.pick([
    (n) => ({ kind: 'string', major: random.oneIn(2) ? 2 : 3, bytes: new Uint8Array(n).fill(0x41) }),
    (n) => ({ kind: 'list', major: 4, items: repeated(n, target) }),
    (n) => ({ kind: 'list', major: 5, items: Array.from({ length: n }, (_, index) => [integer(index), target]).flat() }),
    (n) => ({
      kind: 'list',
      major: 5,
      items: Array.from({ length: n }, (_, index) => [raw(encodeCbor(encodeUtf8(`${index}`))), target]).flat(),
    }),
    // Chunks, of nothing or of one byte.
    (n) => raw(Uint8Array.of(0x5f, ...repeated(n, 0x40), 0xff)),
    (n) => raw(Uint8Array.of(0x7f, ...repeated(n, [0x61, 0x41]).flat(), 0xff)),
    // A big number, and levels.
    (n) => ({ kind: 'tag', number: 2, item: { kind: 'string', major: 2, bytes: new Uint8Array(n).fill(0x41) } }),
    (n) => raw(Uint8Array.of(...repeated(n, 0x81), 0x00)),
  ] satisfies ((n: number) => CborTree)[]);
  return (n) => writeCbor(withNode(tree, target, grown(n)), noRandom);
}

function growDer(random: Random): Growing {
  const tree = derTree(decodeDer(random.pick(corpus().certificates)));
  const target = random.pick(derNodes(tree));
  const grown: (n: number) => DerTree = random.pick([
    (n) => ({ ...target, children: undefined, value: new Uint8Array(n).fill(0x81) }),
    (n) => ({ ...target, children: undefined, value: new Uint8Array(n).fill(0x41) }),
    (n) => ({ ...target, children: repeated(Math.ceil(n / 8), target) }),
    (n) => ({ ...target, children: repeated(n, target.children?.[0] ?? { ...target, children: undefined, value: new Uint8Array() }) }),
  ] satisfies ((n: number) => DerTree)[]);
  return (n) => writeDer(withDerNode(tree, target, grown(n)), noRandom);
}

function growJson(random: Random, samples: readonly unknown[]): Growing {
  const value = random.pick(samples);
  const path = random.pick(pathsOf(value));
  const at = valueAt(value, path);
  const grown: (n: number) => unknown = random.pick([
    (n) => (Array.isArray(at) ? repeated(Math.ceil(n / 8), at).flat() : repeated(n, 0)),
    (n) => repeated(Math.ceil(n / 8), at),
    (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`m${index}`, index])),
    (n) => (isObject(at) ? { ...at, ...Object.fromEntries(Array.from({ length: n }, (_, index) => [`m${index}`, null])) } : 'A'.repeat(n)),
    (n) => 'A'.repeat(n * 4),
    (n) => '\u0000'.repeat(n),
    (n) => encodeBase64url(new Uint8Array(n * 4)),
  ] satisfies ((n: number) => unknown)[]);
  const broken = random.oneIn(4) ? ' x' : '';
  const indent = random.oneIn(2) ? 1 : 0;
  return (n) => encodeUtf8(JSON.stringify(withValue(value, path, grown(n)), null, indent) + broken);
}

function growText(random: Random): Growing {
  const hex = (n: number) => toHex(new Uint8Array(n).fill(0xa5));
  return random.pick<Growing>([
    (n) => encodeUtf8(encodeBase64url(new Uint8Array(n))),
    (n) => encodeUtf8(`${encodeBase64(new Uint8Array(n))}!`),
    (n) => encodeUtf8(hex(n)),
    (n) => encodeUtf8((hex(n).match(/../g) ?? []).join(':')),
    (n) => encodeUtf8(`${hex(n)} g`),
    (n) => encodeUtf8(repeated(n, 255).join(', ')),
    (n) => encodeUtf8(`${' '.repeat(n)}a`),
    (n) => encodeUtf8(`a${' '.repeat(n)}b`),
    (n) => encodeUtf8('\n'.repeat(n)),
    (n) => encodeUtf8('=A'.repeat(n)),
    (n) => encodeUtf8('0x'.repeat(n)),
    (n) => new Uint8Array(Buffer.from('A'.repeat(n), 'utf16le')),
    (n) => new Uint8Array(n).fill(0xc3),
    (n) => encodeUtf8('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'.repeat(Math.ceil(n / 8))),
    (n) => encodeUtf8('-----BEGIN CERTIFICATE-----\n'.repeat(Math.ceil(n / 4))),
    (n) => encodeUtf8(`-----BEGIN CERTIFICATE-----\n${'AAAA\n'.repeat(n)}-----END CERTIFICATE-----\n`),
    (n) => encodeUtf8(`{"type":"webauthn.get","challenge":"${'\\"'.repeat(n)}`),
    (n) => encodeUtf8(`${'['.repeat(n)}${']'.repeat(n)}`),
    (n) => encodeUtf8(`{"a":${'{"a":'.repeat(n)}`),
    (n) => encodeUtf8('{"type":"webauthn.get"}\n'.repeat(Math.ceil(n / 8))),
  ]);
}

/** A wrong authenticator data in front of what grows behind it. */
function growAuthenticatorData(random: Random): Growing {
  const key = growCbor(random, corpus().coseKeys);
  const head = Uint8Array.from(random.pick(corpus().authenticatorData).subarray(0, 37)).with(32, 0xc5);
  const rest = concatBytes(new Uint8Array(16), Uint8Array.of(0, 1, 7));
  return (n) => concatBytes(head, rest, key(n));
}

/** In `x5c` of a statement: one certificate that grows, or more of them. */
function growCertificates(random: Random): Growing {
  const { certificates, attestationObjects } = corpus();
  const { value } = decodeCbor(random.pick(attestationObjects));
  const object = value instanceof Map ? value : new Map();
  const statement = object.get('attStmt');
  const with5c = (x5c: Uint8Array[]) =>
    encodeCbor(new Map(object).set('fmt', 'packed').set('attStmt', new Map(statement instanceof Map ? statement : []).set('x5c', x5c)));
  const grown = growDer(random);
  const certificate = random.pick(certificates);
  return random.oneIn(4) ? (n) => with5c(repeated(Math.ceil(n / 200), certificate)) : (n) => with5c([grown(n)]);
}

/** How the inputs of a parser grow. */
export function growthOf(parser: string, random: Random): Growing {
  const { attestationObjects, coseKeys, clientData, fixtures } = corpus();
  switch (parser) {
    case 'cbor':
      return growCbor(random, attestationObjects);
    case 'attestation-object':
    case 'registration':
      return random.oneIn(2) ? growCbor(random, attestationObjects) : growCertificates(random);
    case 'cose-key':
      return growCbor(random, coseKeys);
    case 'authenticator-data':
      return growAuthenticatorData(random);
    case 'der':
    case 'certificate':
      return growDer(random);
    case 'client-data':
      return growJson(
        random,
        clientData.slice(0, 3).map((bytes) => JSON.parse(Buffer.from(bytes).toString())),
      );
    case 'json-places':
    case 'fixture':
      return growJson(random, fixtures.slice(0, 8));
    case 'store-file':
    case 'store-opened':
    case 'store-commands':
      return growJson(random, [storeDocument(random)]);
    case 'configuration':
      return growJson(random, [{ port: 1, origin: ['https://example.org'] }]);
    case 'explain':
    case 'explain-command':
    case 'recognise':
    case 'public-key':
      return random.pick([
        () => growText(random),
        () => growCbor(random, attestationObjects),
        () => growDer(random),
        () => growJson(random, fixtures),
        () => growJson(random, [archiveOf(fixtures.slice(0, 2))]),
        () => growAuthenticatorData(random),
      ])();
    default:
      return growText(random);
  }
}
