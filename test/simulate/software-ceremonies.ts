import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { createClient } from '../../src/client/client.js';
import type { Fixture } from '../../src/fixture/format.js';
import { recordCeremony } from '../../src/fixture/recorded-ceremony.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { RelyingPartyEvent } from '../../src/relying-party/events.js';
import { DEFAULT_POLICY, type Policy } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../src/store/memory.js';

const ORIGIN = 'http://localhost:7277';

export interface Recordings {
  readonly registration: Fixture;
  readonly login: Fixture;
  readonly discoverableLogin: Fixture;
}

/** One registration and two logins of the software authenticator, as the recorder writes them; extensions are those of the registration and of the first login. */
export async function recordSoftwareCeremonies(
  traits: AuthenticatorOptions = {},
  policy: Partial<Policy> = {},
  mediation?: 'conditional',
  { create, get }: { readonly create?: JsonObject; readonly get?: JsonObject } = {},
): Promise<Recordings> {
  let now = Date.UTC(2026, 0, 15, 10, 30);
  let challenge = 0;
  const store = createMemoryStore();
  const relyingParty = createRelyingParty({
    store,
    policy: { ...DEFAULT_POLICY, ...policy },
    origins: [],
    now: () => now,
    newChallenge: () => new Uint8Array(32).fill((challenge += 1)),
  });
  const events: RelyingPartyEvent[] = [];
  relyingParty.on((event) => events.push(event));

  const owner = await store.insertOwner({ type: 'User', email: 'ada@example.org', name: 'Ada', createdAt: now });
  const userHandle = new TextEncoder().encode(String(owner.id));
  const client = createClient({
    authenticator: createAuthenticator({ signCount: { kind: 'per-credential', start: 1 }, alwaysDiscoverable: true, ...traits }),
    origin: ORIGIN,
  });

  const creation = await relyingParty.beginRegistration({
    user: { owner, id: userHandle, name: owner.email, displayName: owner.name },
    rpId: 'localhost',
    rpName: 'Test',
    origins: [ORIGIN],
    client: 'test',
    mediation,
    ...(create && { options: { extensions: create } }),
  });
  now += 1500;
  const response = await client.create({ publicKey: creation, ...(mediation !== undefined && { mediation }) });
  const passkey = await relyingParty.register({ owner, response });
  const named = await relyingParty.beginAuthentication({
    credentialId: passkey.credential.id,
    client: 'test',
    ...(get && { options: { extensions: get } }),
  });
  now += 1500;
  await relyingParty.authenticate({ response: await client.get({ publicKey: named }) });
  const discoverable = await relyingParty.beginAuthentication({ rpId: 'localhost', origins: [ORIGIN], client: 'test' });
  now += 1500;
  await relyingParty.authenticate({ response: await client.get({ publicKey: discoverable }) });

  const fixtures = events.flatMap((event) => {
    if (event.type !== 'ceremony-finished') return [];
    const recorded = recordCeremony(event, { tool: 'test', version: '0' });
    if (recorded.status === 'skipped') throw new Error(recorded.reason);
    return [recorded.fixture];
  });
  const [registration, login, discoverableLogin] = fixtures;
  if (registration === undefined || login === undefined || discoverableLogin === undefined) throw new Error('Expected three recordings.');
  return { registration, login, discoverableLogin };
}
