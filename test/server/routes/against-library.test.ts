import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import { documentOfCeremony } from '../../../src/explain/document.js';
import { reportRegistration } from '../../../src/explain/report/report.js';
import { concatBytes, fromHex } from '../../../src/kernel/bytes.js';
import type { Policy } from '../../../src/relying-party/policy.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, FLAG, OFFSETS } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap } from '../../../src/webauthn/cbor.js';
import { decodeCoseKey, encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { utf8String } from '../../../src/webauthn/der-writer.js';
import type { RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { AT, leafCertificate, YEAR } from '../../relying-party/attestation/authority.js';
import { ecdsa, members } from '../../relying-party/attestation/statements.js';
import {
  authenticationResponse,
  CREDENTIAL_ID,
  es256Key,
  type RegistrationFields,
  registrationResponse,
  type TestKey,
} from '../../relying-party/ceremony.js';
import { ecKeyPair, OID } from '../../webauthn/certificate-writer.js';
import { APP_ORIGIN, APP_URL, collectLog, RP_ID, Service } from '../app.js';

const es256 = es256Key();

function ed448Key(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed448');
  const x = decodeBase64url(publicKey.export({ format: 'jwk' }).x ?? '');
  return { privateKey, publicKey: encodeCoseKey({ kty: 1, alg: -53, crv: 7, x }), sign: (data) => sign(null, data, privateKey) };
}
const ed448 = ed448Key();

const selfAttested =
  (key: TestKey, alg: number) =>
  (authData: Uint8Array, clientDataHash: Uint8Array): CborMap =>
    members({ alg, sig: key.sign(concatBytes(authData, clientDataHash)) });

const compound = (bytes: Uint8Array) => {
  const { attStmt, authData } = decodeAttestationObject(bytes);
  const statements = [1, 2].map(() => ({ fmt: 'packed', attStmt }));
  return encodeAttestationObject({ fmt: 'compound', attStmt: new Map(), authData, statements });
};

const u2fKey = ecKeyPair();
const u2fCertificate = leafCertificate({
  version: 1,
  subject: [[OID.cn, utf8String('U2F key')]],
  publicKey: u2fKey.publicKey,
  extensions: [],
  notAfter: AT + 100 * YEAR,
});
const u2fStatement = (authData: Uint8Array, clientDataHash: Uint8Array): CborMap => {
  const { x, y } = Object(decodeCoseKey(es256.publicKey));
  const { rpIdHash } = decodeAuthenticatorData(authData);
  const signed = concatBytes(Uint8Array.of(0), rpIdHash, clientDataHash, CREDENTIAL_ID, Uint8Array.of(4), x, y);
  return members({ sig: ecdsa(signed, u2fKey), x5c: [u2fCertificate] });
};

const policy: Partial<Policy> = { algorithms: [-7, -53] };

async function registered(fields: Omit<RegistrationFields, 'challenge'>) {
  const log = collectLog('info');
  const service = await Service.start({ policy, logger: log.logger });
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const response = registrationResponse({ challenge: options.challenge, rpId: RP_ID, origin: APP_ORIGIN, ...fields });
  const reply = await service.post('/api/passkeys/register', response);
  return { service, log, reply, explained: await explained(response, options.challenge) };
}

/** What explain says, given what the server knew. */
function explained(response: RegistrationResponseJSON, challenge: string) {
  return reportRegistration(readCredential({ ...response }), {
    rpId: RP_ID,
    origins: [APP_ORIGIN],
    challenge: { status: 'open', challenge: decodeBase64url(challenge) },
    topOrigins: [],
    userVerification: 'preferred',
    options: undefined,
    at: Date.UTC(2026, 0, 15, 10, 30),
    algorithms: [-7, -53],
    attestationRoots: [],
    credentialKnown: false,
  });
}

test.each<[string, Omit<RegistrationFields, 'challenge'>, string]>([
  [
    'self attestation of an Ed448 key',
    { key: ed448, fmt: 'packed', attStmt: selfAttested(ed448, -53) },
    'verifies neither ES256K nor Ed448',
  ],
  [
    'compound attestation',
    { key: es256, fmt: 'packed', attStmt: selfAttested(es256, -7), change: { attestationObject: compound } },
    'does not know compound attestation',
  ],
  ['a U2F key with an AAGUID', { key: es256, fmt: 'fido-u2f', attStmt: u2fStatement }, 'refuses fido-u2f with an AAGUID'],
])('%s: explain accepts it, and so does the server, and says so in its log', async (_, fields, why) => {
  const { service, log, reply, explained: report } = await registered(fields);
  await using _service = service;
  expect(report).toMatchObject({ verdict: 'accepted', library: { verdict: 'rejected' }, difference: expect.stringContaining(why) });
  expect(reply.statusCode).toBe(200);
  expect(log.lines).toMatchObject([
    {
      level: 30,
      event: 'ceremony-finished',
      outcome: 'verified',
      decidedBy: 'steps',
      difference: report.difference,
      msg: expect.stringMatching(/^registration verified: .*against the verification library\. The library /),
    },
  ]);
});

test('a changed bit in a statement that the library does not know is refused by the steps', async () => {
  const forged = (authData: Uint8Array, clientDataHash: Uint8Array) =>
    selfAttested(es256, -7)(
      authData,
      clientDataHash.map((byte) => byte ^ 1),
    );
  const { service, reply } = await registered({ key: es256, fmt: 'packed', attStmt: forged, change: { attestationObject: compound } });
  await using _service = service;
  expect([reply.statusCode, reply.json().step.slug]).toEqual([422, 'attestation-statement']);
});

test('a login with an Ed448 key is verified by the steps, and a forged one refused', async () => {
  const { service, log } = await registered({ key: ed448 });
  await using _service = service;
  const credentialId = Buffer.from(CREDENTIAL_ID).toString('base64url');
  const login = async (change: (signature: Uint8Array) => Uint8Array) => {
    const options = (await service.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null })).json();
    const response = authenticationResponse({
      key: ed448,
      challenge: options.challenge,
      rpId: RP_ID,
      origin: APP_ORIGIN,
      userHandle: null,
      change: { signature: change },
    });
    return await service.post('/api/passkeys/login', response, { token: null });
  };
  expect((await login((signature) => signature)).statusCode).toBe(200);
  expect(log.lines.at(-1)).toMatchObject({
    decidedBy: 'steps',
    msg: expect.stringContaining('The library verifies neither ES256K nor Ed448'),
  });
  const forged = await login((signature) => signature.with(5, (signature[5] ?? 0) ^ 1));
  expect([forged.statusCode, forged.json().code, forged.json().step.slug]).toEqual([401, 'signature_invalid', 'signature']);
});

test('what only the library refuses is undecided: 422 and 401 verifiers_disagree, and explain says the same', async () => {
  const outputs = (bytes: Uint8Array) => {
    const data = concatBytes(bytes, fromHex('a1646e616d65f93e00'));
    return data.map((byte, index) => (index === OFFSETS.flags ? byte | FLAG.ed : byte));
  };
  const { service, reply, explained: report } = await registered({ key: es256, change: { authData: outputs } });
  await using _service = service;
  expect([reply.statusCode, reply.json().code]).toEqual([422, 'verifiers_disagree']);
  expect(report).toMatchObject({ verdict: 'undecided', failed: undefined, disagreement: { code: 'verifiers_disagree' } });
  const document = documentOfCeremony('it', { kind: 'registration', outcome: report, expected: undefined });
  expect(document).toMatchObject({ verdict: 'undecided', error: { code: 'verifiers_disagree' }, library: { verdict: 'rejected' } });
  expect(document.steps.filter(({ status }) => status === 'fail')).toEqual([]);

  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const common = { key: es256, rpId: RP_ID, origin: APP_ORIGIN };
  await service.post('/api/passkeys/register', registrationResponse({ ...common, challenge: options.challenge }));
  const credential_id = Buffer.from(CREDENTIAL_ID).toString('base64url');
  const { challenge } = (await service.post('/api/passkeys/verify/options', { credential_id }, { token: null })).json();
  const login = authenticationResponse({ ...common, challenge, userHandle: null, change: { authenticatorData: outputs } });
  const refused = await service.post('/api/passkeys/verify', login, { token: null });
  expect([refused.statusCode, refused.json().code]).toEqual([401, 'verifiers_disagree']);
});
