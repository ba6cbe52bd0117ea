/** Stores with many passkeys for `bench/store.ts`, filled faster than by registering each. */
import { appendFileSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { NewPasskey } from '../src/relying-party/credential-record.js';
import type { Store } from '../src/store/store.js';

export const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** Stores passkeys, the first `made`, the others like them with credential IDs and owners of their own. */
export async function fill(store: Store, made: readonly NewPasskey[], size: number): Promise<void> {
  for (const { owner } of made) {
    await store.insertOwner({ ...owner, email: `u${owner.id}@example.com`, name: 'Ada', createdAt: Date.now() });
  }
  for (let index = 0; index < size; index += 1) {
    const passkey = made[index % made.length] as NewPasskey;
    const credential = index < made.length ? passkey.credential : { ...passkey.credential, id: randomBytes(32) };
    const owner = index < made.length ? passkey.owner : { type: 'User', id: 1 + index };
    await store.insertPasskey({ ...passkey, owner, credential });
  }
}

/** Adds rows to a file until it has as many as wanted, with ids of their own. */
export function multiplyFile(file: string, size: number): void {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"passkey":'));
  const { passkey }: { passkey: object } = JSON.parse(rows.at(-1) ?? '');
  let lines = '';
  for (let id = rows.length + 1; id <= size; id += 1) {
    const changed = { ...passkey, id, owner_id: id, credential_id: Buffer.from(randomBytes(32)).toString('base64url') };
    lines += `${JSON.stringify({ passkey: changed })}\n`;
    if (lines.length < 1e6) continue;
    appendFileSync(file, lines);
    lines = '';
  }
  appendFileSync(file, lines);
}

/** The same in a database, by one statement. */
export async function multiplyRows(url: string, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'passkeys' AND column_name <> 'id'",
    );
    const names = rows.map(({ name }) => name);
    const changed = new Map([
      ['owner_id', 'number'],
      // Two random UUIDs are 32 bytes.
      ['credential_id', 'uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())'],
    ]);
    await client.query(
      `INSERT INTO passkeys (${names.join(', ')}) SELECT ${names.map((name) => changed.get(name) ?? name).join(', ')}
       FROM (SELECT * FROM passkeys ORDER BY id DESC LIMIT 1) AS last, generate_series(last.id + 1, $1::bigint) AS number`,
      [size],
    );
    await client.query('VACUUM ANALYZE passkeys');
  } finally {
    await client.end();
  }
}
