import { describe, expect, test } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { type AttestationInput, verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import type { Certificate } from '../../../src/webauthn/certificate.js';
import { slugs } from './outcome.js';
import { RECORDINGS, recordedCertificates, recordedCredential, recordedStatement } from './recordings.js';
import { flipped } from './statements.js';

/**
 * Forgeries of real statements: one thing changed, everything else as the device sent it. The table says which requirement
 * must find it, format by format; `none` signs nothing, and a rejected statement needs no forging.
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

/** One bit of a member that is a byte string, `at` counted from its end where it is negative. */
const flippedMember =
  (name: string, at: number) =>
  (input: AttestationInput): AttestationInput | undefined => {
    const value = input.attestationObject.attStmt.get(name);
    return value instanceof Uint8Array ? withStatement(input, { [name]: flipped(value, at < 0 ? value.length + at : at) }) : undefined;
  };

/** The signature of SafetyNet stands in its answer, in the third part of a JWS. */
function flippedSignature(input: AttestationInput): AttestationInput | undefined {
  const response = input.attestationObject.attStmt.get('response');
  if (!(response instanceof Uint8Array)) {
    return flippedMember('sig', -1)(input);
  }
  const [header = '', payload = '', signature = ''] = decodeUtf8(response).split('.');
  const forged = encodeBase64url(flipped(decodeBase64url(signature)));
  return withStatement(input, { response: encodeUtf8([header, payload, forged].join('.')) });
}

/** Another real device of the same format. */
function other(input: AttestationInput, differs: (candidate: AttestationInput) => boolean): AttestationInput | undefined {
  const { fmt } = input.attestationObject;
  return genuine.find((candidate) => candidate.input.attestationObject.fmt === fmt && differs(candidate.input))?.input;
}

const keyOf = (input: AttestationInput): string => encodeBase64url(recordedCredential(input).credentialPublicKey);
const leafOf = (input: AttestationInput): string => encodeBase64url(recordedCertificates(input)[0]?.bytes ?? new Uint8Array());

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

function otherLeaf(input: AttestationInput): AttestationInput | undefined {
  const [own, ...issuers] = recordedCertificates(input);
  const donor = own && other(input, (candidate) => leafOf(candidate) !== leafOf(input));
  const [leaf] = donor === undefined ? [] : recordedCertificates(donor);
  return leaf && withStatement(input, { x5c: [leaf, ...issuers].map(({ bytes }) => bytes) });
}

/** The leaf with one bit of its signature changed: only an issuer that is there can tell. */
function forgedLeaf(input: AttestationInput): AttestationInput | undefined {
  const [leaf, ...issuers] = recordedCertificates(input);
  return leaf === undefined || issuers.length === 0
    ? undefined
    : withStatement(input, { x5c: [flipped(leaf.bytes), ...issuers.map(({ bytes }) => bytes)] });
}

/** As of another time, told by the leaf. */
const atTime =
  (when: (leaf: Certificate) => number) =>
  (input: AttestationInput): AttestationInput | undefined => {
    const [leaf] = recordedCertificates(input);
    return leaf && { ...input, at: when(leaf) };
  };

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
const OUT_OF_TIME = {
  packed: ['chain-validity'],
  tpm: ['chain-validity'],
  'android-key': ['chain-validity'],
  'fido-u2f': ['chain-validity'],
  apple: ['chain-validity'],
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
  [
    'the leaf with one bit of its signature changed',
    forgedLeaf,
    { packed: ['chain-signatures'], tpm: ['chain-signatures'], 'android-key': ['chain-signatures'], apple: ['chain-signatures'] },
  ],
  ['a second before the leaf was valid', atTime(({ notBefore }) => notBefore - 1000), OUT_OF_TIME],
  ['a second after the leaf was valid', atTime(({ notAfter }) => notAfter + 1000), OUT_OF_TIME],
  ['certInfo: one bit of magic', flippedMember('certInfo', 0), { tpm: ['magic', 'signature'] }],
  ['certInfo: one bit of the name, qualifiedName after it', flippedMember('certInfo', -37), { tpm: ['name', 'signature'] }],
  ['certInfo: one bit that nobody looks at', flippedMember('certInfo', -1), { tpm: ['signature'] }],
  ['pubArea: one bit of its attributes', flippedMember('pubArea', 7), { tpm: ['name'] }],
  ['pubArea: one bit of the key', flippedMember('pubArea', -1), { tpm: ['public-key', 'name'] }],
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

describe('the leaf of another real device', () => {
  const forged = genuine.flatMap(({ file, kind, input }) => {
    const forgery = otherLeaf(input);
    return forgery === undefined ? [] : [{ file, kind, forgery }];
  });

  test('concerns the formats with certificates', () => {
    expect([...new Set(forged.map(({ kind }) => kind))].sort()).toEqual(['android-key', 'apple', 'fido-u2f', 'packed', 'tpm']);
  });

  test.each(forged)('$file', ({ kind, forgery }) => {
    const report = verifyAttestation(forgery);
    // Where its issuer is the same, as with Apple, the chain does not give it away; what it is about does.
    expect(slugs(report, 'fail')).toEqual(expect.arrayContaining(kind === 'apple' ? ['nonce', 'public-key'] : ['signature']));
    expect(report.verdict).toBe('rejected');
  });
});

describe('the root of another maker', () => {
  const withCertificates = genuine.filter(({ input }) => recordedCertificates(input).length > 0);

  test.each(withCertificates)('$file', ({ input, kind }) => {
    const roots = withCertificates.flatMap((candidate) => (candidate.kind === kind ? [] : recordedCertificates(candidate.input).slice(-1)));
    const { trust, verdict } = verifyAttestation({ ...input, roots });
    expect(trust.status).toBe('untrusted');
    expect(trust.check).toMatchObject({ slug: 'trust-anchor', status: 'fail' });
    expect(verdict).toBe('accepted');
  });
});
