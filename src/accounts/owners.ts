import { PasskeyError } from '../errors.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OperationContext } from '../kernel/events.js';
import { MAX_CHOSEN_ID, nameOwner, type OwnerRef, wrongOwnerFields } from '../kernel/owner.js';
import { encodeUserHandle, type UserHandleKind } from '../webauthn/user-handle.js';
import type { AccountsEvent } from './events.js';
import type { AccountStore, Owner, OwnerRemoval } from './ports.js';

export interface NewOwner {
  readonly email: string;
  readonly name: string;
  /** Type of the new owner. Default: the configured owner type. */
  readonly type?: string;
  /** Id of the new owner, from 1 to {@link MAX_OWNER_ID}. Default: one more than the highest id of the type. */
  readonly id?: number;
  /**
   * With `random`, the owner gets 32 random bytes as its user handle at once. Without it, the first registration sets a user handle of the
   * configured kind.
   */
  readonly userHandle?: 'random';
}

export interface OwnerChange extends BulkOptions {
  /** Why the owner is removed. The reason is stored with each passkey that is revoked. */
  readonly reason?: string;
}

export interface OwnerOperations extends Pick<AccountStore, 'findOwner' | 'listOwners' | 'countOwners' | 'countPasskeysOf'> {
  /** Adds an owner. @throws PasskeyError `validation_failed`, `owner_already_exists` */
  addOwner(owner: NewOwner, context?: OperationContext): Promise<Owner>;
  /** Changes the e-mail address, the name, or both. @throws PasskeyError `validation_failed`, `owner_not_found`, `owner_already_exists` */
  editOwner(ref: OwnerRef, change: { readonly email?: string; readonly name?: string }, context?: OperationContext): Promise<Owner>;
  /**
   * Finds the only owner that `text` names, either by e-mail address, by `TYPE:ID`, or by `ID` for the default type.
   * @throws PasskeyError `owner_not_found`, `ambiguous_user`
   */
  resolveUser(text: string): Promise<Owner>;
  /**
   * Removes an owner. The same change revokes the owner's passkeys and ends the owner's tokens and sessions.
   * @throws PasskeyError `owner_not_found`
   */
  removeOwner(ref: OwnerRef, change?: OwnerChange, context?: OperationContext): Promise<OwnerRemoval>;
  /**
   * Removes all of these owners in one change, or none of them. The result is in the order of `refs`.
   * @throws PasskeyError `owner_not_found` if one of the owners does not exist; the abort reason of `signal` if it is aborted.
   */
  removeOwners(refs: readonly OwnerRef[], change: OwnerChange, context?: OperationContext): Promise<readonly OwnerRemoval[]>;
  /**
   * Returns the user handle of an owner (WebAuthn L3 §4). The first call makes and stores the user handle. Concurrent calls all return the
   * same user handle.
   * @throws PasskeyError `owner_not_found`
   */
  userHandleOf(ref: OwnerRef): Promise<Uint8Array>;
}

export interface OwnerOperationsOptions {
  readonly store: AccountStore;
  /** The default type, such as `User`, for an owner that is named without a type. */
  readonly ownerType: string;
  /**
   * How to make the user handle of an owner that has none. With `id` (the default), the user handle is the decimal id for the default owner
   * type, and `<type>:<id>` for any other type. With `random`, it is 32 random bytes.
   */
  readonly userHandle?: UserHandleKind;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns `n` bytes from a cryptographic random generator. */
  readonly randomBytes: (n: number) => Uint8Array;
  readonly emit: (event: AccountsEvent) => void;
}

/**
 * Length of a random user handle. It is long enough that no user handle is guessed or generated twice. The standard recommends 64 bytes,
 * its maximum (WebAuthn L3 §14.6.1).
 */
const RANDOM_USER_HANDLE_BYTES = 32;

/**
 * Highest owner id that a caller may choose. New ids count up from the highest id in use, so at least a million more owners can be added.
 */
export const MAX_OWNER_ID = MAX_CHOSEN_ID;

export function createOwnerOperations(options: OwnerOperationsOptions): OwnerOperations {
  const { store, ownerType, userHandle: kind = 'id', now, randomBytes, emit } = options;
  const randomUserHandle = () => randomBytes(RANDOM_USER_HANDLE_BYTES);
  const findOwner = (ref: OwnerRef) => store.findOwner(ref);

  async function byRef(ref: OwnerRef): Promise<Owner> {
    const owner = await store.findOwner(ref);
    if (owner === undefined) {
      throw notFound(nameOwner(ref));
    }
    return owner;
  }

  async function removeOwners(
    refs: readonly OwnerRef[],
    { reason = 'user removed', ...options }: OwnerChange,
    context: OperationContext = {},
  ) {
    const at = now();
    const change = await store.removeOwners(refs, { at, reason, change: context.change, ...options });
    if (change.status === 'missing') throw notFound(change.owners.map(nameOwner).join(', '));
    for (const { owner, revokedPasskeys } of change.removed) emit({ type: 'owner-removed', at, context, owner, revokedPasskeys, reason });
    return change.removed;
  }

  return {
    findOwner,
    listOwners: (query) => store.listOwners(query),
    countOwners: (filter) => store.countOwners(filter),
    countPasskeysOf: (owners) => store.countPasskeysOf(owners),

    async addOwner({ email, name, type = ownerType, id, userHandle }, context = {}) {
      refuseWrongFields({ email, name, type, id }, 'added');
      const at = now();
      const owner = await store.insertOwner({
        type,
        email,
        name,
        createdAt: at,
        ...(id !== undefined && { id }),
        ...(userHandle === 'random' && { userHandle: randomUserHandle() }),
      });
      emit({ type: 'owner-added', at, context, owner });
      return owner;
    },

    async editOwner(ref, change, context = {}) {
      const before = await byRef(ref);
      const { email = before.email, name = before.name } = change;
      refuseWrongFields({ email, name, type: before.type, id: undefined }, 'changed');
      const at = now();
      const owner = await store.editOwner(ref, change);
      if (owner === undefined) {
        throw notFound(nameOwner(ref));
      }
      if (owner.email !== before.email || owner.name !== before.name) emit({ type: 'owner-edited', at, context, owner });
      return owner;
    },

    async resolveUser(text) {
      if (text.includes('@')) {
        const owners = await store.listOwners({ email: text });
        const [owner] = owners;
        if (owner === undefined) {
          // A type name may contain an @, too.
          return await byRef(parseOwnerRef(text, ownerType));
        }
        if (owners.length > 1) {
          const names = owners.map((each) => nameOwner(each)).join(', ');
          throw new PasskeyError(
            'ambiguous_user',
            `Expected one user with the e-mail ${text}, found ${names}. Name one of them as TYPE:ID.`,
          );
        }
        return owner;
      }
      return await byRef(parseOwnerRef(text, ownerType));
    },

    async removeOwner(ref, change = {}, context) {
      const [removed] = await removeOwners([ref], change, context);
      if (removed === undefined) throw notFound(nameOwner(ref));
      return removed;
    },

    removeOwners,

    async userHandleOf(ref) {
      const owner = await byRef(ref);
      if (owner.userHandle !== undefined) {
        return owner.userHandle;
      }
      const fixed = await store.fixUserHandle(ref, kind === 'random' ? randomUserHandle() : await freeUserHandle(ref));
      if (fixed?.userHandle === undefined) {
        throw notFound(nameOwner(ref));
      }
      return fixed.userHandle;
    },
  };

  /**
   * Makes a user handle that no other owner has. A store that was once used with another default type may hold an owner whose user handle
   * is the same bare number; then the new user handle is `<type>:<id>`. If two accounts shared a user handle, authenticators would
   * overwrite the passkeys of one account with those of the other.
   */
  async function freeUserHandle(ref: OwnerRef): Promise<Uint8Array> {
    const handle = encodeUserHandle(ref, ownerType);
    const taken = await store.countOwners({ userHandle: handle });
    return taken > 0 ? encodeUserHandle(ref, '') : handle;
  }
}

/**
 * Parses `TYPE:ID` or `ID`. The last colon is the separator, since a type may contain colons and backslashes (`App\Models\User:7`).
 *
 * @throws PasskeyError `owner_not_found` if `text` has neither form.
 */
export function parseOwnerRef(text: string, defaultType: string): OwnerRef {
  const colon = text.lastIndexOf(':');
  const type = colon === -1 ? defaultType : text.slice(0, colon);
  const digits = text.slice(colon + 1);
  const id = Number(digits);
  if (type === '' || !/^[1-9][0-9]*$/.test(digits) || !Number.isSafeInteger(id)) {
    throw notFound(text);
  }
  return { type, id };
}

function notFound(text: string): PasskeyError {
  return new PasskeyError('owner_not_found', `No user matches "${text}". Give an e-mail, TYPE:ID or ID; \`passkey user list\` shows them.`);
}

/** Throws an error if the given members of a user contain mistakes. @throws PasskeyError `validation_failed` */
function refuseWrongFields(fields: Parameters<typeof wrongOwnerFields>[0], done: 'added' | 'changed'): void {
  const errors = wrongOwnerFields(fields);
  if (errors.length === 0) return;
  const details = errors.map((error) => error.detail).join(' ');
  throw new PasskeyError('validation_failed', `The user cannot be ${done}: ${details}`, { errors });
}

/** Finds an owner with `find`. If there is none, adds one with `add`. If another process has just added the owner, returns that owner. */
export async function findOrAdd(find: () => Promise<Owner | undefined>, add: () => Promise<Owner>): Promise<Owner> {
  const known = await find();
  if (known !== undefined) {
    return known;
  }
  try {
    return await add();
  } catch (error) {
    const added = error instanceof PasskeyError && error.code === 'owner_already_exists' ? await find() : undefined;
    if (added === undefined) {
      throw error;
    }
    return added;
  }
}
