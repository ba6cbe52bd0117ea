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

/** The relying party, the accounts and their store. Commands read and change all state through these objects. */
export interface Parties {
  readonly store: Store;
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
  /** Clock of all operations: returns the current time in milliseconds since the epoch, and never goes back. */
  readonly now: () => number;
}

interface OpenOptions {
  /** Settings for the store. Only commands that begin registrations need `userHandle`, and only servers need `sessionIdle`. */
  readonly settings: StoreSettings & { readonly userHandle?: UserHandleKind; readonly sessionIdle?: number };
  /** Whether to create the store if it does not exist. Commands that only read never create one. */
  readonly create: boolean;
  readonly policy?: Policy;
  readonly origins?: readonly string[];
  readonly maxPasskeys?: number;
  /** How long to wait for the store; see `OpenStoreOptions`. */
  readonly storePatience?: number;
  /** Called with each warning about the store. Default: prints the warning on stderr. */
  readonly onStoreWarning?: (message: string) => void;
  readonly onListenerError?: (error: unknown) => void;
}

/** Generates random bytes. It avoids `getRandomValues`, because Node would load all of Web Crypto for it. */
const randomBytes = (length: number): Uint8Array => randomFillSync(new Uint8Array(length));

/** Makes an id for a bulk change. The id is unique, and short enough to copy by hand. */
export const newChangeId = (): string => Buffer.from(randomBytes(6)).toString('hex');

/** Makes a clock that never goes back. If the system clock is set back, things that have expired therefore stay expired. */
function neverBack(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}

/** Prints that a command has created a store or credentials file, since the user may have mistyped --store or --credentials. */
export const sayCreated = (io: Io, location: string, kind: 'store' | 'credentials file' = 'store'): void =>
  say(io, printable(`Created the ${kind} ${location}.`));

/**
 * Opens the store, and creates the relying party and the accounts that use it.
 * @throws PasskeyError `store_absent`, `store_damaged` or `store_unavailable`.
 */
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

/** Opens the store, runs `work`, and closes the store even if `work` throws. */
export async function withParties<T>(io: Io, o: OpenOptions, work: (parties: Parties) => Promise<T>): Promise<T> {
  const parties = await openParties(io, o);
  try {
    return await work(parties);
  } finally {
    await parties.store.close();
  }
}
