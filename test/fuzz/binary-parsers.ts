import { equalBytes } from '../../src/kernel/bytes.js';
import { readAttest, readPublicArea, readTpmSignature } from '../../src/relying-party/attestation/tpm-structures.js';
import { keyDescription } from '../../src/webauthn/android-key-description.js';
import * as extensions from '../../src/webauthn/attestation-extensions.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { CborSyntaxError, decodeCbor, encodeCbor } from '../../src/webauthn/cbor.js';
import { type Certificate, decodeCertificate } from '../../src/webauthn/certificate.js';
import { decodeCoseKey, encodeCoseKey, readCoseAlgorithm, toJwk } from '../../src/webauthn/cose-key.js';
import { DerSyntaxError, decodeDer } from '../../src/webauthn/der.js';
import { sameName, showName } from '../../src/webauthn/distinguished-name.js';
import { corpus } from './corpus.js';
import { derTree, writeDer } from './der-tree.js';
import { makeAttestationObject, makeAuthenticatorData, makeBytes, makeCbor, makeDer } from './makers.js';
import { hold, type Parser, reading, refusal, refusalAtByte, sameValue } from './parser.js';
import { Random } from './random.js';

/** For errors of the readers below the structures, which name an offset instead of a message for people. */
function within(error: unknown, kind: typeof CborSyntaxError | typeof DerSyntaxError, { length }: Uint8Array): string {
  if (!(error instanceof kind)) throw error;
  hold(error.offset >= 0 && error.offset <= length, `expected an offset within ${length} bytes, got ${error.offset}`);
  return 'syntax error';
}

const cbor: Parser = {
  name: 'cbor',
  make: (random) => makeCbor(random, [...corpus().attestationObjects, ...corpus().coseKeys]),
  read: (bytes) =>
    reading(
      () => {
        const { value, end } = decodeCbor(bytes);
        hold(end > 0 && end <= bytes.length, `the item ends at ${end} of ${bytes.length}`);
        const canonical = encodeCbor(value);
        const again = decodeCbor(canonical);
        hold(again.end === canonical.length, 'what the encoder writes is one item');
        hold(equalBytes(encodeCbor(again.value), canonical), 'the canonical form is read as what it was written from');
        return equalBytes(canonical, bytes.subarray(0, end)) ? 'canonical' : 'read';
      },
      (error) => within(error, CborSyntaxError, bytes),
    ),
};

const coseKey: Parser = {
  name: 'cose-key',
  make: (random) => makeCbor(random, corpus().coseKeys),
  read: (bytes) =>
    reading(
      () => {
        const key = decodeCoseKey(bytes);
        hold(readCoseAlgorithm(bytes) === key.alg, 'both readers find the same algorithm');
        hold(sameValue(decodeCoseKey(encodeCoseKey(key)), key), 'a key that is written is read as it was');
        hold(typeof toJwk(key) === 'object', 'every key that is read is a JWK');
        return 'read';
      },
      (error) => refusalAtByte(error, bytes),
    ),
};

const authenticatorData: Parser = {
  name: 'authenticator-data',
  make: makeAuthenticatorData,
  read: (bytes) =>
    reading(
      () => {
        const data = decodeAuthenticatorData(bytes);
        hold(equalBytes(encodeAuthenticatorData(data), bytes), 'authenticator data are written as they came');
        return data.flags.at ? 'attested' : 'read';
      },
      (error) => refusalAtByte(error, bytes),
    ),
};

const attestationObject: Parser = {
  name: 'attestation-object',
  make: makeAttestationObject,
  read: (bytes) =>
    reading(
      () => {
        const object = decodeAttestationObject(bytes);
        const written = encodeAttestationObject(object);
        hold(equalBytes(encodeAttestationObject(decodeAttestationObject(written)), written), 'it is written as it is read');
        return object.fmt in { none: 1, packed: 1, tpm: 1, apple: 1, 'android-key': 1, 'fido-u2f': 1 } ? object.fmt : 'another format';
      },
      (error) => refusalAtByte(error, bytes),
    ),
};

const der: Parser = {
  name: 'der',
  make: (random) => makeDer(random, corpus().certificates),
  read: (bytes) =>
    reading(
      () => {
        const tree = derTree(decodeDer(bytes));
        hold(equalBytes(writeDer(tree, new Random(0, 0)), bytes), 'DER has one way of writing, so it is written as it came');
        return 'read';
      },
      (error) => within(error, DerSyntaxError, bytes),
    ),
};

const CERTIFICATE_READERS: Readonly<Record<string, (certificate: Certificate) => unknown>> = {
  names: ({ issuer, subject }) => [showName(issuer), showName(subject), sameName(issuer, subject)],
  keyDescription,
  aaguid: extensions.aaguidExtension,
  transports: extensions.transportsExtension,
  firmwareVersion: extensions.firmwareVersionExtension,
  serialNumber: extensions.serialNumberExtension,
  appleNonce: extensions.appleNonceExtension,
};

const certificate: Parser = {
  name: 'certificate',
  make: (random) => makeDer(random, corpus().certificates),
  read: (bytes) =>
    reading(
      () => {
        const decoded = decodeCertificate(bytes);
        hold(decoded.version >= 1 && decoded.version <= 3, `version ${decoded.version}`);
        hold(Number.isFinite(decoded.notBefore) && Number.isFinite(decoded.notAfter), 'times are times');
        for (const read of Object.values(CERTIFICATE_READERS)) {
          reading(() => {
            read(decoded);
            return 'read';
          }, refusal);
        }
        return 'read';
      },
      (error) => refusalAtByte(error, bytes),
    ),
};

const tpm: Parser = {
  name: 'tpm',
  make: (random) => makeBytes(random, [...corpus().pubAreas, ...corpus().certInfos]),
  read: (bytes) => {
    const outcomes = [readPublicArea, readAttest, readTpmSignature].map((read) =>
      reading(
        () => {
          read(bytes);
          return read.name;
        },
        (error) => {
          if (!(error instanceof Error && error.name === 'TpmSyntaxError')) throw error;
          return '';
        },
      ),
    );
    return outcomes.find((outcome) => outcome !== '') ?? 'syntax error';
  },
};

export const BINARY_PARSERS: readonly Parser[] = [cbor, coseKey, authenticatorData, attestationObject, der, certificate, tpm];
