import { describe, expect, test } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import { slugs } from './outcome.js';
import { RECORDINGS, recordedCredential, recordedStatement } from './recordings.js';
import { type AttestationInput, flipped } from './statements.js';

/**
 * Forgeries of what real statements are bound to: one thing changed, everything else as the device sent it. The table says which
 * requirement must find it, format by format; `none` signs nothing, and a rejected statement needs no forging.
 */
type Forgery = [
  name: string,
  /** Undefined where the statement has nothing of the kind. */
  make: (input: AttestationInput) => AttestationInput | undefined,
  /** The sub-checks that fail, and no others; a format that is not named has nothing of the kind. */
  fails: Readonly<Record<string, readonly string[]>>,
];

interface Genuine {
  readonly file: string;
  /** Of `packed` two: with certificates, and `self`. */
  readonly kind: string;
  readonly input: AttestationInput;
}

const genuine: readonly Genuine[] = RECORDINGS.filter(
  ({ expected }) => expected.verdict === 'accepted' && expected.attestationType !== 'none',
).map((recording) => {
  const input = recordedStatement(recording);
  const { fmt } = input.attestationObject;
  return { file: recording.file, kind: recording.expected.attestationType === 'self' ? 'self' : fmt, input };
});

const withStatement = (input: AttestationInput, changes: Readonly<Record<string, CborValue>>): AttestationInput => {
  const attStmt: CborMap = new Map([...input.attestationObject.attStmt, ...Object.entries(changes)]);
  return { ...input, attestationObject: { ...input.attestationObject, attStmt } };
};
const withAuthData = (input: AttestationInput, authData: Uint8Array): AttestationInput => ({
  ...input,
  attestationObject: { ...input.attestationObject, authData },
});

/** The signature of SafetyNet stands in its answer, in the third part of a JWS. */
function flippedSignature(input: AttestationInput): AttestationInput | undefined {
  const { response, sig } = Object.fromEntries(input.attestationObject.attStmt);
  if (sig instanceof Uint8Array) return withStatement(input, { sig: flipped(sig) });
  if (!(response instanceof Uint8Array)) return undefined;
  const [header = '', payload = '', signature = ''] = decodeUtf8(response).split('.');
  const forged = encodeBase64url(flipped(decodeBase64url(signature)));
  return withStatement(input, { response: encodeUtf8([header, payload, forged].join('.')) });
}

const keyOf = (input: AttestationInput): string => encodeBase64url(recordedCredential(input).credentialPublicKey);

/** The key of another real credential, of the same algorithm where there is one, in the place of this one. */
function otherKey(input: AttestationInput): AttestationInput | undefined {
  const { authData } = input.attestationObject;
  const { credentialId, credentialPublicKey } = recordedCredential(input);
  const start = 55 + credentialId.length;
  const donor = genuine.find(({ input: candidate }) => {
    const key = recordedCredential(candidate).credentialPublicKey;
    return keyOf(candidate) !== keyOf(input) && key.length === credentialPublicKey.length;
  });
  const key = donor && recordedCredential(donor.input).credentialPublicKey;
  return key && withAuthData(input, concatBytes(authData.subarray(0, start), key, authData.subarray(start + credentialPublicKey.length)));
}

/** What binds each format to authenticator data and client data. */
const BOUND = {
  packed: ['signature'],
  self: ['signature'],
  tpm: ['extra-data'],
  'android-key': ['signature'],
  'android-safetynet': ['nonce'],
  'fido-u2f': ['signature'],
  apple: ['nonce'],
};

const FORGERIES: Forgery[] = [
  [
    'one bit of the signature',
    flippedSignature,
    {
      packed: ['signature'],
      self: ['signature'],
      tpm: ['signature'],
      'android-key': ['signature'],
      'android-safetynet': ['signature'],
      'fido-u2f': ['signature'],
    },
  ],
  ['one bit of the RP ID hash', (input) => withAuthData(input, flipped(input.attestationObject.authData, 0)), BOUND],
  // U2F signs neither flags nor counter nor AAGUID.
  [
    'one bit of the sign count',
    (input) => withAuthData(input, flipped(input.attestationObject.authData, 36)),
    { ...BOUND, 'fido-u2f': [] },
  ],
  [
    'the key of another credential',
    otherKey,
    { ...BOUND, tpm: ['public-key', 'extra-data'], 'android-key': ['signature', 'public-key'], apple: ['nonce', 'public-key'] },
  ],
  [
    'another client data hash',
    (input) => ({ ...input, clientDataHash: flipped(input.clientDataHash) }),
    { ...BOUND, 'android-key': ['signature', 'attestation-challenge'] },
  ],
];

describe.each(FORGERIES)('%s', (_, make, fails) => {
  const forged = genuine.flatMap(({ file, kind, input }) => {
    const forgery = make(input);
    return forgery === undefined ? [] : [{ file, kind, forgery }];
  });

  test('concerns the formats of the table', () => {
    expect([...new Set(forged.map(({ kind }) => kind))].sort()).toEqual(Object.keys(fails).sort());
  });

  test.each(forged)('$file', ({ kind, forgery }) => {
    const report = verifyAttestation(forgery);
    expect(slugs(report, 'fail')).toEqual(fails[kind]);
    expect(report.verdict).toBe(fails[kind]?.length === 0 ? 'accepted' : 'rejected');
  });
});
