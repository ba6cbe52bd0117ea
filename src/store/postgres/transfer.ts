import type { Access } from '../../kernel/access.js';
import type { OwnerRef } from '../../kernel/owner.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { accessToRow, ownerToRow, passkeyToRow } from '../records.js';
import { createState, foldText, putAccess, putOwner, putPasskey, putRemovedOwner } from '../state.js';
import { findKnownRowsIn } from '../state-transfer.js';
import { type Kind, type KnownRows, type NextIds, noRows, type Picture, type StoredRow, type StoreTransfer } from '../transfer-port.js';
import type { Database, Query } from './database.js';
import { type AccessRow, insertInto, type OwnerRow, type PasskeyRow, readAccessRow, readOwnerRow, readPasskeyRow } from './rows.js';

/** Number of rows in a page. Pages are read one after the other, so that a large table is never completely in memory. */
const PAGE = 500;

export function postgresTransfer(database: Database): StoreTransfer {
  return {
    picture: () => takePicture(database),
    look: async (rows, use) => use(await database.transaction((query) => findKnownRows(query, rows))),
    add: (rows, decide) =>
      database.transaction(async (query) => {
        // Others read on, and wait with their changes until this one is done.
        await query(
          'LOCK TABLE passkey_owner_types, passkey_owner_refs, passkey_owners, passkeys, passkey_accesses IN SHARE ROW EXCLUSIVE MODE',
        );
        const { add, next, result } = decide(await findKnownRows(query, rows));
        await insert(query, add);
        await raise(query, 'passkeys', { next: next?.passkey, column: 'passkey' });
        await raise(query, 'passkey_accesses', { next: next?.access, column: 'access' });
        return result;
      }),
  };
}

async function takePicture(database: Database): Promise<Picture> {
  const snapshot = await database.snapshot();
  const { query } = snapshot;
  try {
    const [counts = noRows()] = await query<Record<Kind, number>>(
      `SELECT (SELECT count(*) FROM passkey_owners) AS owner, (SELECT count(*) FROM passkey_owner_refs WHERE removed) AS removed_owner,
        (SELECT count(*) FROM passkeys) AS passkey, (SELECT count(*) FROM passkey_accesses) AS access`,
    );
    return { counts, next: await nextIds(query), rows: () => readPages(query), close: () => snapshot.close() };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function* readPages(query: Query): AsyncGenerator<readonly StoredRow[]> {
  const byRef = (table: string, condition: string) => (after: OwnerRow | undefined) =>
    query<OwnerRow>(
      `SELECT * FROM ${table} WHERE ${condition} ${after ? 'AND (type, id) > ($2, $3)' : ''} ORDER BY type, id LIMIT $1`,
      after ? [PAGE, after.type, after.id] : [PAGE],
    );
  const byId =
    <Row extends { readonly id: number }>(table: string) =>
    (after: Row | undefined) =>
      query<Row>(`SELECT * FROM ${table} WHERE id > $2 ORDER BY id LIMIT $1`, [PAGE, after?.id ?? 0]);
  for await (const rows of pages(byRef('passkey_owners', 'true'))) yield rows.map((row) => ({ kind: 'owner', record: readOwnerRow(row) }));
  for await (const rows of pages(byRef('passkey_owner_refs', 'removed'))) {
    yield rows.map(({ type, id }) => ({ kind: 'removed_owner', record: { type, id } }));
  }
  for await (const rows of pages(byId<PasskeyRow>('passkeys'))) yield rows.map((row) => ({ kind: 'passkey', record: readPasskeyRow(row) }));
  for await (const rows of pages(byId<AccessRow>('passkey_accesses'))) {
    yield rows.map((row) => ({ kind: 'access', record: readAccessRow(row) }));
  }
}

async function* pages<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < PAGE) return;
  }
}

async function nextIds(query: Query): Promise<NextIds> {
  const [row] = await query<NextIds>('SELECT passkey, access FROM passkey_next_ids');
  return row ?? { passkey: 1, access: 1 };
}

/** Raises the next id of a table. The caller holds a lock for which all insertions wait. */
async function raise(
  query: Query,
  table: 'passkeys' | 'passkey_accesses',
  { next = 1, column }: { readonly next: number | undefined; readonly column: keyof NextIds },
): Promise<void> {
  const sql = `SELECT setval('${table}_id_seq', greatest($1, (SELECT max(id) + 1 FROM ${table}), ${column}), false) FROM passkey_next_ids`;
  await query(sql, [next]);
}

async function findKnownRows(query: Query, rows: readonly StoredRow[]): Promise<KnownRows> {
  const owners = rows.flatMap((row) => (row.kind === 'owner' ? row.record : []));
  const passkeys = await knownPasskeys(
    query,
    rows.flatMap((row) => (row.kind === 'passkey' ? row.record : [])),
  );
  const accesses = await knownAccesses(
    query,
    rows.flatMap((row) => (row.kind === 'access' ? row.record : [])),
  );
  // Also those of rows that are known by something else than their id.
  const refs = [...rows.map(ownerRef), ...passkeys.map(({ owner }) => owner)];
  const [types, ids] = [refs.map(({ type }) => type), refs.map(({ id }) => id)];
  const ofRefs = '(type, id) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))';
  const found = await query<OwnerRow>(
    `SELECT * FROM passkey_owners WHERE ${ofRefs}
     UNION SELECT * FROM passkey_owners WHERE email_key = ANY($3) OR user_handle = ${anyBytes('$4')}`,
    [types, ids, owners.map(({ email }) => foldText(email)), owners.flatMap(({ userHandle }) => (userHandle ? hex(userHandle) : []))],
  );
  const removed = await query<OwnerRow>(`SELECT type, id FROM passkey_owner_refs WHERE removed AND ${ofRefs}`, [types, ids]);
  const highest = await query<{ type: string; highest_id: number }>('SELECT * FROM passkey_owner_types WHERE type = ANY($1)', [types]);

  const state = createState();
  for (const row of found) putOwner(state, readOwnerRow(row));
  for (const { type, id } of removed) putRemovedOwner(state, { type, id });
  for (const passkey of passkeys) putPasskey(state, passkey);
  for (const access of accesses) putAccess(state, access);
  for (const { type, highest_id: id } of highest) state.highestOwnerId.set(type, id);
  return { ...findKnownRowsIn(state), next: await nextIds(query) };
}

const ownerRef = (row: StoredRow): OwnerRef => (row.kind === 'passkey' || row.kind === 'access' ? row.record.owner : row.record);

const hex = (value: Uint8Array): string => Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex');

/**
 * Builds the SQL that matches any of several byte strings, given in hexadecimal. It uses an array, because PostgreSQL scans the whole table
 * for a subquery in OR.
 */
const anyBytes = (parameter: string): string => `ANY(ARRAY(SELECT decode(value, 'hex') FROM unnest(${parameter}::text[]) AS value))`;

async function knownPasskeys(query: Query, passkeys: readonly Passkey[]): Promise<Passkey[]> {
  if (passkeys.length === 0) return [];
  const sql = `SELECT * FROM passkeys WHERE id = ANY($1) OR credential_id = ${anyBytes('$2')}`;
  const values = [passkeys.map(({ id }) => id), passkeys.map(({ credential }) => hex(credential.id))];
  return (await query<PasskeyRow>(sql, values)).map(readPasskeyRow);
}

async function knownAccesses(query: Query, accesses: readonly Access[]): Promise<Access[]> {
  if (accesses.length === 0) return [];
  const sql = `SELECT * FROM passkey_accesses WHERE id = ANY($1) OR (kind IN ('token', 'session') AND hash = ${anyBytes('$2')})`;
  return (await query<AccessRow>(sql, [accesses.map(({ id }) => id), accesses.map(({ hash }) => hex(hash))])).map(readAccessRow);
}

async function insert(query: Query, rows: readonly StoredRow[]): Promise<void> {
  const owners = rows.flatMap((row) => (row.kind === 'owner' ? row.record : []));
  const removed = rows.flatMap((row) => (row.kind === 'removed_owner' ? row.record : []));
  await insertInto(
    query,
    'passkey_owners',
    owners.map((owner) => ({ ...ownerToRow(owner), email_key: foldText(owner.email) })),
  );
  const refs = [
    ...owners.map(({ type, id }) => ({ type, id, removed: false })),
    ...removed.map(({ type, id }) => ({ type, id, removed: true })),
  ];
  await insertInto(query, 'passkey_owner_refs', refs, 'ON CONFLICT (type, id) DO UPDATE SET removed = excluded.removed');
  const highest = new Map<string, number>();
  for (const { type, id } of refs) highest.set(type, Math.max(id, highest.get(type) ?? 0));
  await insertInto(
    query,
    'passkey_owner_types',
    [...highest].map(([type, highest_id]) => ({ type, highest_id })),
    'ON CONFLICT (type) DO UPDATE SET highest_id = greatest(passkey_owner_types.highest_id, excluded.highest_id)',
  );
  await insertInto(
    query,
    'passkeys',
    rows.flatMap((row) => (row.kind === 'passkey' ? passkeyToRow(row.record) : [])),
  );
  await insertInto(
    query,
    'passkey_accesses',
    rows.flatMap((row) => (row.kind === 'access' ? accessToRow(row.record) : [])),
  );
}
