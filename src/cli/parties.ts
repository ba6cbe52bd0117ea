import { randomFillSync } from 'node:crypto';
import { type Accounts, createAccounts } from '../accounts/accounts.js';
import { DEFAULT_POLICY, type Policy } from '../relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../relying-party/relying-party.js';
import { recordAudit } from '../store/audit/record-audit.js';
import { openStore } from '../store/open-store.js';
import type { Store } from '../store/store.js';
import { CHALLENGE_BYTES } from '../webauthn/limits.js';
import type { UserHandleKind } from '../webauthn/user-handle.js';
import type { StoreSettings } from './config/settings.js';
import { type Io, say, warn } from './io.js';
import { systemUser } from './note-rows.js';
import { printable } from './output/printable.js';

/** The relying party and the accounts, through whose operations commands read and change state. */
export interface Parties {
  readonly store: Store;
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
  /** The clock that all of them share. Milliseconds since the epoch; never goes back. */
  readonly now: () => number;
}

interface OpenOptions {
  /** Commands that begin no registrations make no user handles, and those that serve nothing check no sessions. */
  readonly settings: StoreSettings & { readonly userHandle?: UserHandleKind; readonly sessionIdle?: number };
  /** Commands that read never create a store. */
  readonly create: boolean;
  readonly policy?: Policy;
  readonly origins?: readonly string[];
  readonly maxPasskeys?: number;
  /** See `OpenStoreOptions`. */
  readonly storePatience?: number;
  /** Called with warnings about the store. Default: prints a line on stderr. */
  readonly onStoreWarning?: (message: string) => void;
  readonly onListenerError?: (error: unknown) => void;
}

/** Avoids `getRandomValues`, for which Node loads all of Web Crypto. */
const randomBytes = (length: number): Uint8Array => randomFillSync(new Uint8Array(length));

/** An id for a bulk change: short enough to be copied, and never made twice. */
export const newChangeId = (): string => Buffer.from(randomBytes(6)).toString('hex');

/** The larger of the clock and its last value: when the clock is set back, what has expired stays expired. */
function neverBack(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}

/** A mistyped --store makes a second store, and --credentials a second credentials file: each command that makes one says so. */
export const sayCreated = (io: Io, location: string, kind: 'store' | 'credentials file' = 'store'): void =>
  say(io, printable(`Created the ${kind} ${location}.`));

/** @throws PasskeyError `store_absent`, `store_damaged` or `store_unavailable`. */
export async function openParties(io: Io, o: OpenOptions): Promise<Parties> {
  const { onStoreWarning = (message) => warn(io, message) } = o;
  const store = await openStore(o.settings.store, {
    create: o.create,
    patience: o.storePatience,
    onWarning: onStoreWarning,
    onCreated: (location) => sayCreated(io, location),
  });
  const now = neverBack(io.now);
  const relyingParty = createRelyingParty({
    store,
    policy: o.policy ?? DEFAULT_POLICY,
    origins: o.origins ?? [],
    now,
    newChallenge: () => randomBytes(CHALLENGE_BYTES),
    ...(o.maxPasskeys === undefined ? {} : { maxPasskeys: o.maxPasskeys }),
    ...(o.onListenerError ? { onListenerError: o.onListenerError } : {}),
  });
  const { ownerType, userHandle = 'id', sessionIdle } = o.settings;
  const accounts = createAccounts({
    store,
    ownerType,
    userHandle,
    sessionIdle,
    now,
    randomBytes,
    ...(o.onListenerError ? { onListenerError: o.onListenerError } : {}),
  });
  if (store.audit !== undefined) recordAudit(store.audit, { relyingParty, accounts, systemUser });
  return { store, relyingParty, accounts, now };
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
