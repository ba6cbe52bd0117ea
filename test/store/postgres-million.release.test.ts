import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grouped } from '../../src/kernel/wording.js';
import { type Database, openDatabase } from '../../src/store/postgres/database.js';
import { migrate } from '../../src/store/postgres/migrations.js';
import { temporaryFolder } from '../contract/adapters.js';
import { collect, spawnPasskey } from '../e2e/passkey-process.js';
import { fillWithPasskeys, LABELS, RARE_AAGUID } from './many-passkeys.js';
import { HAS_POSTGRES, postgresServer } from './postgres-server.js';
import { proxyTo } from './scripted-postgres.js';

/** The gate fills fewer: a million takes a minute. */
const PASSKEYS = process.env.PASSKEY_GATE === undefined ? 1_000_000 : 100_000;
/** A revoked one, behind which most of the others come. */
const DEEP = 0.9 * PASSKEYS;

let url = '';
let database: Database | undefined;

beforeAll(async () => {
  if (!HAS_POSTGRES) return;
  url = await (await postgresServer()).newDatabase();
  database = await openDatabase(url);
  await migrate(database);
  await fillWithPasskeys(database, PASSKEYS);
});
afterAll(() => database?.close());

/** Runs a command to its end; its seconds, and its memory in MB. */
async function measure(argv: readonly string[], store: string) {
  const report = 'process.on("exit", () => console.error(`${process.resourceUsage().maxRSS} kB`))';
  const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(report)}"` };
  const started = performance.now();
  const { code, stdout, stderr } = await collect(spawnPasskey([...argv, '--store', store], { cwd: await temporaryFolder(), env }));
  const [, kilobytes] = /(\d+) kB\n$/.exec(stderr) ?? [];
  return { code, stdout, stderr, seconds: (performance.now() - started) / 1000, megabytes: Number(kilobytes) / 1000 };
}

describe.skipIf(!HAS_POSTGRES)(`of ${PASSKEYS} passkeys in PostgreSQL`, () => {
  test.each([
    { argv: 'list --limit 50', seconds: 2 },
    { argv: 'list --limit 50 --json', seconds: 2 },
    { argv: `list --limit 50 --after ${DEEP}`, seconds: 2 },
    { argv: `list --limit 50 --sort -id --after ${DEEP}`, seconds: 2 },
    { argv: 'list --limit 50 --sort email', seconds: 2 },
    { argv: `list --limit 50 --sort -email --after ${DEEP}`, seconds: 2 },
    { argv: `list --all --aaguid ${RARE_AAGUID}`, seconds: 2 },
    { argv: 'list --unused-since 2020-01-01', seconds: 2 },
    { argv: 'restore --change 0123456789ab --dry-run', seconds: 2 },
    { argv: 'user list --limit 50', seconds: 2 },
    { argv: 'user list --limit 50 --label USER', seconds: 2 },
    { argv: 'user remove --label user --dry-run', seconds: 10 },
    { argv: 'revoke --label KEY --dry-run', seconds: 5 },
    { argv: 'purge --older-than 1s --dry-run', seconds: 10 },
    { argv: 'audit --json', seconds: 2 },
    { argv: 'token list --json', seconds: 2 },
    { argv: 'store export --out export.jsonl', seconds: 300 },
    { argv: 'user list --limit 50 --sort -passkeys', seconds: 2, code: PASSKEYS > 100_000 ? 2 : 0 },
    { argv: 'stats', seconds: 10 },
  ])('$argv', async ({ argv, seconds, code = 0 }) => {
    const run = await measure(argv.split(' '), url);
    expect(run, run.stderr).toMatchObject({ code });
    expect(run.seconds).toBeLessThan(seconds);
    expect(run.megabytes).toBeLessThan(256);
  });

  test('--json, and a page behind a row, count nothing', async () => {
    const proxy = await proxyTo(url);
    const counts = async (...argv: string[]) => {
      expect(await measure(['list', '--limit', '50', ...argv], proxy.url)).toMatchObject({ code: 0 });
      return proxy.takeStatements().filter((text) => text.includes('count(')).length;
    };
    expect([await counts('--json'), await counts('--csv'), await counts('--after', `${DEEP}`), await counts()]).toEqual([0, 0, 0, 1]);
  });

  test('a third of them is revoked in batches, and restored', async () => {
    const [label] = LABELS;
    const filter = 'WHERE label = $1 AND revoked_at IS NULL';
    const countLive = async () =>
      (await database?.read<{ live: number }>(`SELECT count(*) AS live FROM passkeys ${filter}`, [label]))?.[0]?.live;
    const live = await countLive();
    const revoked = await measure(['revoke', '--label', label, '--yes', '--reason', 'leak'], url);
    expect(revoked).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`Revoked ${grouped(live ?? 0)} passkeys`) });
    expect(revoked.megabytes).toBeLessThan(150);
    expect(await countLive()).toBe(0);
    const [, change = ''] = /\(change (\w+)\)/.exec(revoked.stderr) ?? [];
    const restored = await measure(['restore', '--change', change, '--yes'], url);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining(`Restored ${grouped(live ?? 0)} passkeys`) });
    expect(restored.megabytes).toBeLessThan(150);
    expect(await countLive()).toBe(live);
  });
});
