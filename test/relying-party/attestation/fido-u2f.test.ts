import { generateKeyPairSync } from 'node:crypto';
import { describe } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { decodeCoseKey, encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { utf8String } from '../../../src/webauthn/der-writer.js';
import { EXTENSIONS, ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { AT, caCertificate, type LeafFields, leafCertificate } from './authority.js';
import { judged } from './outcome.js';
import {
  AAGUID,
  attestation,
  authenticatorData,
  CLIENT_DATA_HASH,
  CREDENTIAL_ID,
  CREDENTIAL_PUBLIC_KEY,
  credentialKey,
  ec2Key,
  ecdsa,
  flipped,
  members,
  OTHER_AAGUID,
  RP_ID_HASH,
  signedBytes,
} from './statements.js';

const attestationKey = ecKeyPair();
const NO_AAGUID = new Uint8Array(16);

interface Change {
  readonly leaf?: Partial<LeafFields>;
  readonly sig?: (sig: Uint8Array) => Uint8Array;
  readonly authData?: Uint8Array;
  readonly issuers?: readonly Uint8Array[];
  readonly extra?: Readonly<Record<string, CborValue>>;
}

function registrationMessage(): Uint8Array {
  const key = decodeCoseKey(CREDENTIAL_PUBLIC_KEY);
  const point = key.kty === 2 ? concatBytes(Uint8Array.of(4), key.x, key.y) : new Uint8Array();
  return concatBytes(Uint8Array.of(0), RP_ID_HASH, CLIENT_DATA_HASH, CREDENTIAL_ID, point);
}

function u2f({ leaf, sig = (bytes) => bytes, authData = authenticatorData(NO_AAGUID), issuers = [], extra }: Change = {}) {
  const certificate = leafCertificate({
    version: 1,
    subject: [[OID.cn, utf8String('U2F key')]],
    publicKey: attestationKey.publicKey,
    extensions: [],
    ...leaf,
  });
  const entries = { sig: sig(ecdsa(registrationMessage(), attestationKey)), x5c: [certificate, ...issuers], ...extra };
  return attestation('fido-u2f', members(entries), authData);
}

const p384 = ecKeyPair('P-384');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = encodeCoseKey({ kty: 1, alg: -8, crv: 6, x: new Uint8Array(32) });

describe('fido-u2f (§8.6)', () => {
  describe('legal', () => {
    judged(u2f, [
      ['as old security keys', {}],
      ['AAGUID that neither signature nor certificate covers', { authData: authenticatorData(AAGUID) }, [], ['certificate-aaguid']],
      [
        'AAGUID that the certificate names',
        { authData: authenticatorData(AAGUID), leaf: { version: 3, extensions: [EXTENSIONS.aaguid(AAGUID)] } },
      ],
      ['certificate with the AAGUID of its CTAP2 model', { leaf: { version: 3, extensions: [EXTENSIONS.aaguid(OTHER_AAGUID)] } }],
      ['unknown members', { extra: { alg: -7 } }],
    ]);
  });

  describe('forged or broken', () => {
    judged(u2f, [
      [
        'AAGUID of another model than that of the certificate',
        { authData: authenticatorData(AAGUID), leaf: { version: 3, extensions: [EXTENSIONS.aaguid(OTHER_AAGUID)] } },
        ['certificate-aaguid'],
      ],
      ['sig missing', { extra: { sig: undefined } }, ['syntax']],
      ['two certificates', { issuers: [caCertificate()] }, ['one-certificate']],
      ['signature changed', { sig: flipped }, ['signature']],
      ['bytes after the signature', { sig: (sig) => concatBytes(sig, Uint8Array.of(0)) }, ['signature']],
      [
        'signature over authenticator data, as packed',
        { sig: () => ecdsa(signedBytes(authenticatorData()), attestationKey) },
        ['signature'],
      ],
      [
        'certificate on P-384',
        { leaf: { publicKey: p384.publicKey }, sig: () => ecdsa(registrationMessage(), p384) },
        ['certificate-key', 'algorithm-fits-key', 'signature'],
      ],
      [
        'certificate with an RSA key',
        { leaf: { publicKey: rsa.publicKey }, sig: () => ecdsa(registrationMessage(), rsa) },
        ['certificate-key', 'algorithm-fits-key', 'signature'],
      ],
      ['credential key on P-384', { authData: authenticatorData(NO_AAGUID, ec2Key(p384, -35, 2)) }, ['credential-key']],
      ['credential key of another type', { authData: authenticatorData(NO_AAGUID, ed25519) }, ['credential-key']],
      ['another credential key', { authData: authenticatorData(NO_AAGUID, ec2Key(attestationKey)) }, ['signature']],
      ['certificate expired', { leaf: { notAfter: AT - 1000 } }, ['chain-validity']],
      ['a key that is none', { authData: authenticatorData(NO_AAGUID, Uint8Array.of(0xa0)) }, ['credential-key']],
      ['signature by the credential', { sig: () => ecdsa(registrationMessage(), credentialKey) }, ['signature']],
    ]);
  });
});
