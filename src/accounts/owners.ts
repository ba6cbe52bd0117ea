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
  /** The default owner type when absent. */
  readonly type?: string;
  /** 1 to {@link MAX_OWNER_ID}; by default one more than the highest of the type. */
  readonly id?: number;
  /** `random` sets 32 random bytes as user handle now. Otherwise the first registration sets one, of the kind configured for all owners. */
  readonly userHandle?: 'random';
}

export interface OwnerChange extends BulkOptions {
  /** Kept with the passkeys that are revoked. */
  readonly reason?: string;
}

export interface OwnerOperations extends Pick<AccountStore, 'findOwner' | 'listOwners' | 'countOwners' | 'countPasskeysOf'> {
  /** @throws PasskeyError `validation_failed`, `owner_already_exists` */
  addOwner(owner: NewOwner, context?: OperationContext): Promise<Owner>;
  /** Changes the e-mail, the name or both. @throws PasskeyError `validation_failed`, `owner_not_found`, `owner_already_exists` */
  editOwner(ref: OwnerRef, change: { readonly email?: string; readonly name?: string }, context?: OperationContext): Promise<Owner>;
  /**
   * The one owner that a text names: an e-mail, `TYPE:ID`, or `ID` of the default type.
   * @throws PasskeyError `owner_not_found`, `ambiguous_user`
   */
  resolveUser(text: string): Promise<Owner>;
  /**
   * Revokes its passkeys and ends its tokens and sessions in the same change.
   * @throws PasskeyError `owner_not_found`
   */
  removeOwner(ref: OwnerRef, change?: OwnerChange, context?: OperationContext): Promise<OwnerRemoval>;
  /** All of them or none, in their order, in one change. @throws PasskeyError `owner_not_found`; the reason of `signal`. */
  removeOwners(refs: readonly OwnerRef[], change: OwnerChange, context?: OperationContext): Promise<readonly OwnerRemoval[]>;
  /**
   * The user handle (WebAuthn L3 §4) of an owner. The first call makes and stores it; simultaneous first calls all return the same.
   * @throws PasskeyError `owner_not_found`
   */
  userHandleOf(ref: OwnerRef): Promise<Uint8Array>;
}

export interface OwnerOperationsOptions {
  readonly store: AccountStore;
  /** Type of owners that are named without one, e.g. `User`. */
  readonly ownerType: string;
  /**
   * User handle of owners who have none yet: `id` (the default) is the decimal id for the default owner type and `<type>:<id>` for
   * any other; `random` is 32 random bytes.
   */
  readonly userHandle?: UserHandleKind;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `n` bytes from a cryptographic generator. */
  readonly randomBytes: (n: number) => Uint8Array;
  readonly emit: (event: AccountsEvent) => void;
}

/** Enough that none is guessed or made twice; the standard recommends 64, its maximum (WebAuthn L3 §14.6.1). */
const RANDOM_USER_HANDLE_BYTES = 32;

/** Highest id that may be chosen. Ids count up from the highest, so this leaves a million. */
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
   * A store that was once used with another default type may hold an owner whose handle is the same bare number. If two accounts
   * shared a handle, authenticators would overwrite the passkeys of one with those of the other; so the longer form is used.
   */
  async function freeUserHandle(ref: OwnerRef): Promise<Uint8Array> {
    const handle = encodeUserHandle(ref, ownerType);
    const taken = await store.countOwners({ userHandle: handle });
    return taken > 0 ? encodeUserHandle(ref, '') : handle;
  }
}

/**
 * Reads `TYPE:ID` or `ID`. The type may contain colons and backslashes (`App\Models\User:7`): the last colon separates.
 *
 * @throws PasskeyError `owner_not_found` when the text has neither form.
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

/** @throws PasskeyError `validation_failed` */
function refuseWrongFields(fields: Parameters<typeof wrongOwnerFields>[0], done: 'added' | 'changed'): void {
  const errors = wrongOwnerFields(fields);
  if (errors.length === 0) return;
  const details = errors.map((error) => error.detail).join(' ');
  throw new PasskeyError('validation_failed', `The user cannot be ${done}: ${details}`, { errors });
}

/** The owner that `find` finds; otherwise the one that `add` adds, or that another process has just added. */
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
