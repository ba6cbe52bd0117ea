import { describe, expect, test } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { runSteps } from '../../../src/relying-party/judge.js';
import { readTrust } from '../../../src/relying-party/steps/attestation.js';
import type { RegistrationSlug } from '../../../src/relying-party/steps/procedure.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import { type AttestationStatement, decodeAttestationObject, encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { EXTENSIONS, ecKeyPair } from '../../webauthn/certificate-writer.js';
import { caCertificate, leafCertificate, rootCertificate } from '../attestation/authority.js';
import { ecdsa } from '../attestation/statements.js';
import { AAGUID, FLAGS, type RegistrationFields } from '../ceremony.js';
import { key, type RegistrationExpectation, registrationOf } from '../diagnosis/explained.js';
import { createWorld } from '../world.js';
import { policyRows, type Row, stepped } from './outcome.js';
import { SHARED_ROWS, UNREADABLE } from './shared-rows.js';

type Fields = Partial<RegistrationFields>;
type Expected = Partial<RegistrationExpectation>;

const run = (fields: Fields, expected: Expected) => runSteps(REGISTRATION_STEPS, registrationOf(fields, expected).context);
const UNVERIFIED = 'does not verify';
const noObject = { change: { attestationObject: (bytes: Uint8Array) => bytes.subarray(0, -1) } } satisfies Fields;
const noCredential = {
  change: { authData: (bytes: Uint8Array) => bytes.slice(0, 37).map((byte, index) => (index === 32 ? byte & ~0x40 : byte)) },
} satisfies Fields;
const badAuthData = { change: { authData: (bytes: Uint8Array) => bytes.subarray(0, 36) } } satisfies Fields;

const attestationKey = ecKeyPair();
const certificate = leafCertificate({
  publicKey: attestationKey.publicKey,
  extensions: [EXTENSIONS.basicConstraints(false), EXTENSIONS.aaguid(AAGUID)],
});

function packed(members: (signed: Uint8Array) => Readonly<Record<string, CborValue>>): Fields {
  return {
    fmt: 'packed',
    attStmt: (authData, clientDataHash) => new Map<CborValue, CborValue>(Object.entries(members(concatBytes(authData, clientDataHash)))),
  };
}

const certified = packed((signed) => ({ alg: -7, sig: ecdsa(signed, attestationKey), x5c: [certificate, caCertificate()] }));
const broken = packed((signed) => ({ alg: -7, sig: ecdsa(signed, attestationKey), x5c: [certificate, rootCertificate()] }));
const forged = packed((signed) => ({ alg: -7, sig: ecdsa(signed, ecKeyPair()), x5c: [certificate, caCertificate()] }));
/** Of an algorithm that no version of Node knows. */
const unknown = packed((signed) => ({ alg: -999, sig: ecdsa(signed, attestationKey), x5c: [certificate, caCertificate()] }));
const self = packed((signed) => ({ alg: -7, sig: key.sign(signed) }));

const NONE = { fmt: 'none', attStmt: new Map<CborValue, CborValue>() };

function compound(...statements: readonly AttestationStatement[]): Fields {
  const change = {
    attestationObject: (bytes: Uint8Array) => encodeAttestationObject({ ...decodeAttestationObject(bytes), fmt: 'compound', statements }),
  };
  return { change };
}

const COMPOUNDS = [
  { when: 'a compound has no part', statements: [], received: '0 statements' },
  { when: 'a compound has one part', statements: [NONE], received: '1 statement: "none"' },
  { when: 'a compound is in a compound', statements: [NONE, { fmt: 'compound', attStmt: NONE.attStmt }], received: '"none", "compound"' },
];

const root: Expected = { attestationRoots: [rootCertificate()] };
const otherRoot: Expected = {
  attestationRoots: [rootCertificate({ signingKey: ecKeyPair().privateKey, publicKey: ecKeyPair().publicKey })],
};

const UNKNOWN_KEY = encodeCoseKey({ kty: 2, alg: -262, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) });
const BESIDE = encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) });

const ROWS: readonly Row<RegistrationSlug, RegistrationFields, RegistrationExpectation>[] = [
  ...SHARED_ROWS,
  ['create', 'skip'],
  ['client-extension-results', 'pass', 'all is well', { received: 'no extension output' }],
  [
    'client-extension-results',
    'pass',
    'there are more than can be shown',
    {
      fields: {
        change: {
          json: (json) => ({ ...json, clientExtensionResults: Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`e${n}`, true])) }),
        },
      },
      received: 'e10, e11, 3 more',
    },
  ],
  ['client-data', 'pass', 'a name is odd', { fields: { extra: { 'a\u001b[1m': 1 } }, received: '"a\\u001b[1m"' }],
  ['type', 'pass', 'all is well', { received: '"webauthn.create"' }],
  ['type', 'fail', 'of a login', { fields: { type: 'webauthn.get' }, code: 'type_mismatch', hint: 'a login' }],
  ['challenge', 'fail', 'it is another', { fields: { challenge: 'AAAA' }, code: 'challenge_unknown' }],
  [
    'cross-origin',
    'fail',
    'no iframe is expected',
    { fields: { crossOrigin: true }, code: 'cross_origin_not_allowed', hint: 'publickey-credentials-create' },
  ],
  ['attestation-object', 'pass'],
  ['attestation-object', 'fail', 'it is cut off', { fields: noObject, code: 'attestation_malformed' }],
  ['attestation-object', 'fail', 'there is no credential', { fields: noCredential, code: 'authenticator_data_malformed' }],
  ['attestation-object', 'fail', 'authData is cut off', { fields: badAuthData, code: 'authenticator_data_malformed' }],
  ['rp-id-hash', 'skip', 'there is no object', { fields: noObject, received: UNREADABLE }],
  ['rp-id-hash', 'skip', 'authData is cut off, which step 13 says', { fields: badAuthData, received: UNREADABLE }],
  ['user-present', 'fail', 'nobody was', { fields: { flags: 0 }, code: 'user_not_present', hint: 'conditional create' }],
  ['user-present', 'pass', 'nobody need be', { fields: { flags: 0 }, expected: { mediation: 'conditional' }, received: 'UP not set' }],
  ['user-present', 'skip', 'there is no object', { fields: noObject, received: UNREADABLE }],
  ['user-verified', 'skip', 'there is no object', { fields: noObject, received: UNREADABLE }],
  ['backup-flags', 'skip', 'there is no object', { fields: noObject, received: UNREADABLE }],
  ['backup-eligibility', 'skip', 'all is well', { received: 'BE is not set' }],
  ['backup-state', 'skip', 'all is well', { received: 'BS is not set' }],
  ['algorithm', 'pass', 'all is well', { received: 'ES256 (-7)' }],
  ['algorithm', 'fail', 'it was not offered', { expected: { algorithms: [-257] }, code: 'algorithm_not_allowed' }],
  ['algorithm', 'fail', 'the key is none', { fields: { publicKey: BESIDE }, code: 'public_key_malformed' }],
  ['algorithm', 'skip', 'there is no credential', { fields: noCredential, received: 'no attested credential data' }],
  ['attestation-format', 'pass', 'all is well', { received: '"none"' }],
  ['attestation-format', 'fail', 'nobody knows it', { fields: { fmt: 'None' }, code: 'attestation_format_unsupported' }],
  ['attestation-format', 'skip', 'there is no object', { fields: noObject, received: UNREADABLE }],
  ['attestation-statement', 'pass', 'there is none', { received: 'an empty statement' }],
  ['attestation-statement', 'pass', 'it is packed', { fields: certified, received: 'requirements met' }],
  ['attestation-statement', 'fail', 'it is forged', { fields: forged, code: 'attestation_malformed' }],
  ['attestation-statement', 'fail', 'its chain is broken', { fields: broken, code: 'attestation_malformed' }],
  ...COMPOUNDS.flatMap(({ when, statements, received }): Row<RegistrationSlug, RegistrationFields, RegistrationExpectation>[] => [
    ['attestation-object', 'pass', when, { fields: compound(...statements) }],
    ['attestation-statement', 'fail', when, { fields: compound(...statements), code: 'attestation_malformed', received }],
  ]),
  ['attestation-statement', 'pass', 'its chain is broken, which step 24 says', { fields: broken, expected: root, received: 'requirement' }],
  ['attestation-statement', 'skip', 'there is no credential', { fields: noCredential, received: 'no attested credential data' }],
  [
    'attestation-statement',
    'fail',
    'its algorithm is in no table',
    { fields: unknown, code: 'attestation_malformed', received: 'which is not registered' },
  ],
  [
    'algorithm',
    'fail',
    'the algorithm of the key is in no table, though it was offered',
    { fields: { publicKey: UNKNOWN_KEY }, expected: { algorithms: [-7, -262] }, code: 'public_key_malformed', received: 'got -262' },
  ],
  ['trust-anchors', 'pass', 'there are roots', { fields: certified, expected: root, received: '1 root certificate' }],
  ['trust-anchors', 'skip', 'there are no roots', { fields: certified, received: 'no attestation roots' }],
  ['trust-anchors', 'skip', 'the statement is forged', { fields: forged, expected: root, received: UNVERIFIED }],
  [
    'attestation-trust',
    'fail',
    'there is no attestation',
    { expected: root, code: 'attestation_untrusted', received: 'no attestation (format "none")', hint: 'Request attestation "direct"' },
  ],
  ['attestation-trust', 'pass', 'the root is the right one', { fields: certified, expected: root, received: 'Test root' }],
  ['attestation-trust', 'fail', 'the root is another', { fields: certified, expected: otherRoot, code: 'attestation_untrusted' }],
  ['attestation-trust', 'fail', 'the chain is broken', { fields: broken, expected: root, code: 'attestation_untrusted' }],
  [
    'attestation-trust',
    'fail',
    'it attests itself, which the policy refuses',
    {
      fields: self,
      expected: { ...root, selfAttestation: 'refuse' },
      code: 'attestation_untrusted',
      received: 'self attestation',
      hint: '--self-attestation accept',
    },
  ],
  [
    'attestation-trust',
    'fail',
    'it attests itself, which the policy refuses without roots too',
    { fields: self, expected: { selfAttestation: 'refuse' }, code: 'attestation_untrusted', received: 'self attestation' },
  ],
  [
    'attestation-trust',
    'pass',
    'it attests itself, which the policy accepts, with roots',
    { fields: self, expected: root, received: 'self attestation' },
  ],
  ['attestation-trust', 'pass', 'it attests itself, without roots', { fields: self, received: 'self attestation' }],
  [
    'attestation-trust',
    'skip',
    'its self attestation is forged, whatever the policy',
    { fields: packed((signed) => ({ alg: -7, sig: ecdsa(signed, ecKeyPair()) })), expected: root, received: UNVERIFIED },
  ],
  [
    'attestation-trust',
    'fail',
    'each part of a compound has no attestation',
    { fields: compound(NONE, NONE), expected: root, code: 'attestation_untrusted', received: 'without any certificate' },
  ],
  [
    'attestation-trust',
    'skip',
    'nobody can verify the statement, though its certificates lead to the root',
    { fields: unknown, expected: root, received: UNVERIFIED },
  ],
  ['attestation-trust', 'skip', 'there are no roots', { fields: certified, received: 'no attestation roots' }],
  [
    'attestation-trust',
    'skip',
    'the statement is forged, though its certificates lead to the root',
    { fields: forged, expected: root, received: UNVERIFIED },
  ],
  ['credential-id', 'pass'],
  ['credential-id', 'fail', 'it has 1024 bytes', { fields: { credentialId: new Uint8Array(1024) }, code: 'credential_id_too_long' }],
  [
    'credential-id',
    'fail',
    'it is not the attested one',
    { fields: { change: { json: (json) => ({ ...json, id: 'AAAA', rawId: 'AAAA' }) } }, code: 'credential_id_mismatch' },
  ],
  ['credential-id', 'skip', 'there is no credential', { fields: noCredential, received: 'no attested credential data' }],
  ['credential-id-unused', 'pass', 'nobody has it', { expected: { credentialKnown: false } }],
  ['credential-id-unused', 'fail', 'somebody has it', { expected: { credentialKnown: true }, code: 'credential_already_registered' }],
  ['credential-id-unused', 'skip', 'nobody looked', { received: 'no store' }],
  [
    'credential-record',
    'pass',
    'all is well',
    {
      fields: { signCount: 7, flags: FLAGS.up | FLAGS.be | FLAGS.bs },
      received: 'id of 16 bytes, publicKey of ES256, signCount 7, uvInitialized false, backupEligible true, backupState true',
    },
  ],
  ['credential-record', 'skip', 'there is no credential', { fields: noCredential, received: 'no attested credential data' }],
  [
    'extension-outputs',
    'pass',
    'there are some',
    {
      fields: { change: { json: (json) => ({ ...json, clientExtensionResults: { credProps: { rk: true } } }) } },
      received: '1 extension output',
    },
  ],
  ['store', 'skip'],
];

describe('§7.1', () => {
  stepped(REGISTRATION_STEPS, run, ROWS);
});

describe('a relying party refuses a registration, and stores nothing', () => {
  test.each(policyRows(ROWS, REGISTRATION_STEPS))('at $slug when $when', async ({ slug, code, fields, policy, step }) => {
    const world = createWorld({ policy, key });
    await expect(world.register(fields)).rejects.toMatchObject({
      name: 'PasskeyError',
      code,
      step: { section: '7.1', number: step?.number, slug },
      message: expect.stringContaining(`§7.1 step ${step?.number} (${slug}): expected `),
    });
    expect(await world.relyingParty.list()).toEqual([]);
  });
});

test.each([
  ['an attestation object', noObject],
  ['authenticator data', badAuthData],
  ['attested credential data', noCredential],
])('%s that cannot be read fails one step, and is skipped by all that look into it', (_, fields) => {
  const failed = run(fields, root).filter(({ status }) => status === 'fail');
  expect(failed.map(({ slug }) => slug)).toEqual(['attestation-object']);
});

test.each([
  ['a statement that verifies', certified, 'trusted'],
  ['one that nobody can verify', unknown, 'untrusted'],
  ['a forged one', forged, 'untrusted'],
] as const)('the certificates of %s lead to the root, and the record says %3$s', (_, fields, trust) => {
  const report = registrationOf(fields, root).context.attestation();
  expect(report?.trust.status).toBe('trusted');
  expect(report && readTrust(report)).toBe(trust);
});
