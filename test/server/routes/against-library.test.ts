import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import { documentOfCeremony } from '../../../src/explain/document.js';
import { reportRegistration } from '../../../src/explain/report/report.js';
import { concatBytes, fromHex } from '../../../src/kernel/bytes.js';
import type { Policy } from '../../../src/relying-party/policy.js';
import { FLAG, OFFSETS } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap } from '../../../src/webauthn/cbor.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import type { RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { members } from '../../relying-party/attestation/statements.js';
import {
  authenticationResponse,
  CREDENTIAL_ID,
  es256Key,
  type RegistrationFields,
  registrationResponse,
  type TestKey,
} from '../../relying-party/ceremony.js';
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

test('self attestation of an Ed448 key: explain accepts it, and so does the server, and says so in its log', async () => {
  const fields = { key: ed448, fmt: 'packed', attStmt: selfAttested(ed448, -53) };
  const why = 'verifies neither ES256K nor Ed448';
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
