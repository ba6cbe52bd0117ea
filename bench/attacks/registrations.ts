/**
 * `node --import tsx bench/attacks/registrations.ts [COUNT]`: one user registers COUNT passkeys (default 150), each with 47 KB of
 * `clientExtensionResults` (63 KB as HTTP body with the rest), and then COUNT with an attestation object as large. What is in the
 * file then, and what one change by another user costs. Nothing leaves the process but to a temporary folder.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import { PasskeyError } from '../../src/errors.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../../src/relying-party/relying-party.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import type { RegistrationResponseJSON } from '../../src/webauthn/json.js';

const count = Number(process.argv[2] ?? 150);
const ORIGIN = 'https://app.example.com';
const EXTENSIONS = { credProps: { rk: true, padding: 'x'.repeat(63 * 1024) } };

const folder = await mkdtemp(join(tmpdir(), 'passkey-bench-'));
try {
  await attack('63 KB of clientExtensionResults', (response) => ({ ...response, clientExtensionResults: EXTENSIONS }));
} finally {
  await rm(folder, { recursive: true });
}

async function attack(what: string, change: (response: RegistrationResponseJSON) => object): Promise<void> {
  const path = join(folder, `${randomBytes(4).toString('hex')}.json`);
  const store = await openJsonFileStore(path, { create: true });
  const relyingParty = createRelyingParty({
    store,
    policy: DEFAULT_POLICY,
    origins: [],
    now: Date.now,
    newChallenge: () => new Uint8Array(randomBytes(32)),
  });
  const honest = await register(relyingParty, { user: 2, change: (response) => response });
  await timed(`${what}, before`, () => relyingParty.rename(honest.id, 'before'));
  let refused = 0;
  for (let index = 0; index < count; index += 1) {
    await register(relyingParty, { user: 1, change }).catch((error: unknown) => {
      if (!(error instanceof PasskeyError)) throw error;
      refused += 1;
    });
  }
  const { size } = await stat(path);
  const megabytes = size / 1024 / 1024;
  console.log(
    `${what}, n=${count}: ${megabytes.toFixed(1)} MB in the file, ${refused} refused; 2,000 would be ${((megabytes / count) * 2_000).toFixed(0)} MB`,
  );
  await timed(`${what}, after`, () => relyingParty.rename(honest.id, 'after'));
  await store.close();
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`${what}: one change by another user takes ${(performance.now() - start).toFixed(0)} ms`);
}

async function register(
  relyingParty: RelyingParty,
  by: { readonly user: number; readonly change: (response: RegistrationResponseJSON) => object },
) {
  const owner = { type: 'User', id: by.user };
  const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
  const options = await relyingParty.beginRegistration({
    user: { owner, id: new TextEncoder().encode(`${by.user}`), name: 'ada@example.com', displayName: 'Ada' },
    rpId: 'app.example.com',
    rpName: 'App',
    origins: [ORIGIN],
    client: `User:${by.user}`,
  });
  const response = await client.create({ publicKey: options });
  return relyingParty.register({ owner, response: by.change(response) as RegistrationResponseJSON });
}
