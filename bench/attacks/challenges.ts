/**
 * `node --import tsx bench/attacks/challenges.ts`: what floods of begun ceremonies do to the challenges of two honest users, and how
 * much heap a begun ceremony takes. Nothing leaves the process.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../../src/relying-party/relying-party.js';
import { clientOfAddress } from '../../src/server/client-address.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ORIGIN = 'https://app.example.com';
const HONEST = ['198.51.100.7', '198.51.100.8'];
const START = Date.now();

interface Party {
  readonly store: Store;
  readonly relyingParty: RelyingParty;
}

function party(ceremonyLimit?: number): Party {
  const store = createMemoryStore(ceremonyLimit === undefined ? {} : { ceremonyLimit });
  const relyingParty = createRelyingParty({
    store,
    policy: DEFAULT_POLICY,
    origins: [],
    now: () => START,
    newChallenge: () => new Uint8Array(randomBytes(32)),
  });
  return { store, relyingParty };
}

const scope = { rpId: 'app.example.com', origins: [ORIGIN] };
const clientOf = (ip: string): string => clientOfAddress(ip);
const logIn = ({ relyingParty }: Party, ip: string) => relyingParty.beginAuthentication({ ...scope, client: clientOf(ip) });
const ipv4 = (index: number): string => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;

/** A 64 KiB body's worth of credentials to exclude, as an owner of many passkeys has them, or as `/dev` takes them. */
const excludeCredentials = Array.from({ length: 44 }, () => ({ id: randomBytes(1023).toString('base64url'), type: 'public-key' as const }));

/** A registration; `index` is in everything that is the user's. */
function register({ relyingParty }: Party, client: string, { index = 1, options = {} } = {}) {
  const owner = { type: 'User', id: index };
  const name = `user${index}@example.com`;
  const user = { owner, id: new TextEncoder().encode(`${index}`), name, displayName: `Ada Lovelace ${index}` };
  return relyingParty.beginRegistration({ user, rpName: 'Example', ...scope, client, options });
}

async function honestAfter(
  what: string,
  count: number,
  { flood, limit }: { flood: (to: Party, index: number) => Promise<unknown>; limit?: number },
) {
  const to = party(limit);
  const begun = [];
  for (const ip of HONEST) begun.push(await logIn(to, ip));
  for (let index = 0; index < count; index += 1) await flood(to, index);
  let open = 0;
  for (const { challenge } of begun) {
    if ((await to.store.takeCeremony(decodeBase64url(challenge), START)).status === 'open') open += 1;
  }
  console.log(`${what}, n=${count}: ${open} of ${HONEST.length} honest challenges are still good`);
}

async function heapOf(what: string, count: number, begin: (to: Party, index: number) => Promise<unknown>) {
  const to = party();
  const before = await used();
  for (let index = 0; index < count; index += 1) await begin(to, index);
  const bytes = (await used()) - before;
  // The store is used after the measurement, so that it is not collected before.
  await to.store.check();
  console.log(`${what}, n=${count}: ${(bytes / 1024 / 1024).toFixed(1)} MB in all`);
  return bytes;
}

/** Bytes, once all that is garbage has been collected. */
async function used(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function heapOfEach(what: string, count: number, begin: (to: Party, index: number) => Promise<unknown>) {
  const bytes = await heapOf(what, count, begin);
  console.log(`${what}, n=${count}: ${(bytes / count / 1024).toFixed(2)} KB of heap for each begun`);
}

await honestAfter('40,000 IPv4 addresses, one login each', 40_000, { flood: (to, index) => logIn(to, ipv4(index)) });
await honestAfter('40,000 IPv4 addresses, four logins each', 160_000, { flood: (to, index) => logIn(to, ipv4(index % 40_000)) });
await honestAfter('one IPv6 /64, room for 10,000', 60_000, {
  flood: (to, index) => logIn(to, `2001:db8:1:2::${index.toString(16)}`),
  limit: 10_000,
});
await heapOfEach('login/options from one address', 50_000, (to) => logIn(to, '203.0.113.9'));
await heapOfEach('login/options, each from its own address', 50_000, (to, index) => logIn(to, ipv4(index)));
await heapOfEach('register/options of one user', 50_000, (to) => register(to, 'User:1'));
await heapOfEach('register/options, each of its own user', 50_000, (to, index) => register(to, `User:${index}`, { index }));
await heapOfEach('login/options, each of its own application and address', 50_000, ({ relyingParty }, index) => {
  const rpId = `${index}.example.com`;
  return relyingParty.beginAuthentication({ rpId, origins: [`https://${rpId}`], client: clientOf(ipv4(index)) });
});
await heapOfEach('login/options, each from its own address', 50_000, (to, index) => logIn(to, ipv4(index)));
await heapOf('register/options with options of 60 KB', 1_000, (to) => register(to, 'User:1', { options: { excludeCredentials } }));
