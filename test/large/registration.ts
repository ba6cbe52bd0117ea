/** Registrations by an attacker's own authenticator: everything about them is right but for what is made to be large. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { concatBytes } from '../../src/kernel/bytes.js';
import { encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../src/webauthn/cbor.js';
import { encodeClientData } from '../../src/webauthn/client-data.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import {
  bitString,
  boolean,
  context,
  der,
  integer,
  objectIdentifier,
  octetString,
  printableString,
  sequence,
  set,
  time,
  utf8String,
} from '../../src/webauthn/der-writer.js';

const ES256 = -7;
export const NOW = Date.UTC(2026, 10, 22);
const CHALLENGE = createHash('sha256').update('challenge').digest();
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SPKI = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));

interface Odd {
  /** Contents of the identifier of an additional extension. */
  readonly oid?: Uint8Array;
  /** Contents of an object identifier in the subject alternative name, which no requirement asks for. */
  readonly parameter?: Uint8Array;
  readonly serialNumber?: Uint8Array;
  /** Contents of the type of an additional attribute of the subject. */
  readonly attribute?: Uint8Array;
  /** Contents of an object identifier among the parameters of the algorithm of the signature, which has none. */
  readonly algorithmParameter?: Uint8Array;
  /** How many additional ones there are in the subject. */
  readonly attributes?: number;
  /** How many additional ones there are. */
  readonly extensions?: number;
}

/** A packed attestation certificate (§8.2.1) for one key. */
export function writeCertificate(odd: Odd): Uint8Array {
  const { oid, parameter, serialNumber = Uint8Array.of(1), attribute, algorithmParameter, attributes = 0, extensions = 0 } = odd;
  const name = [
    set(sequence(objectIdentifier('2.5.4.6'), printableString('AT'))),
    set(sequence(objectIdentifier('2.5.4.10'), utf8String('Example'))),
    set(sequence(objectIdentifier('2.5.4.11'), utf8String('Authenticator Attestation'))),
    set(sequence(objectIdentifier('2.5.4.3'), utf8String('Example'))),
    ...Array.from({ length: attributes }, (_, index) => set(sequence(objectIdentifier(`2.5.4.${100 + index}`), utf8String('x')))),
  ];
  const subject = [...name, ...(attribute === undefined ? [] : [set(sequence(der(0x06, attribute), utf8String('x')))])];
  const algorithm = sequence(
    objectIdentifier('1.2.840.10045.4.3.2'),
    ...(algorithmParameter === undefined ? [] : [der(0x06, algorithmParameter)]),
  );
  const extension = (identifier: Uint8Array, value: Uint8Array) => sequence(identifier, octetString(value));
  const tbs = sequence(
    context(0, integer(2)),
    der(0x02, serialNumber),
    algorithm,
    sequence(...name),
    sequence(time(NOW - 86_400_000), time(NOW + 86_400_000)),
    sequence(...subject),
    SPKI,
    context(
      3,
      sequence(
        sequence(objectIdentifier('2.5.29.19'), boolean(true), octetString(sequence())),
        ...Array.from({ length: extensions }, (_, index) => extension(objectIdentifier(`1.3.6.1.4.1.${index}`), sequence())),
        ...(oid === undefined ? [] : [extension(der(0x06, oid), sequence())]),
        ...(parameter === undefined ? [] : [extension(objectIdentifier('2.5.29.32'), sequence(sequence(der(0x06, parameter))))]),
      ),
    ),
  );
  return sequence(tbs, algorithm, bitString(sign('sha256', tbs, privateKey)));
}

/** A registration response with these certificates (none: no attestation), and what is expected of it. */
export function attested(
  x5c: readonly Uint8Array[],
  {
    origin = 'https://example.org',
    rpId = 'example.org',
    challenge = encodeBase64url(CHALLENGE),
    id: credentialId = new Uint8Array(16).fill(7),
    statements = 0,
  } = {},
) {
  const clientData = encodeClientData({ type: 'webauthn.create', challenge, origin });
  const jwk = publicKey.export({ format: 'jwk' });
  const coordinate = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'));
  const authData = encodeAuthenticatorData({
    rpIdHash: createHash('sha256').update(rpId).digest(),
    flags: { up: true, uv: true, be: false, bs: false },
    signCount: 1,
    attestedCredentialData: {
      aaguid: new Uint8Array(16),
      credentialId,
      credentialPublicKey: encodeCoseKey({ kty: 2, alg: ES256, crv: 1, x: coordinate(jwk.x), y: coordinate(jwk.y) }),
    },
  });
  const signed = concatBytes(authData, createHash('sha256').update(clientData).digest());
  const sig = new Uint8Array(sign('sha256', signed, privateKey));
  const certificates: CborValue = [...x5c];
  const attStmt: CborMap = new Map<CborValue, CborValue>(
    x5c.length === 0
      ? []
      : [
          ['alg', ES256],
          ['sig', sig],
          ['x5c', certificates],
        ],
  );
  const part = {
    fmt: 'packed',
    attStmt: new Map<CborValue, CborValue>([
      ['alg', ES256],
      ['sig', sig],
    ]),
  };
  const object =
    statements === 0
      ? { fmt: x5c.length === 0 ? 'none' : 'packed', attStmt, authData }
      : { fmt: 'compound', attStmt, authData, statements: Array.from({ length: statements }, () => part) };
  const id = encodeBase64url(credentialId);
  return {
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: encodeBase64url(clientData),
        attestationObject: encodeBase64url(encodeAttestationObject(object)),
        transports: ['usb'],
      },
      clientExtensionResults: {},
    },
    expectations: { rpId, origin, challenge },
  };
}
