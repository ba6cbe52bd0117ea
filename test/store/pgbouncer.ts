import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';
import { AS_ROOT, freePort, HAS_POSTGRES, postgresServer } from './postgres-server.js';

/** Whether PgBouncer is installed. Elsewhere the tests behind it are skipped aloud. */
export const HAS_PGBOUNCER = HAS_POSTGRES && isInstalled();

function isInstalled(): boolean {
  if (spawnSync('pgbouncer', ['--version']).status === 0) return true;
  console.error('SKIPPED: the tests behind PgBouncer. Install the package pgbouncer of Debian.');
  return false;
}

let started: Promise<string> | undefined;

/** The URL of a new, empty database behind a pooler in transaction mode, which has fewer connections than a store. */
export async function newPooledDatabase(): Promise<string> {
  const url = new URL(await (await postgresServer()).newDatabase());
  started ??= startPooler(url);
  url.port = await started;
  return url.href;
}

/** The port. Ends with this process. */
async function startPooler({ hostname, port, username, password }: URL): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-pgbouncer-'));
  const listenPort = await freePort();
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_idle_timeout = 1
`,
  );
  // It refuses to run as root, as which containers run tests.
  if (AS_ROOT) chmodSync(folder, 0o755);
  // The shell reads until this process has ended, however it ends.
  const command = `pgbouncer -q ${AS_ROOT ? '-u nobody' : ''} '${configuration}' & cat; kill $!`;
  spawn('sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] }).unref();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await until(() => listens(listenPort));
  return String(listenPort);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
