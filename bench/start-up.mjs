// How long commands take from start to end, and `serve` until it answers, each beside a measure in the same run: bare Node, commander
// alone with the same definitions, bare Fastify with the same plugins. Run `npm run build` before.
//   node bench/start-up.mjs [RUNS]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'bin/passkey.js');
const RUNS = Number(process.argv[2] ?? 25);
const PASSKEYS = 100;

/** Bundled in one file, as somebody would who wants no more than that. */
async function bundle(folder, name, contents) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    plugins: [{ name: 'late', setup: ({ onResolve }) => onResolve({ filter: /./ }, leaveDynamic) }],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { 'process.env.PASSKEY_BUILD_VERSION': '"0.0.0"' },
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    logLevel: 'error',
  });
  return outfile;
}

const leaveDynamic = ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined);

const COMMANDER = `
import { createProgram } from './src/cli/program.ts';
const { program } = createProgram({ stdout: process.stdout, stderr: process.stderr });
await program.parseAsync(process.argv.slice(2), { from: 'user' }).catch(() => {});`;

const FASTIFY = `
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
const app = Fastify();
for (const plugin of [cookie, cors, helmet, rateLimit]) await app.register(plugin);
for (let n = 0; n < 7; n++) app.post('/api/' + n, async () => ({}));
app.get('/healthz', async () => ({}));
console.log(JSON.stringify({ url: await app.listen({ port: 0 }) }));
process.on('SIGTERM', () => app.close());`;

/** A store with as many passkeys, made of one that was registered. */
async function storeOf(folder) {
  const run = (...args) => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  run('user', 'add', '--email', 'ada@example.com', '--name', 'Ada');
  run('credential', 'create', '--user', 'ada@example.com');
  const path = join(folder, '.passkey/passkeys.json');
  const file = JSON.parse(await readFile(path, 'utf8'));
  const [row] = file.passkeys;
  file.passkeys = Array.from({ length: PASSKEYS }, (_, index) => {
    const credential_id = Buffer.from(`credential ${index}`.padEnd(32)).toString('base64url');
    return { ...row, id: index + 1, credential_id };
  });
  file.next_passkey_id = PASSKEYS + 1;
  await writeFile(path, JSON.stringify(file));
}

function timeOf(args, cwd) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exits ${status}: ${stderr}`);
  return performance.now() - begun;
}

async function timeUntilHealthy(args, cwd) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const response = await fetch(new URL('/healthz', JSON.parse(String(line).split('\n')[0]).url));
  await response.text();
  const time = performance.now() - begun;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return time;
}

const folder = await mkdtemp(join(tmpdir(), 'passkey-start-'));
try {
  await storeOf(folder);
  const commander = await bundle(folder, 'commander', COMMANDER);
  const fastify = await bundle(folder, 'fastify', FASTIFY);
  const response = join(ROOT, 'fixtures/recorded/login-synced.json');
  /** Each after what it is measured by. */
  const measures = {
    'node -e 0': () => timeOf(['-e', '0'], folder),
    'commander --version': () => timeOf([commander, '--version'], folder),
    'passkey --version': () => timeOf([BIN, '--version'], folder),
    'commander --help': () => timeOf([commander, '--help'], folder),
    'passkey --help': () => timeOf([BIN, '--help'], folder),
    'passkey list': () => timeOf([BIN, 'list'], folder),
    'passkey token create': () => timeOf([BIN, 'token', 'create', '--user', 'ada@example.com'], folder),
    'passkey explain': () => timeOf([BIN, 'explain', response], folder),
    fastify: () => timeUntilHealthy([fastify], folder),
    'passkey serve': () => timeUntilHealthy([BIN, 'serve', '--json', '--no-open', '--port', '0'], folder),
  };
  const by = {
    'passkey --version': ['commander --version', 1.05],
    'passkey --help': ['commander --help', 1.05],
    'passkey list': ['node -e 0', 1.6],
    'passkey token create': ['node -e 0', 1.8],
    'passkey explain': ['node -e 0', 2],
    'passkey serve': ['fastify', 1.4],
  };
  const times = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let run = 0; run <= RUNS; run++) {
    for (const [name, measure] of Object.entries(measures)) {
      const time = await measure();
      // The first one fills the caches.
      if (run > 0) times[name].push(time);
    }
  }
  const sorted = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all.toSorted((a, b) => a - b)]));
  const median = (name) => sorted[name][Math.floor(RUNS / 2)];
  console.log(`Node ${process.version}, ${RUNS} runs of each in turn; ms: median (least)`);
  for (const name of Object.keys(measures)) {
    const [base, goal] = by[name] ?? [];
    const ratio = (of) => (of(name) / of(base)).toFixed(2);
    const compared = base && `  ${ratio(median)} (${ratio((each) => sorted[each][0])}) times ${base}; goal ${goal}`;
    console.log(`${name.padEnd(22)} ${median(name).toFixed(0).padStart(5)} (${sorted[name][0].toFixed(0)})${compared ?? ''}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
