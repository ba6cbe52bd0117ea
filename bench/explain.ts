/**
 * `npx tsx bench/explain.ts [ROUNDS]`: one authentication (ES256) explained, from the response's JSON to the last step's report, as
 * a ratio to one bare `crypto.verify` with its key import. Both are measured in turn in one process. The limit is 2.5.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { readFixture } from '../src/fixture/read.js';
import { runSteps } from '../src/relying-party/judge.js';
import { type ReceivedAuthentication, readAuthentication } from '../src/relying-party/response.js';
import { AUTHENTICATION_STEPS } from '../src/relying-party/steps/authentication.js';
import { authenticationContext } from '../src/relying-party/steps/context.js';
import { hasFailed } from '../src/relying-party/steps/step.js';
import { decodeBase64url, encodeBase64url } from '../src/webauthn/base64url.js';
import { decodeCoseKey } from '../src/webauthn/cose-key.js';

const ROUNDS = Number(process.argv[2] ?? 7);
const BATCH = 2_000;

const fixture = await readFixture(join(import.meta.dirname, '../fixtures/recorded/login-user-verified.json'));
const { credential, owner, ceremony } = fixture;
if (credential === undefined) throw new Error('The fixture has no credential record.');
const response = fixture.response as unknown as ReceivedAuthentication;
const id = decodeBase64url(credential.id);
const publicKey = decodeBase64url(credential.publicKey);
const challenge = decodeBase64url(ceremony.challenge);
const userHandle = decodeBase64url(owner.userHandle);

function explain(): void {
  const context = authenticationContext(readAuthentication(response), {
    challenge: { status: 'open', challenge },
    rpId: fixture.rpId,
    origins: [fixture.origin],
    topOrigins: [],
    userVerification: 'required',
    allowCredentials: [id],
    credential: { ...credential, id, publicKey, userHandle },
  } as Parameters<typeof authenticationContext>[1]);
  const failed = runSteps(AUTHENTICATION_STEPS, context).filter(hasFailed);
  if (failed.length > 0) throw new Error(`Step ${failed[0]?.slug} failed.`);
}

const key = decodeCoseKey(publicKey);
if (key.kty !== 2) throw new Error('The fixture has another kind of key.');
const jwk = { kty: 'EC', crv: 'P-256', x: encodeBase64url(key.x), y: encodeBase64url(key.y) };
const signature = decodeBase64url(response.response.signature);
const clientDataHash = createHash('sha256').update(decodeBase64url(response.response.clientDataJSON)).digest();
const signed = Buffer.concat([decodeBase64url(response.response.authenticatorData), clientDataHash]);

function bare(): void {
  if (!verify('sha256', signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)) throw new Error('The signature does not verify.');
}

function microseconds(work: () => void): number {
  const start = performance.now();
  for (let index = 0; index < BATCH; index += 1) work();
  return ((performance.now() - start) * 1000) / BATCH;
}

microseconds(explain);
microseconds(bare);
const rows = Array.from({ length: ROUNDS }, () => ({ explained: microseconds(explain), bare: microseconds(bare) }));
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
console.log(`explained  median ${median(rows.map((row) => row.explained)).toFixed(0)} µs`);
console.log(`bare       median ${median(rows.map((row) => row.bare)).toFixed(0)} µs (crypto.verify and key import)`);
console.log(`ratio      median ${median(rows.map((row) => row.explained / row.bare)).toFixed(2)}`);
