import type { PasskeyFilter, PasskeySummary } from '../../relying-party/ports.js';
import { type Query, timeValue } from './database.js';
import { findPasskeyConditions, SqlValues, whereClause } from './passkey-query.js';

/** SQL expressions by which passkeys are grouped. Each has the type text. */
const PARTS = {
  rpIds: 'p.rp_id',
  aaguids: 'p.aaguid::text',
  attestationFormats: 'p.attestation_format',
  registrations: "date_trunc('month', p.created_at AT TIME ZONE 'UTC')::text",
  lastUses: "date_trunc('month', p.last_used_at AT TIME ZONE 'UTC')::text",
  // The bytes of a COSE_Key that say its algorithm, where it begins with kty and alg as most do; else all of them.
  publicKeys: `encode(CASE WHEN substring(p.public_key FROM 2 FOR 1) = '\\x01' AND substring(p.public_key FROM 4 FOR 1) = '\\x03'
    THEN substring(p.public_key FOR 7) ELSE p.public_key END, 'hex')`,
} as const;
const NAMES = [
  'rpIds',
  'aaguids',
  'attestationFormats',
  'registrations',
  'lastUses',
  'publicKeys',
] as const satisfies (keyof typeof PARTS)[];

interface PartRow {
  readonly part: keyof typeof PARTS;
  /** Value of the expression by which the group was formed. Null for passkeys that were never used. */
  readonly value: string | null;
  readonly found: number;
  /** Id of one passkey in the group. */
  readonly id: number;
}

type Numbers = Omit<PasskeySummary, keyof typeof PARTS>;

/** Counts passkeys by each expression of the summary, in two passes over the table. */
export async function summarizePasskeys(query: Query, filter: PasskeyFilter, unusedSince: readonly number[]): Promise<PasskeySummary> {
  const sql = new SqlValues();
  const conditions = await findPasskeyConditions(query, filter, sql);
  const where = whereClause(conditions);
  // OFFSET keeps the planner from sorting a million rows: it then takes the number of groups to be small.
  const rows = await query<PartRow>(
    `SELECT CASE ${NAMES.map((name) => `WHEN GROUPING("${name}") = 0 THEN '${name}'`).join(' ')} END AS part,
       coalesce(${NAMES.map((name) => `"${name}"`).join(', ')}) AS value, count(*) AS found, min(id) AS id
     FROM (SELECT p.id, ${NAMES.map((name) => `${PARTS[name]} AS "${name}"`).join(', ')} FROM passkeys p ${where} OFFSET 0) AS counted
     GROUP BY GROUPING SETS (${NAMES.map((name) => `("${name}")`).join(', ')})`,
    sql.values,
  );
  const part = (name: keyof typeof PARTS) => rows.filter((row) => row.part === name);
  const countBy = (name: keyof typeof PARTS) => new Map(part(name).flatMap(({ value, found }) => (value === null ? [] : [[value, found]])));
  const countMonths = (name: keyof typeof PARTS) => new Map([...countBy(name)].map(([month, found]) => [month.slice(0, 7), found]));
  return {
    ...(await countNumbers(query, { conditions, values: sql.values, unusedSince })),
    rpIds: countBy('rpIds'),
    aaguids: countBy('aaguids'),
    attestationFormats: countBy('attestationFormats'),
    registrations: countMonths('registrations'),
    lastUses: countMonths('lastUses'),
    publicKeys: await readKeys(query, part('publicKeys')),
  };
}

interface Chosen {
  readonly conditions: readonly string[];
  readonly values: SqlValues['values'];
  readonly unusedSince: readonly number[];
}

async function countNumbers(query: Query, { conditions, values, unusedSince }: Chosen): Promise<Numbers> {
  const count = (condition: string) => `count(*) FILTER (WHERE ${condition})::int`;
  const unused = unusedSince.map((_, index) => count(`coalesce(p.last_used_at, p.created_at) < $${values.length + index + 1}`));
  const isOwned = whereClause(['p.owner_type = o.type AND p.owner_id = o.id', ...conditions]);
  const [numbers] = await query<Numbers>(
    `SELECT count(*) AS passkeys, ${count('p.backup_eligible')} AS "backupEligible", ${count('p.backup_state')} AS "backedUp",
       ${count('p.uv_initialized')} AS "uvInitialized", ${count('p.last_used_at IS NULL')} AS "neverUsed",
       ARRAY[${unused.join(', ')}]::int[] AS unused,
       (SELECT count(*) FROM passkey_owners o WHERE EXISTS (SELECT FROM passkeys p ${isOwned})) AS owners
     FROM passkeys p ${whereClause(conditions)}`,
    [...values, ...unusedSince.map((time) => timeValue(time))],
  );
  if (numbers === undefined) throw new TypeError('Expected one row of counts, got none.');
  return numbers;
}

async function readKeys(query: Query, kinds: readonly PartRow[]): Promise<PasskeySummary['publicKeys']> {
  const sql = 'SELECT id, public_key FROM passkeys WHERE id = ANY($1)';
  const rows = await query<{ id: number; public_key: Uint8Array }>(sql, [kinds.map(({ id }) => id)]);
  const keys = new Map(rows.map(({ id, public_key: key }) => [id, new Uint8Array(key)]));
  return kinds.map(({ id, found }) => ({ publicKey: keys.get(id) ?? new Uint8Array(), count: found }));
}
