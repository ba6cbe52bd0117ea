import type { AccountStore } from '../accounts/ports.js';
import type { CeremonyStore, PasskeyStore } from '../relying-party/ports.js';

/** Everything that is kept. Every method is one atomic change; what is not found is `undefined` or `[]`. */
export interface Store extends PasskeyStore, CeremonyStore, AccountStore {
  /** One word for logs: where this store keeps things, without secrets. */
  readonly location: string;
  /** @throws PasskeyError `store_unavailable` or `store_damaged` when the store cannot be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}
