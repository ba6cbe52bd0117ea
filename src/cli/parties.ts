import { getRandomValues } from 'node:crypto';
import { type Accounts, createAccounts } from '../accounts/accounts.js';
import { DEFAULT_POLICY, type Policy } from '../relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../relying-party/relying-party.js';
import { openStore } from '../store/open-store.js';
import type { Store } from '../store/store.js';
import { CHALLENGE_BYTES } from '../webauthn/limits.js';
import type { UserHandleKind } from '../webauthn/user-handle.js';
import type { StoreSettings } from './config/settings.js';
import type { Io } from './io.js';

/** What commands change and read state through; nothing goes past the operations of the two. */
export interface Parties {
  readonly store: Store;
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
}

export interface OpenOptions {
  /** Commands that begin no registration make no user handles, and those that serve nobody let no session in. */
  readonly settings: StoreSettings & { readonly userHandle?: UserHandleKind; readonly sessionIdle?: number };
  /** Commands that read never create a store. */
  readonly create: boolean;
  readonly policy?: Policy;
  readonly origins?: readonly string[];
  readonly onListenerError?: (error: unknown) => void;
}

const randomBytes = (length: number): Uint8Array => getRandomValues(new Uint8Array(length));

/** @throws PasskeyError `store_absent`, `store_damaged` or `store_unavailable`. */
export async function openParties(io: Io, o: OpenOptions): Promise<Parties> {
  const store = await openStore(o.settings.store, { create: o.create });
  const relyingParty = createRelyingParty({
    store,
    policy: o.policy ?? DEFAULT_POLICY,
    origins: o.origins ?? [],
    now: io.now,
    newChallenge: () => randomBytes(CHALLENGE_BYTES),
    ...(o.onListenerError ? { onListenerError: o.onListenerError } : {}),
  });
  const { ownerType, userHandle = 'id', sessionIdle } = o.settings;
  const accounts = createAccounts({ store, ownerType, userHandle, sessionIdle, now: io.now, randomBytes });
  return { store, relyingParty, accounts };
}

/** Opens, works, closes: also when the work fails. */
export async function withParties<T>(io: Io, o: OpenOptions, work: (parties: Parties) => Promise<T>): Promise<T> {
  const parties = await openParties(io, o);
  try {
    return await work(parties);
  } finally {
    await parties.store.close();
  }
}
