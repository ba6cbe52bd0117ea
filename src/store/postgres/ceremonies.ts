import { challengeForgottenAt } from '../../kernel/challenge-life.js';
import type { Ceremony, CeremonyStore } from '../../relying-party/ports.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import type { Database, Query } from './database.js';

interface CeremonyRow {
  readonly challenge: Uint8Array;
  readonly ceremony: string;
  readonly expires_at: number;
  readonly forgotten_at: number;
  readonly was_spent: boolean;
  readonly owner_removed: boolean;
}

/** How many ceremonies a process saves before it counts all of them again: a thousandth of the bound. */
const COUNTED_EVERY = 1000;

const DEFAULT_LIMIT = 200_000;

/** Begun ceremonies of every process on the database; one `limit` for all of them, as that of `CeremonyMemory`. */
export function ceremonyStore(database: Database, limit = DEFAULT_LIMIT): CeremonyStore {
  const countAfter = Math.max(1, Math.floor(limit / COUNTED_EVERY));
  let uncounted = countAfter - 1;

  return {
    async saveCeremony(ceremony) {
      uncounted += 1;
      if (uncounted < countAfter) return insert(database.read, ceremony);
      uncounted = 0;
      return database.transaction(async (query) => {
        await query('DELETE FROM passkey_ceremonies WHERE forgotten_at <= $1', [ceremony.issuedAt]);
        await insert(query, ceremony);
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

async function insert(query: Query, ceremony: Ceremony): Promise<void> {
  const { challenge, owner, client, issuedAt, expiresAt } = ceremony;
  const columns = 'ceremony, owner_type, owner_id, client, expires_at, forgotten_at';
  const forgottenAt = challengeForgottenAt({ issuedAt, expiresAt });
  // A challenge repeats only where a replay pins it; the newest ceremony then counts.
  await query(
    `INSERT INTO passkey_ceremonies (challenge, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (challenge) DO UPDATE SET (spent, sequence, ${columns}) =
       ROW (false, DEFAULT, ${columns.replaceAll(/\w+/g, 'excluded.$&')})`,
    [challenge, writeCeremony(ceremony), owner?.type ?? null, owner?.id ?? null, client, expiresAt, forgottenAt],
  );
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

function readCeremony({ challenge, ceremony }: CeremonyRow): Ceremony {
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
 * Removes ceremonies until there are no more than `limit`: each client keeps the newest of its own, and all clients that lose any
 * keep the same number, so that a flood crowds out only its own.
 */
async function makeRoom(query: Query, limit: number): Promise<void> {
  const sql = `WITH clients AS (SELECT client, count(*) AS held FROM passkey_ceremonies GROUP BY client),
    ranked AS (
      SELECT held, row_number() OVER w AS fuller, sum(held) OVER w AS held_by_fuller, sum(held) OVER () AS total,
        coalesce(lead(held) OVER w, 0) AS next
      FROM clients WINDOW w AS (ORDER BY held DESC ROWS UNBOUNDED PRECEDING)
    )
    SELECT floor(($1 - (total - held_by_fuller)) / fuller)::int AS level FROM ranked
    WHERE total > $1 AND ($1 - (total - held_by_fuller)) / fuller >= next ORDER BY fuller LIMIT 1`;
  const [found] = await query<{ level: number }>(sql, [limit]);
  if (found === undefined) return;
  await keepNewest(query, { count: Math.max(1, found.level), among: 'PARTITION BY client' });
  // With more clients than that, each has but one ceremony left by now, and the oldest of all go.
  if (found.level < 1) await keepNewest(query, { count: limit, among: '' });
}

/** Removes all but the newest ceremonies, of each client or of all together. */
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
