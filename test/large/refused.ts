import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concatBytes, encodeUtf8 } from '../../src/kernel/bytes.js';
import { encodeCbor } from '../../src/webauthn/cbor.js';
import { writeCertificate } from './registration.js';

const MB = 1_000_000;
const filled = (size: number, byte: number) => new Uint8Array(size).fill(byte);
const attestationObject = (value: Uint8Array) => concatBytes(Uint8Array.of(0xa3), encodeCbor('fmt'), value);
const fixture = (change: object) => {
  const text = readFileSync(join(import.meta.dirname, '../../fixtures/recorded/login-user-verified.json'), 'utf8');
  return encodeUtf8(JSON.stringify({ ...JSON.parse(text), ...change }));
};

export interface RefusedFile {
  readonly file: string;
  /** In the message. */
  readonly says: string;
  readonly bytes: () => Uint8Array;
}

/** Files that are read as what they seem, and refused for their size or shape. */
export const REFUSED: Readonly<Record<string, RefusedFile>> = {
  'a text in four million empty chunks': {
    file: 'chunks.cbor',
    says: 'the length of a text string is definite',
    bytes: () => attestationObject(concatBytes(Uint8Array.of(0x7f), filled(4 * MB, 0x60), Uint8Array.of(0xff))),
  },
  'a list of four million numbers': {
    file: 'list.cbor',
    says: 'at most 65536 items',
    bytes: () => attestationObject(concatBytes(Uint8Array.of(0x9a, 0x00, 0x3d, 0x09, 0x00), filled(4 * MB, 0x01))),
  },
  'four million lists inside each other': {
    file: 'deep.cbor',
    says: 'more than 16 levels deep',
    bytes: () => attestationObject(filled(4 * MB, 0x81)),
  },
  'four million tags in front of a number': {
    file: 'tags.cbor',
    says: 'has no tags',
    bytes: () => attestationObject(filled(4 * MB, 0xc1)),
  },
  'a certificate with a serial number of 4 MB': {
    file: 'serial.der',
    // The signature of the random key is a byte or two longer or shorter: the number is not compared to its last digit.
    says: 'expected at most 65536 bytes, got 40004',
    bytes: () => writeCertificate({ serialNumber: filled(4 * MB, 1) }),
  },
  'a certificate with an object identifier of 200 kB': {
    file: 'oid.der',
    says: 'expected at most 65536 bytes',
    bytes: () => writeCertificate({ oid: filled(200_000, 1) }),
  },
  'four million sequences inside each other': { file: 'deep.der', says: 'cannot be recognised', bytes: () => filled(4 * MB, 0x30) },
  'a fixture with a text of 30 MB': {
    file: 'text.json',
    says: '16777216',
    bytes: () => fixture({ description: 'x'.repeat(30 * MB) }),
  },
  'a fixture with 300,000 members': {
    file: 'members.json',
    says: '100000 values',
    bytes: () => fixture(Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${index}`, 1]))),
  },
  'a fixture with four million lists inside each other': {
    file: 'deep.json',
    says: 'at most 200 levels',
    bytes: () => encodeUtf8(`{"format":"passkey-fixture","x":${'['.repeat(2 * MB)}${']'.repeat(2 * MB)}}`),
  },
  'JSON that begins and never ends': {
    file: 'open.json',
    says: 'a JSON value',
    bytes: () => encodeUtf8(`{"format":"passkey-fixture","x":[${'1,'.repeat(2 * MB)}`),
  },
};
