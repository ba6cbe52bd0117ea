/**
 * `npm run build && node --import tsx bench/store.ts [SIZE…] [--adapters memory,json,postgres]`: registrations and logins with 100, 1,000,
 * 10,000 and 100,000 stored passkeys, in memory, in the JSON file and in PostgreSQL (a server of its own on this machine, which flushes
 * every commit), what opening, listing and keeping the JSON file cost, and how long processes wait for its lock. Ratios are of one run. Each
 * figure is taken in a process of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { HAS_POSTGRES, type PostgresServer, startPostgres } from '../test/store/postgres-server.js';
import { ADAPTERS, type Adapter, type Figures, IN_FLIGHT, type Latency, latencyOf } from './store-load.js';

const BIN = join(import.meta.dirname, '../bin/passkey.js');
const LOAD = join(import.meta.dirname, 'store-load.ts');
const SIZES = [100, 1_000, 10_000, 100_000];

async function compare(sizes: readonly number[], adapters: readonly Adapter[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
  const postgres = adapters.includes('postgres') ? await startPostgres({ flushes: true }) : undefined;
  const found = new Map<Adapter, Figures[]>(adapters.map((adapter) => [adapter, []]));
  try {
    const none = adapters.includes('json') ? await residentOf('memory:') : 0;
    for (const size of sizes) {
      console.log(`${size} passkeys`);
      const file = join(folder, `${size}.jsonl`);
      const rates = new Map<Adapter, number>();
      for (const adapter of adapters) {
        const figures = await figuresOf(adapter, { file, postgres, size });
        found.get(adapter)?.push(figures);
        rates.set(adapter, figures.logins);
        show(adapter, figures);
      }
      const memory = rates.get('memory');
      for (const [adapter, rate] of rates) {
        if (memory === undefined || adapter === 'memory') continue;
        console.log(`  ${adapter}: logins/s, of memory's: ${(rate / memory).toFixed(2)}${adapter === 'json' ? ' (target: 0.7)' : ''}`);
      }
      if (adapters.includes('json')) await showFile(file, none);
    }
    if (adapters.includes('json')) await showWaits(join(folder, 'waits.lock'));
    for (const [adapter, figures] of found) {
      const [first, last] = [figures[0], figures.at(-1)];
      if (first === undefined || last === undefined || first === last) continue;
      const growth = (of: (each: Figures) => number): string => (of(last) / of(first)).toFixed(2);
      console.log(
        `${adapter}: with ${sizes.at(-1)} / with ${sizes[0]}, alone: p50 of a login ${growth(({ login }) => login.p50)}, of a registration ${growth(({ registration }) => registration.p50)}${adapter === 'json' ? ' (2)' : ''}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function figuresOf(
  adapter: Adapter,
  { file, postgres, size }: { readonly file: string; readonly postgres: PostgresServer | undefined; readonly size: number },
): Promise<Figures> {
  const where = adapter === 'postgres' ? await postgres?.newDatabase() : file;
  return child<Figures>('load', adapter, where ?? '', String(size));
}

function show(adapter: Adapter, { logins, registrations, login, registration }: Figures): void {
  console.log(
    `  ${adapter.padEnd(8)}  with ${IN_FLIGHT} in flight ${logins.toFixed(0)} logins/s, ${registrations.toFixed(0)} registrations/s; ` +
      `alone: login ${spread(login)}, registration ${spread(registration)}`,
  );
}

const spread = ({ p50, p99 }: Latency): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

/** What else the JSON file has to hold to. */
async function showFile(file: string, residentOfNone: number): Promise<void> {
  const { open, parse } = child<{ readonly open: number; readonly parse: number }>('open', file);
  const list = timeOf([BIN, 'list', '--limit', '50', '--store', file]);
  const bare = timeOf([
    '-e',
    `for (const line of require("fs").readFileSync(${JSON.stringify(file)}, "utf8").trim().split("\\n")) JSON.parse(line)`,
  ]);
  const bytes = statSync(file).size;
  const resident = (await residentOf(file)) - residentOfNone;
  console.log(`  json: ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`  json: open / read and parse: ${(open / parse).toFixed(2)} (3)`);
  console.log(`  json: list --limit 50 / node that reads and parses: ${(list / bare).toFixed(2)} (2.5)`);
  console.log(`  json: resident, less that of an empty server / file: ${(resident / bytes).toFixed(2)} (4, at 100,000)`);
}

const SHARING = 4;

/** How long a process waits for the lock that it wants all the time: alone, and beside others that do so too. */
async function showWaits(path: string): Promise<void> {
  const waitsOf = async (processes: number): Promise<Latency> => {
    const waits = await Promise.all(Array.from({ length: processes }, () => later<number[]>('wait', path)));
    return latencyOf(waits.flat());
  };
  const [alone, shared] = [await waitsOf(1), await waitsOf(SHARING)];
  console.log(
    `json: waiting for the lock: alone ${spread(alone)}; ${SHARING} processes ${spread(shared)}, p99 / p99 alone: ${(shared.p99 / alone.p99).toFixed(1)}`,
  );
}

/** As {@link child}, beside others. */
async function later<Answer>(...args: string[]): Promise<Answer> {
  const worker = spawn(process.execPath, ['--import', 'tsx', LOAD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: string[] = [];
  worker.stdout.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  const [status] = await once(worker, 'close');
  if (status !== 0) throw new Error(`Expected a process of the bench to end with 0; got ${status}.`);
  const answer: Answer = JSON.parse(pieces.join(''));
  return answer;
}

function child<Answer>(...args: string[]): Answer {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', LOAD, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const answer: Answer = JSON.parse(stdout);
  return answer;
}

/** Milliseconds; the shortest of three. */
function timeOf(args: readonly string[]): number {
  const times = Array.from({ length: 3 }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** Bytes that a server has resident some time after its start. Linux only. */
async function residentOf(store: string): Promise<number> {
  const server = spawn(process.execPath, [BIN, 'serve', '--store', store, '--port', '0', '--no-open', '--json', '--log-level', 'silent']);
  try {
    await once(createInterface({ input: server.stdout }), 'line');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
  } finally {
    server.kill();
    await once(server, 'close');
  }
}

const { values, positionals } = parseArgs({
  options: { adapters: { type: 'string', default: (HAS_POSTGRES ? ADAPTERS : ADAPTERS.filter((name) => name !== 'postgres')).join(',') } },
  allowPositionals: true,
});
const sizes = positionals.map(Number);
const names = values.adapters.split(',');
const adapters = ADAPTERS.filter((name) => names.includes(name));
if (sizes.some((size) => !(size >= 100)) || adapters.length !== names.length) {
  console.error(`Expected sizes from 100 on, and --adapters of ${ADAPTERS.join(', ')}.`);
  process.exit(2);
}
await compare(sizes.length > 0 ? sizes : SIZES, adapters);
// The PostgreSQL server ends with this process.
process.exit(0);
