import { challengeForgottenAt } from '../../kernel/challenge-life.js';
import type { Ceremony, CeremonyStore } from '../../relying-party/ports.js';
import { countPlaces, DEFAULT_CEREMONY_LIMIT, isTooLarge, LARGE, noRoom } from '../ceremony-memory.js';
import { ceremonyFromText, ceremonyText } from '../ceremony-text.js';
import type { Database, Query } from './database.js';

interface CeremonyRow {
  readonly challenge: Uint8Array;
  readonly common: string;
  readonly own: string;
  readonly client: string;
  readonly issued_at: number;
  readonly expires_at: number;
  readonly forgotten_at: number;
  readonly was_spent: boolean;
  readonly owner_removed: boolean;
}

/** How many ceremonies a process saves before it counts all of them again: a thousandth of the bound. */
const COUNTED_EVERY = 1000;

/** Begun ceremonies of every process on the database. `limit` counts places, as that of `CeremonyMemory` does. */
export function ceremonyStore(database: Database, limit = DEFAULT_CEREMONY_LIMIT): CeremonyStore {
  const countAfter = Math.max(1, Math.floor(limit / COUNTED_EVERY));
  let uncounted = countAfter - 1;

  return {
    async saveCeremony(ceremony) {
      const text = ceremonyText(ceremony);
      const places = countPlaces(text);
      uncounted += places;
      const counts = uncounted >= countAfter || places > LARGE;
      if (!counts) return insert(database.read, ceremony, { ...text, places });
      uncounted = 0;
      return database.transaction(async (query) => {
        await query('DELETE FROM passkey_ceremonies WHERE forgotten_at <= $1', [ceremony.issuedAt]);
        if (places > LARGE) await holdLarge(query, { client: ceremony.client, places, limit });
        await insert(query, ceremony, { ...text, places });
        await makeRoom(query, limit);
      });
    },

    async takeCeremony(challenge, now) {
      // The second of two requests waits for the lock, and then sees the ceremony spent.
      const [row] = await database.change<CeremonyRow>(
        `UPDATE passkey_ceremonies c SET spent = true
         FROM (SELECT challenge, spent FROM passkey_ceremonies WHERE challenge = $1 FOR UPDATE) AS was
         WHERE c.challenge = was.challenge
         RETURNING c.*, was.spent AS was_spent, EXISTS (
           SELECT 1 FROM passkey_owner_refs r WHERE r.type = c.owner_type AND r.id = c.owner_id AND r.removed
         ) AS owner_removed`,
        [challenge],
      );
      if (row === undefined || row.owner_removed || now >= row.forgotten_at) return { status: 'unknown' };
      const status = row.was_spent ? 'used' : now >= row.expires_at ? 'expired' : 'open';
      return { status, ceremony: readCeremony(row) };
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

async function insert(
  query: Query,
  { challenge, owner, client, issuedAt, expiresAt }: Ceremony,
  { common, own, places }: { readonly common: string; readonly own: string; readonly places: number },
): Promise<void> {
  const columns = 'common, own, owner_type, owner_id, client, places, issued_at, expires_at, forgotten_at';
  // A challenge repeats only where a replay pins it; the newest ceremony then counts.
  await query(
    `INSERT INTO passkey_ceremonies (challenge, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (challenge) DO UPDATE SET (spent, sequence, ${columns}) =
       ROW (false, DEFAULT, ${columns.replaceAll(/\w+/g, 'excluded.$&')})`,
    [
      challenge,
      common,
      own,
      owner?.type ?? null,
      owner?.id ?? null,
      client,
      places,
      issuedAt,
      expiresAt,
      challengeForgottenAt({ issuedAt, expiresAt }),
    ],
  );
}

function readCeremony({ challenge, common, own, client, issued_at: issuedAt, expires_at: expiresAt }: CeremonyRow): Ceremony {
  return ceremonyFromText({ common, own }, { challenge: new Uint8Array(challenge), issuedAt, expiresAt, client });
}

interface Large {
  readonly client: string;
  readonly places: number;
  readonly limit: number;
}

/** @throws PasskeyError `store_unavailable` when there is no room but that of clients that hold less. */
async function holdLarge(query: Query, { client, places, limit }: Large): Promise<void> {
  const sql = `SELECT coalesce(sum(held), 0)::int AS total, coalesce(max(held), 0)::int AS most, coalesce(sum(ceremonies), 0)::int AS others,
      coalesce(max(held) FILTER (WHERE client = $1), 0)::int AS own
    FROM (SELECT client, sum(places) AS held, count(*) AS ceremonies FROM passkey_ceremonies GROUP BY client) AS clients`;
  const [held] = await query<{ total: number; most: number; own: number; others: number }>(sql, [client]);
  const { total = 0, most = 0, own = 0, others = 0 } = held ?? {};
  if (isTooLarge(places, limit)) throw noRoom(places, others);
  if (total + places > limit && own === 0 && places > most) throw noRoom(places, others);
}

/**
 * Removes ceremonies until no more than `limit` places are taken: each client keeps the newest of its own, and all clients that lose any
 * keep the same number of places, so that a flood crowds out itself and nobody else.
 */
async function makeRoom(query: Query, limit: number): Promise<void> {
  const sql = `WITH clients AS (SELECT client, sum(places) AS held FROM passkey_ceremonies GROUP BY client),
    ranked AS (
      SELECT held, row_number() OVER w AS fuller, sum(held) OVER w AS held_by_fuller, sum(held) OVER () AS total,
        coalesce(lead(held) OVER w, 0) AS next
      FROM clients WINDOW w AS (ORDER BY held DESC ROWS UNBOUNDED PRECEDING)
    )
    SELECT floor(($1 - (total - held_by_fuller)) / fuller)::int AS level FROM ranked
    WHERE total > $1 AND ($1 - (total - held_by_fuller)) / fuller >= next ORDER BY fuller LIMIT 1`;
  const [found] = await query<{ level: number }>(sql, [limit]);
  if (found === undefined) return;
  await keepNewest(query, { places: Math.max(1, found.level), among: 'PARTITION BY client' });
  // With more clients than places each has but one ceremony left by now, and the oldest of all go.
  if (found.level < 1) await keepNewest(query, { places: limit, among: '' });
}

/** Removes all but the newest ceremonies that take so many places, of each client or of all together. */
async function keepNewest(
  query: Query,
  { places, among }: { readonly places: number; readonly among: 'PARTITION BY client' | '' },
): Promise<void> {
  await query(
    `DELETE FROM passkey_ceremonies WHERE challenge IN (
       SELECT challenge FROM (
         SELECT challenge, sum(places) OVER (${among} ORDER BY sequence DESC ROWS UNBOUNDED PRECEDING) AS newest
         FROM passkey_ceremonies
       ) AS ranked WHERE newest > $1
     )`,
    [places],
  );
}
