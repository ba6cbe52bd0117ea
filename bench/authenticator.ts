/**
 * `npx tsx bench/authenticator.ts [ROUNDS]`: the software authenticator as shares of what its cryptography costs alone, all measured in
 * turn in one process. 1 would be as fast as bare key generation (P-256) or a bare signature (ES256) with a ready key. The limits:
 * makeCredential 0.5, getAssertion 0.4; through the client 0.35 and 0.33; the same time from 10 to 100,000 credentials, but for discoverable
 * ones, which are looked for among all of their RP.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createAuthenticator, type SoftwareAuthenticator } from '../src/authenticator/authenticator.js';
import type { CredentialSource } from '../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../src/authenticator/credential-store.js';
import type { GetAssertionRequest, MakeCredentialRequest } from '../src/authenticator/ports.js';
import { createClient } from '../src/client/client.js';
import { encodeUtf8 } from '../src/kernel/bytes.js';

const ROUNDS = Number(process.argv[2] ?? 9);
/** Rounds until the compiler has seen enough. */
const WARM_UP = 6;
const BATCH = 300;
const RP_ID = 'example.com';
const ORIGIN = 'https://example.com';
const clientDataHash = new Uint8Array(createHash('sha256').update('client data').digest());
const challenge = randomBytes(32).toString('base64url');

let users = 0;
const nextUser = () => `user ${users++}`;

function makeRequest(): MakeCredentialRequest {
  const name = nextUser();
  return {
    clientDataHash,
    rp: { id: RP_ID, name: 'Example' },
    user: { id: encodeUtf8(name), name, displayName: name },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    excludeCredentials: [],
    requireResidentKey: true,
    requireUserPresence: true,
    requireUserVerification: true,
    enterpriseAttestationPossible: false,
    attestationFormats: [],
    extensions: {},
  };
}

function getRequest(id?: Uint8Array): GetAssertionRequest {
  const allowCredentials = id && [{ type: 'public-key', id } as const];
  return {
    rpId: RP_ID,
    clientDataHash,
    ...(allowCredentials && { allowCredentials }),
    requireUserPresence: true,
    requireUserVerification: true,
    extensions: {},
  };
}

function creation() {
  const name = nextUser();
  return {
    challenge,
    rp: { id: RP_ID, name: 'Example' },
    user: { id: Buffer.from(name).toString('base64url'), name, displayName: name },
    pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' } as const,
    attestation: 'none' as const,
  };
}

function demanding(id: string) {
  const allowCredentials = [{ type: 'public-key' as const, id }];
  return { challenge, rpId: RP_ID, userVerification: 'required' as const, allowCredentials };
}

async function made(authenticator: SoftwareAuthenticator): Promise<CredentialSource> {
  const answer = await authenticator.makeCredential(makeRequest());
  if (!answer.ok) throw new Error(answer.message);
  const source = (await authenticator.store.list()).at(-1);
  if (source === undefined) throw new Error('The authenticator kept nothing.');
  return source;
}

/** Microseconds of processor time for one of a batch: those do not grow when the machine has other work. */
async function time(work: () => unknown, batch: number): Promise<number> {
  const start = process.cpuUsage();
  for (let index = 0; index < batch; index += 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / batch;
}

/** The medians of rounds in which all take their turn, after some that warm up. */
async function medians<Name extends string>(works: Readonly<Record<Name, () => unknown>>): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const rows: Record<Name, number>[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const row: [string, number][] = [];
    for (const name of names) row.push([name, await time(works[name], BATCH)]);
    if (round >= WARM_UP) rows.push(Object.fromEntries(row) as Record<Name, number>);
  }
  const middle = (name: Name) => rows.map((row) => row[name]).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)] ?? Number.NaN;
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as Record<Name, number>;
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signed = randomBytes(37 + 32);
const alone = createAuthenticator();
const source = await made(alone);
const behindClient = createAuthenticator();
const client = createClient({ authenticator: behindClient, origin: ORIGIN });
const created = await client.create({ publicKey: creation() });

const KEY = 'bare key generation';
const SIGNATURE = 'bare signature';
const bareKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const bareSignature = () => sign('sha256', signed, privateKey);
const LIMITS: Readonly<Record<string, number>> = { makeCredential: 0.5, getAssertion: 0.4, 'client.create': 0.35, 'client.get': 0.33 };

/** Prints each as a share of the bare operation above it. */
function printShares(measured: Readonly<Record<string, number>>): void {
  let bare = 0;
  for (const [name, microseconds] of Object.entries(measured)) {
    if (name.startsWith('bare')) bare = microseconds;
    const limit = LIMITS[name] === undefined ? '' : `  (at least ${LIMITS[name]})`;
    console.log(`${name.padEnd(34)} ${microseconds.toFixed(1).padStart(8)} µs  share ${(bare / microseconds).toFixed(2)}${limit}`);
  }
}

printShares(
  await medians({
    [KEY]: bareKey,
    makeCredential: () => alone.makeCredential(makeRequest()),
    'client.create': () => client.create({ publicKey: creation() }),
    [SIGNATURE]: bareSignature,
    getAssertion: () => alone.getAssertion(getRequest(source.id)),
    'getAssertion, discoverable': () => alone.getAssertion(getRequest()),
    'client.get': () => client.get({ publicKey: demanding(created.id) }),
  }),
);
/** An authenticator that holds so many credentials of one RP, all with the same key so that filling it takes no time. */
function holding(size: number) {
  const id = (index: number) => {
    const bytes = new Uint8Array(32);
    new DataView(bytes.buffer).setUint32(0, index);
    return bytes;
  };
  const held = Array.from({ length: size }, (_, index) => ({ ...source, id: id(index), user: { ...source.user, id: id(index) } }));
  return { authenticator: createAuthenticator({ store: createCredentialSourceStore(held) }), id: id(Math.floor(size / 2)) };
}

const [few, many] = [holding(10), holding(100_000)];
const flat = await medians({
  'makeCredential among 10': () => few.authenticator.makeCredential(makeRequest()),
  'makeCredential among 100,000': () => many.authenticator.makeCredential(makeRequest()),
  'getAssertion among 10': () => few.authenticator.getAssertion(getRequest(few.id)),
  'getAssertion among 100,000': () => many.authenticator.getAssertion(getRequest(many.id)),
  'discoverable among 10': () => few.authenticator.getAssertion(getRequest()),
  'discoverable among 100,000': () => many.authenticator.getAssertion(getRequest()),
});
const pairs = Object.values(flat);
for (const [index, [name, best]] of Object.entries(flat).entries()) {
  const growth = index % 2 === 1 ? `  ${(best / (pairs[index - 1] ?? best)).toFixed(2)} times the time among 10` : '';
  console.log(`${name.padEnd(34)} ${best.toFixed(1).padStart(8)} µs${growth}`);
}
