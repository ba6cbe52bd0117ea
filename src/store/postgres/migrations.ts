import { PasskeyError } from '../../errors.js';
import type { Database, Query } from './database.js';

/**
 * SQL of each migration. The first one creates version 1 of the schema. Never change a released migration; add another one. All table names
 * begin with `passkey`, so that an application can keep its own tables in the same database.
 */
const MIGRATIONS: readonly string[] = [
  `
  -- The highest id that a type of owner has, or had.
  CREATE TABLE passkey_owner_types (type text PRIMARY KEY, highest_id bigint NOT NULL);

  -- Every owner that is or was named: its row is what changes of one owner lock. Ids of removed owners are never used again.
  CREATE TABLE passkey_owner_refs (
    type text NOT NULL, id bigint NOT NULL, removed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (type, id)
  );

  CREATE TABLE passkey_owners (
    type text NOT NULL, id bigint NOT NULL, email text NOT NULL, email_key text NOT NULL, name text NOT NULL,
    user_handle bytea, created_at timestamptz NOT NULL,
    PRIMARY KEY (type, id), UNIQUE (type, email_key)
  );
  CREATE INDEX passkey_owners_email ON passkey_owners (email_key);

  CREATE TABLE passkeys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_type text NOT NULL, owner_id bigint NOT NULL, user_handle bytea NOT NULL,
    rp_id text NOT NULL, rp_name text NOT NULL, origin text NOT NULL, label text NOT NULL,
    credential_id bytea NOT NULL, public_key bytea NOT NULL, sign_count bigint NOT NULL, uv_initialized boolean NOT NULL,
    transports json NOT NULL, backup_eligible boolean NOT NULL, backup_state boolean NOT NULL,
    aaguid uuid NOT NULL, attestation_format text NOT NULL, attestation_trust text NOT NULL,
    attestation_object bytea NOT NULL, attestation_client_data_json bytea NOT NULL,
    authenticator_attachment text, client_extension_results json NOT NULL, challenge bytea NOT NULL,
    created_at timestamptz NOT NULL, last_used_at timestamptz, revoked_at timestamptz, revoked_reason text,
    counter_regressions bigint NOT NULL DEFAULT 0, counter_regressed_at timestamptz,
    UNIQUE (rp_id, credential_id)
  );
  -- A credential ID belongs to one passkey, whatever its RP ID (WebAuthn L3 §7.1 step 26).
  CREATE UNIQUE INDEX passkeys_credential_id ON passkeys (credential_id);
  CREATE INDEX passkeys_owner ON passkeys (owner_type, owner_id, id);

  CREATE TABLE passkey_accesses (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL, owner_type text NOT NULL, owner_id bigint NOT NULL, hash bytea NOT NULL,
    passkey_id bigint, label text, created_at timestamptz NOT NULL, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
    UNIQUE (kind, hash)
  );
  CREATE INDEX passkey_accesses_owner ON passkey_accesses (owner_type, owner_id, id);
  CREATE INDEX passkey_accesses_passkey ON passkey_accesses (passkey_id, id) WHERE passkey_id IS NOT NULL;

  -- Times are milliseconds since 1970.
  CREATE TABLE passkey_ceremonies (
    challenge bytea PRIMARY KEY, sequence bigint GENERATED ALWAYS AS IDENTITY,
    common text NOT NULL, own text NOT NULL, owner_type text, owner_id bigint, client text NOT NULL, places integer NOT NULL,
    issued_at double precision NOT NULL, expires_at double precision NOT NULL, forgotten_at double precision NOT NULL,
    spent boolean NOT NULL DEFAULT false
  );
  CREATE INDEX passkey_ceremonies_client ON passkey_ceremonies (client, sequence);
  CREATE INDEX passkey_ceremonies_forgotten ON passkey_ceremonies (forgotten_at);
  `,
  `
  -- Who did what when; the oldest rows go when there are many.
  CREATE TABLE passkey_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL, action text NOT NULL, outcome text NOT NULL, code text, via text NOT NULL, source text,
    actor text, os_user text, address text, user_agent text, request_id text, subject text, email text,
    passkey_id bigint, credential_id text, rp_id text, label text, token_id bigint, revoked_passkeys json, reason text, revoked_reason text
  );
  `,
  `
  -- Of entries that tell of many rows: how many.
  ALTER TABLE passkey_audit ADD COLUMN counts json;
  `,
  `
  -- Ids of bulk changes.
  ALTER TABLE passkeys ADD COLUMN revoked_change text;
  ALTER TABLE passkey_audit ADD COLUMN change text;
  `,
  `
  -- So that neither a first registration nor a login reads a whole table.
  CREATE INDEX passkey_owners_user_handle ON passkey_owners (user_handle);
  CREATE INDEX passkey_accesses_end ON passkey_accesses (kind, least(revoked_at, expires_at));
  `,
  `
  -- A ceremony is one JSON text. Those that are open begin again.
  DELETE FROM passkey_ceremonies;
  ALTER TABLE passkey_ceremonies DROP COLUMN common, DROP COLUMN own, DROP COLUMN places, DROP COLUMN issued_at, ADD COLUMN ceremony text NOT NULL;
  `,
  `
  -- Nothing of a ceremony reaches the disk with its commit, which saves two flushes and most of the WAL of a login. A server that crashed
  -- empties the table: a challenge that is gone is unknown, and its user begins again. No challenge can be replayed, because none is left
  -- without its mark: synchronous_commit = off would keep the challenge and lose the mark.
  ALTER TABLE passkey_ceremonies SET UNLOGGED, SET (fillfactor = 50);
  -- The ceremonies of clients are counted only when there are too many.
  DROP INDEX passkey_ceremonies_client;

  -- A view is read with the rights of its owner: a role that may only read tables and views can export a store, sequences included.
  CREATE VIEW passkey_next_ids AS SELECT
    (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM passkeys_id_seq) AS passkey,
    (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM passkey_accesses_id_seq) AS access;

  -- E-mails are sorted by code point, and the live passkeys of all owners counted, in an index alone.
  ALTER TABLE passkey_owners ALTER COLUMN email_key TYPE text COLLATE "C";
  DROP INDEX passkeys_owner;
  CREATE INDEX passkeys_owner ON passkeys (owner_type, owner_id, id) INCLUDE (revoked_at);
  CREATE INDEX passkeys_revoked_change ON passkeys (revoked_change) WHERE revoked_change IS NOT NULL;
  CREATE INDEX passkeys_aaguid ON passkeys (aaguid, id);
  -- A login writes 2 kB more of WAL for it, of 35; without it, to find what was not used for long took 4 s of a million.
  CREATE INDEX passkeys_last_use ON passkeys (coalesce(last_used_at, created_at), id);
  `,
];

/** Version of the schema that this build reads and writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/** Reads the version of the schema; undefined if the database has no tables of this program. */
async function readVersion(query: Query): Promise<number | undefined> {
  const [table] = await query<{ name: string | null }>("SELECT to_regclass('passkey_schema')::text AS name");
  if (table?.name === null || table === undefined) return undefined;
  return highestVersion(query);
}

async function highestVersion(query: Query): Promise<number> {
  const [row] = await query<{ version: number }>('SELECT coalesce(max(version), 0)::int AS version FROM passkey_schema');
  return row?.version ?? 0;
}

/**
 * Checks that the schema has the version of this build.
 *
 * @throws PasskeyError `store_absent` if the database has no tables of this program; `store_unavailable` if its tables are older or newer
 * than this build, or the database cannot be used.
 */
export async function checkSchema(database: Database): Promise<void> {
  const version = await readVersion(database.read);
  if (version === undefined) {
    throw new PasskeyError(
      'store_absent',
      `The database ${database.location} has no passkey store yet. \`passkey store migrate\` makes one, and so does \`passkey serve\`.`,
    );
  }
  if (version < SCHEMA_VERSION) {
    throw new PasskeyError(
      'store_unavailable',
      `The store ${database.location} has schema ${version}, and this passkey needs ${SCHEMA_VERSION}. Run \`passkey store migrate\`.`,
    );
  }
  refuseNewer(database, version);
}

function refuseNewer({ location }: Database, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new PasskeyError(
    'store_unavailable',
    `The store ${location} has schema ${version}, written by a newer passkey; this one knows up to ${SCHEMA_VERSION}. Update passkey.`,
  );
}

/** Number of the database lock that only one process at a time holds while migrating. The number is arbitrary. */
const MIGRATION_LOCK = 7_277_001;

/**
 * Brings the schema up to date in one transaction.
 *
 * @returns the versions before and after; 0 means that there were no tables.
 * @throws PasskeyError `store_unavailable` if the schema is newer than this build, or the database cannot be used.
 */
export async function migrate(database: Database): Promise<{ readonly from: number; readonly to: number }> {
  return database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    // Not looked up first: the server may remember from before the lock that there was no such table.
    await query('CREATE TABLE IF NOT EXISTS passkey_schema (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now())');
    const from = await highestVersion(query);
    refuseNewer(database, from);
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < from) continue;
      await query(sql);
      await query('INSERT INTO passkey_schema (version) VALUES ($1)', [index + 1]);
    }
    return { from, to: SCHEMA_VERSION };
  });
}
