import { encodeUtf8 } from '../../src/kernel/bytes.js';
import type { RelyingPartyEvent } from '../../src/relying-party/events.js';
import { DEFAULT_POLICY, type Policy } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import {
  type AuthenticationFields,
  authenticationResponse,
  CREDENTIAL_ID,
  es256Key,
  ORIGIN,
  type RegistrationFields,
  RP_ID,
  registrationResponse,
  type TestKey,
  USER_HANDLE,
} from './ceremony.js';

export const OWNER = { type: 'User', id: 7 };
export const OTHER_OWNER = { type: 'User', id: 8 };
export const START = Date.parse('2026-01-15T10:30:00Z');

interface WorldOptions {
  readonly policy?: Partial<Policy>;
  readonly origins?: readonly string[];
  readonly key?: TestKey;
  readonly store?: Store;
  readonly maxPasskeys?: number;
}

const sharedKey = es256Key();

/** A relying party on a memory store, with a clock and challenges of its own, and short ways to whole ceremonies. */
export function createWorld({ policy, origins = [], key = sharedKey, store = createMemoryStore(), maxPasskeys }: WorldOptions = {}) {
  const clock = { now: START };
  const events: RelyingPartyEvent[] = [];
  let challenges = 0;
  const relyingParty = createRelyingParty({
    store,
    policy: { ...DEFAULT_POLICY, ...policy },
    origins,
    ...(maxPasskeys !== undefined && { maxPasskeys }),
    now: () => clock.now,
    newChallenge: () => {
      challenges += 1;
      return encodeUtf8(`challenge-${challenges}`.padEnd(32, '.'));
    },
  });
  relyingParty.on((event) => events.push(event));

  const beginRegistration = (change: Partial<Parameters<typeof relyingParty.beginRegistration>[0]> = {}) =>
    relyingParty.beginRegistration({
      user: { owner: OWNER, id: USER_HANDLE, name: 'ada@example.org', displayName: 'Ada' },
      rpId: RP_ID,
      rpName: 'Example',
      origins: [ORIGIN],
      client: 'test',
      ...change,
    });

  return {
    relyingParty,
    store,
    clock,
    events,
    key,
    beginRegistration,
    async registration(fields: Partial<RegistrationFields> = {}) {
      const { challenge } = await beginRegistration();
      return registrationResponse({ key, challenge, ...fields });
    },
    async register(fields: Partial<RegistrationFields> = {}) {
      return relyingParty.register({ owner: OWNER, response: await this.registration(fields) });
    },
    async authentication(fields: Partial<AuthenticationFields> = {}) {
      const { challenge } = await relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
      return authenticationResponse({ key, challenge, ...fields });
    },
    async discoverable(fields: Partial<AuthenticationFields> = {}) {
      const { challenge } = await relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test' });
      return authenticationResponse({ key, challenge, ...fields });
    },
    async authenticate(fields: Partial<AuthenticationFields> = {}) {
      return relyingParty.authenticate({ response: await this.authentication(fields) });
    },
  };
}

export type World = ReturnType<typeof createWorld>;
