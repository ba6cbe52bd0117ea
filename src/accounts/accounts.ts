import { PasskeyError } from '../errors.js';
import { createEmitter, type ListenerErrorHandler } from '../kernel/events.js';
import { MAX_OWNER_TYPE_BYTES } from '../kernel/owner.js';
import { type AccessOperations, type AccessOperationsOptions, createAccessOperations } from './access.js';
import type { AccountsEvent, AccountsListener } from './events.js';
import { createOwnerOperations, type OwnerOperations, type OwnerOperationsOptions } from './owners.js';
import type { Owner } from './ports.js';

export interface AccountsOptions extends Omit<OwnerOperationsOptions & AccessOperationsOptions, 'emit' | 'findOwner'> {
  /** Called when a listener throws. Without this function, the exception is ignored. */
  readonly onListenerError?: ListenerErrorHandler<AccountsEvent>;
}

/** Manages owners of passkeys, and the bearer tokens and sessions that act for them. */
export interface Accounts extends OwnerOperations, AccessOperations {
  readonly ownerType: string;
  /**
   * Registers a listener for every event. Exceptions of the listener have no effect on the operation. Returns a function that removes the
   * listener.
   */
  on(listener: AccountsListener): () => void;
}

/**
 * Creates the object that manages users, tokens and sessions in a store.
 *
 * @throws PasskeyError `configuration_invalid` if the default owner type is empty or longer than 40 bytes.
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const bytes = new TextEncoder().encode(options.ownerType).length;
  if (bytes === 0 || bytes > MAX_OWNER_TYPE_BYTES) {
    throw new PasskeyError(
      'configuration_invalid',
      `The default owner type must have 1 to ${MAX_OWNER_TYPE_BYTES} bytes; "${options.ownerType}" has ${bytes}.`,
    );
  }
  const { on, emit } = createEmitter<AccountsEvent>(options.onListenerError);
  const owners = createOwnerOperations({ ...options, emit });
  const access = createAccessOperations({ ...options, emit, findOwner: owners.findOwner });
  return { ownerType: options.ownerType, on, ...owners, ...access };
}

/** Selects the members of a user that the HTTP API shows. */
export function describeUser(owner: Owner): { id: number; name: string; email: string } {
  return { id: owner.id, name: owner.name, email: owner.email };
}
