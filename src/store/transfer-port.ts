import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Owner } from '../accounts/ports.js';
import type { Access } from '../kernel/access.js';
import type { OwnerRef } from '../kernel/owner.js';
import { strict } from '../kernel/schema-kit.js';
import { grouped, groupedCount } from '../kernel/wording.js';
import type { Passkey } from '../relying-party/credential-record.js';

/** Kinds of rows, in the order in which they are moved: rows that others refer to come first. */
export const KINDS = ['owner', 'removed_owner', 'passkey', 'access'] as const;
export type Kind = (typeof KINDS)[number];

/** A row of a store. Open ceremonies are not among the rows, because they live only two minutes and are not moved. */
export type StoredRow =
  | { readonly kind: 'owner'; readonly record: Owner }
  | { readonly kind: 'removed_owner'; readonly record: OwnerRef }
  | { readonly kind: 'passkey'; readonly record: Passkey }
  | { readonly kind: 'access'; readonly record: Access };

export type RowCounts = Readonly<Record<Kind, number>>;

/** Ids for the next new passkey and access. Every lower id may have been used and is never assigned again. */
export interface NextIds {
  readonly passkey: number;
  readonly access: number;
}

/** Contents of a store at one moment, without later changes. */
export interface Picture {
  readonly counts: RowCounts;
  readonly next: NextIds;
  /**
   * Reads all rows in batches, in the order of {@link KINDS}; passkeys and accesses in ascending order of id. Can be called several times.
   */
  rows(): AsyncIterable<readonly StoredRow[]>;
  close(): Promise<void>;
}

/** Records of a store with which the given rows may collide. Valid only for these rows. The caller must not change the records. */
export interface KnownRows {
  readonly next: NextIds;
  /** Returns the highest id that an owner of the type has or had; 0 if there was none. */
  highestOwnerId(type: string): number;
  owner(ref: OwnerRef): Owner | undefined;
  ownerByEmail(type: string, email: string): Owner | undefined;
  /** Finds an owner with this user handle; if there are several, any of them. */
  ownerByHandle(userHandle: Uint8Array): Owner | undefined;
  isRemoved(ref: OwnerRef): boolean;
  passkey(id: number): Passkey | undefined;
  passkeyByCredentialId(credentialId: Uint8Array): Passkey | undefined;
  access(id: number): Access | undefined;
  accessByHash(kind: Access['kind'], hash: Uint8Array): Access | undefined;
}

interface Addition<T> {
  /** Rows to add, whose ids must be free. */
  readonly add: readonly StoredRow[];
  /** Ids for the next new records, if they must be higher than the rows require. */
  readonly next?: NextIds | undefined;
  readonly result: T;
}

/** Reads and adds rows of a store directly, bypassing the operations of the relying party and the accounts. */
export interface StoreTransfer {
  /**
   * Takes a picture of the store at this moment.
   *
   * @throws PasskeyError if the store cannot be read. Reading the rows of the picture may throw the same errors.
   */
  picture(): Promise<Picture>;
  /** Calls `use` with the records that may collide with the rows. Changes nothing, and needs no permission to write. */
  look<T>(rows: readonly StoredRow[], use: (known: KnownRows) => T): Promise<T>;
  /**
   * Adds the rows that `decide` returns, in one atomic change of the store. `decide` may run several times, and must not change anything.
   * If it throws, nothing is added.
   */
  add<T>(rows: readonly StoredRow[], decide: (known: KnownRows) => Addition<T>): Promise<T>;
}

export const noRows = (): Record<Kind, number> => ({ owner: 0, removed_owner: 0, passkey: 0, access: 0 });

export const sumCounts = (counts: RowCounts): number => KINDS.reduce((sum, kind) => sum + counts[kind], 0);

// How many rows were moved, as documents and people are told of it.

const counted = Type.Integer({ minimum: 0 });

export const RowCountsDocument = Type.Object(
  {
    users: counted,
    removed_users: Type.Integer({ minimum: 0, description: 'Ids that are never used again.' }),
    passkeys: counted,
    accesses: Type.Integer({ minimum: 0, description: 'Sessions and tokens, ended ones included.' }),
  },
  strict,
);
export type RowCountsDocument = Static<typeof RowCountsDocument>;

export function countsDocument(rows: RowCounts): RowCountsDocument {
  return { users: rows.owner, removed_users: rows.removed_owner, passkeys: rows.passkey, accesses: rows.access };
}

/** Reads row counts from their JSON form, reversing {@link countsDocument}. */
export function readRowCounts(counts: RowCountsDocument): RowCounts {
  return { owner: counts.users, removed_owner: counts.removed_users, passkey: counts.passkeys, access: counts.accesses };
}

/** Formats row counts as words, such as `3 users, 4 passkeys`, leaving out kinds with a count of 0. */
export function countsInWords({ owner, removed_owner, passkey, access }: RowCounts): string {
  const parts = [
    owner > 0 && groupedCount(owner, 'user'),
    removed_owner > 0 && groupedCount(removed_owner, 'removed user'),
    passkey > 0 && groupedCount(passkey, 'passkey'),
    access > 0 && (access === 1 ? '1 session or token' : `${grouped(access)} sessions and tokens`),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
