import { describe, expect, test } from 'vitest';
import { decodeCertificate } from '../../src/webauthn/certificate.js';
import { KEY_USAGES } from '../../src/webauthn/certificate-extensions.js';
import { country, named, WRITE_EXTENSION, writeCertificate } from '../../src/webauthn/certificate-writer.js';
import { children, decodeDer, encoded } from '../../src/webauthn/der.js';
import { integer, objectIdentifier, octetString, sequence, set } from '../../src/webauthn/der-writer.js';
import { nameAttributes } from '../../src/webauthn/distinguished-name.js';
import { writePem } from '../../src/webauthn/pem.js';
import { encodeSubjectPublicKeyInfo } from '../../src/webauthn/subject-public-key-info.js';
import { fc } from '../properties.js';

const SIGNATURE_ALGORITHM = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const publicKey = encodeSubjectPublicKeyInfo({ kty: 1, alg: -8, crv: 6, x: new Uint8Array(32) });

describe('the writer of certificates', () => {
  test('writes what the reader reads, for any content', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    const second = fc.integer({ min: Date.UTC(1950, 0) / 1000, max: Date.UTC(9999, 0) / 1000 });
    const usages = fc.uniqueArray(fc.constantFrom(...KEY_USAGES), { minLength: 1 });
    const fields = fc.record({ serial: fc.bigInt({ min: 0n, max: 1n << 159n }), text, from: second, to: second, usages, ca: fc.boolean() });
    fc.assert(
      fc.property(fields, fc.uint8Array(), ({ serial, text: name, from, to, usages: [first, ...others], ca }, signature) => {
        if (first === undefined) throw new Error('Expected a usage.');
        const der = writeCertificate(
          {
            serialNumber: serial,
            signatureAlgorithm: SIGNATURE_ALGORITHM,
            issuer: [country('AA'), named('CN', name)],
            notBefore: from * 1000,
            notAfter: to * 1000,
            subject: [named('O', name), named('OU', name)],
            publicKey,
            extensions: [WRITE_EXTENSION.basicConstraints(ca), WRITE_EXTENSION.keyUsage(first, ...others)],
          },
          () => signature,
        );
        const read = decodeCertificate(der);
        expect(BigInt(`0x${read.serialNumber}`)).toBe(serial);
        expect([read.notBefore, read.notAfter]).toEqual([from * 1000, to * 1000]);
        expect(nameAttributes(read.issuer).map(({ name: short, text: value }) => [short, value])).toEqual([
          ['C', 'AA'],
          ['CN', name],
        ]);
        expect(nameAttributes(read.subject).map(({ name: short, text: value }) => [short, value])).toEqual([
          ['O', name],
          ['OU', name],
        ]);
        expect(read.extensions.basicConstraints).toEqual({ ca, pathLength: undefined });
        expect(read.extensions.keyUsage).toEqual(KEY_USAGES.filter((usage) => [first, ...others].includes(usage)));
        expect([read.signature, read.publicKey.bytes]).toEqual([signature, publicKey]);
      }),
    );
  });

  test('leaves out the unused bits at the end of a key usage (X.690 §11.2.2)', () => {
    const written = (...usages: Parameters<typeof WRITE_EXTENSION.keyUsage>) => [...WRITE_EXTENSION.keyUsage(...usages).value];
    expect(written('digitalSignature')).toEqual([3, 2, 7, 0x80]);
    expect(written('keyCertSign', 'cRLSign')).toEqual([3, 2, 1, 0x06]);
    expect(written('decipherOnly')).toEqual([3, 3, 7, 0, 0x80]);
  });

  test('orders a SET OF by its encodings (X.690 §11.6)', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5 })), (contents) => {
        const elements = contents.map(octetString);
        const inside = children(decodeDer(set(...elements))).map((element) => Buffer.from(encoded(element)));
        expect(inside).toEqual(elements.map((element) => Buffer.from(element)).toSorted(Buffer.compare));
      }),
    );
  });

  test('writes no negative number', () => {
    expect(() => integer(-1)).toThrow(new RangeError('Expected a number that is not negative; got -1.'));
  });

  test('writes PEM in lines of 64 characters', () => {
    const lines = writePem(new Uint8Array(100)).split('\n');
    expect(lines.map(({ length }) => length)).toEqual([27, 64, 64, 8, 25]);
  });
});
