import { challengeForgottenAt } from '../../kernel/challenge-life.js';
import type { Ceremony, CeremonyStore, TakenCeremony } from '../../relying-party/ports.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { type Database, named, type Query } from './database.js';
import { PASSKEY_COLUMNS, type PasskeyRow, readPasskeyRow } from './rows.js';

interface CeremonyRow {
  readonly ceremony: string;
  readonly expires_at: number;
  readonly forgotten_at: number;
  readonly was_spent: boolean;
  readonly owner_removed: boolean;
}

/** Columns of a query result if the passkey exists but no ceremony was taken. */
interface NoCeremony {
  readonly ceremony: null;
}

const DEFAULT_LIMIT = 200_000;

/** Number of new ceremonies, counted over all processes, after which old ceremonies are deleted. */
const PRUNE_EVERY = 200;

/**
 * Creates the store of ceremonies for all processes that use the database. `limit` is the maximum number of ceremonies over all processes.
 */
export function ceremonyStore(database: Database, limit = DEFAULT_LIMIT): CeremonyStore {
  /** Sequence number of the ceremony at which to count the stored ceremonies again. Before it, there cannot be more than `limit`. */
  let countAt = 0;

  return {
    async saveCeremony(ceremony) {
      const sequence = await insert(database.read, ceremony);
      if (sequence < countAt && sequence % PRUNE_EVERY !== 0) return;
      await database.change('DELETE FROM passkey_ceremonies WHERE forgotten_at <= $1', [ceremony.issuedAt]);
      if (sequence < countAt) return;
      const held = await database.transaction((query) => makeRoom(query, limit));
      countAt = sequence + Math.max(1, limit - held);
    },

    async takeCeremony(challenge, now) {
      const [row] = await database.change<CeremonyRow>(TAKE, [challenge]);
      return describeTaken(row, challenge, now);
    },

    async takeAuthentication({ challenge, credentialId, now }) {
      const [row] = await database.change<PasskeyRow & (CeremonyRow | NoCeremony)>(TAKE_AUTHENTICATION, [challenge, credentialId]);
      return {
        passkey: row && readPasskeyRow(row),
        taken: describeTaken(row?.ceremony === null ? undefined : row, challenge, now),
      };
    },

    async spentChallenges(challenges) {
      const rows = await database.read<{ challenge: Uint8Array }>(
        `SELECT challenge FROM passkey_ceremonies WHERE spent AND challenge IN (SELECT decode(hex, 'hex') FROM unnest($1::text[]) AS hex)`,
        [challenges.map((challenge) => Buffer.from(challenge).toString('hex'))],
      );
      return rows.map(({ challenge }) => new Uint8Array(challenge));
    },
  };
}

/**
 * Builds the SQL that marks a ceremony as spent. Of two simultaneous requests, the second waits for the lock and then finds the ceremony
 * spent.
 */
const take = (condition: string): string => `
  UPDATE passkey_ceremonies c SET spent = true
  FROM (SELECT challenge, spent FROM passkey_ceremonies WHERE challenge = $1 ${condition} FOR UPDATE) AS was
  WHERE c.challenge = was.challenge
  RETURNING c.ceremony, c.expires_at, c.forgotten_at, was.spent AS was_spent, EXISTS (
    SELECT FROM passkey_owner_refs r WHERE r.type = c.owner_type AND r.id = c.owner_id AND r.removed
  ) AS owner_removed`;

const TAKE = named(take(''));
const TAKE_AUTHENTICATION = named(
  `WITH found AS MATERIALIZED (SELECT ${PASSKEY_COLUMNS} FROM passkeys WHERE credential_id = $2),
     taken AS (${take('AND EXISTS (SELECT FROM found WHERE revoked_at IS NULL)')})
   SELECT found.*, taken.* FROM found LEFT JOIN taken ON true`,
);

function describeTaken(row: CeremonyRow | undefined, challenge: Uint8Array, now: number): TakenCeremony {
  if (row === undefined || row.owner_removed || now >= row.forgotten_at) return { status: 'unknown' };
  const status = row.was_spent ? 'used' : now >= row.expires_at ? 'expired' : 'open';
  return { status, ceremony: readCeremony(row.ceremony, challenge) };
}

const CEREMONY_COLUMNS = 'ceremony, owner_type, owner_id, client, expires_at, forgotten_at';
// A challenge repeats only where a replay pins it; the newest ceremony then counts.
const INSERT = named(
  `INSERT INTO passkey_ceremonies (challenge, ${CEREMONY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (challenge) DO UPDATE SET (spent, sequence, ${CEREMONY_COLUMNS}) =
     ROW (false, DEFAULT, ${CEREMONY_COLUMNS.replaceAll(/\w+/g, 'excluded.$&')})
   RETURNING sequence`,
);

/** Inserts a ceremony. Returns its sequence number, which increases over all processes. */
async function insert(query: Query, ceremony: Ceremony): Promise<number> {
  const { challenge, owner, client, issuedAt, expiresAt } = ceremony;
  const forgottenAt = challengeForgottenAt({ issuedAt, expiresAt });
  const values = [challenge, writeCeremony(ceremony), owner?.type ?? null, owner?.id ?? null, client, expiresAt, forgottenAt];
  const [row] = await query<{ sequence: number }>(INSERT, values);
  return row?.sequence ?? 0;
}

/** A ceremony as JSON, with its bytes in base64url. The challenge has a column of its own. */
type CeremonyJson = Omit<Ceremony, 'challenge' | 'userHandle' | 'credentialId'> & {
  readonly userHandle: string | undefined;
  readonly credentialId: string | undefined;
};

function writeCeremony(ceremony: Ceremony): string {
  const { challenge: _, userHandle, credentialId, ...rest } = ceremony;
  return JSON.stringify({
    ...rest,
    userHandle: userHandle && encodeBase64url(userHandle),
    credentialId: credentialId && encodeBase64url(credentialId),
  } satisfies CeremonyJson);
}

function readCeremony(ceremony: string, challenge: Uint8Array): Ceremony {
  const { owner, rpName, userHandle, credentialId, ...rest }: CeremonyJson = JSON.parse(ceremony);
  return {
    ...rest,
    challenge: new Uint8Array(challenge),
    owner,
    rpName,
    userHandle: userHandle === undefined ? undefined : decodeBase64url(userHandle),
    credentialId: credentialId === undefined ? undefined : decodeBase64url(credentialId),
  };
}

/**
 * Fraction of the limit that is freed in addition. Without it, a flood of ceremonies would cause a count of all ceremonies for each new
 * one.
 */
const SLACK = 1 / 20;

/**
 * Removes ceremonies if there are more than `limit`, and returns the remaining number. Each client keeps its newest ceremonies. All clients
 * that lose ceremonies keep the same number, so that a flood from one client does not harm the others.
 */
async function makeRoom(query: Query, limit: number): Promise<number> {
  const [{ held } = { held: 0 }] = await query<{ held: number }>('SELECT count(*) AS held FROM passkey_ceremonies');
  if (held <= limit) return held;
  const kept = limit - Math.floor(limit * SLACK);
  const sql = `WITH clients AS (SELECT client, count(*) AS held FROM passkey_ceremonies GROUP BY client),
    ranked AS (
      SELECT row_number() OVER w AS fuller, $1 - (sum(held) OVER () - sum(held) OVER w) AS room, coalesce(lead(held) OVER w, 0) AS next
      FROM clients WINDOW w AS (ORDER BY held DESC ROWS UNBOUNDED PRECEDING)
    )
    SELECT floor(room / fuller)::int AS level FROM ranked WHERE room / fuller >= next ORDER BY fuller LIMIT 1`;
  const [{ level } = { level: 0 }] = await query<{ level: number }>(sql, [kept]);
  await keepNewest(query, { count: Math.max(1, level), among: 'PARTITION BY client' });
  // With more clients than that, each has but one ceremony left by now, and the oldest of all go.
  if (level < 1) await keepNewest(query, { count: kept, among: '' });
  return kept;
}

/** Removes all but the `count` newest ceremonies, either of each client or of all clients together. */
async function keepNewest(
  query: Query,
  { count, among }: { readonly count: number; readonly among: 'PARTITION BY client' | '' },
): Promise<void> {
  await query(
    `DELETE FROM passkey_ceremonies WHERE challenge IN (
       SELECT challenge FROM (
         SELECT challenge, row_number() OVER (${among} ORDER BY sequence DESC) AS newest
         FROM passkey_ceremonies
       ) AS ranked WHERE newest > $1
     )`,
    [count],
  );
}
