// How long commands take from start to end, and `serve` until it answers, each against bare Node in the same run. Run `npm run build` before.
//   node bench/start-up.mjs [RUNS]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'bin/passkey.js');
const RUNS = Number(process.argv[2] ?? 25);
const PASSKEYS = 100;

/** Makes a store of PASSKEYS passkeys from one that was registered. */
async function makeStore(folder) {
  run(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada'], folder);
  run(['credential', 'create', '--user', 'ada@example.com'], folder);
  const path = join(folder, '.passkey/passkeys.jsonl');
  const file = JSON.parse(await readFile(path, 'utf8'));
  const [row] = file.passkeys;
  file.passkeys = Array.from({ length: PASSKEYS }, (_, index) => {
    const credential_id = Buffer.from(`credential ${index}`.padEnd(32)).toString('base64url');
    return { ...row, id: index + 1, credential_id };
  });
  file.next_passkey_id = PASSKEYS + 1;
  await writeFile(path, JSON.stringify(file));
}

function run(args, cwd) {
  const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`passkey ${args.join(' ')} exits ${status}: ${stderr}`);
}

function measure(args, cwd) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exits ${status}: ${stderr}`);
  return performance.now() - begun;
}

async function measureUntilHealthy(args, cwd) {
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
  await makeStore(folder);
  const response = join(ROOT, 'fixtures/recorded/login-synced.json');
  const measures = {
    'node -e 0': () => measure(['-e', '0'], folder),
    'passkey --version': () => measure([BIN, '--version'], folder),
    'passkey --help': () => measure([BIN, '--help'], folder),
    'passkey list': () => measure([BIN, 'list'], folder),
    'passkey token create': () => measure([BIN, 'token', 'create', '--user', 'ada@example.com'], folder),
    'passkey explain': () => measure([BIN, 'explain', response], folder),
    'passkey serve': () => measureUntilHealthy([BIN, 'serve', '--json', '--no-open', '--port', '0'], folder),
  };
  const times = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let turn = 0; turn <= RUNS; turn++) {
    for (const [name, take] of Object.entries(measures)) {
      const time = await take();
      // The first one fills the caches.
      if (turn > 0) times[name].push(time);
    }
  }
  const sorted = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all.toSorted((a, b) => a - b)]));
  const [median, least] = [(name) => sorted[name][Math.floor(RUNS / 2)], (name) => sorted[name][0]];
  const ratio = (of, name) => (of(name) / of('node -e 0')).toFixed(2);
  console.log(`Node ${process.version}, ${RUNS} runs of each in turn; ms and times bare Node: median (least)`);
  for (const name of Object.keys(measures)) {
    const [ms, times] = [`${median(name).toFixed(0)} (${least(name).toFixed(0)})`, `${ratio(median, name)} (${ratio(least, name)})`];
    console.log(`${name.padEnd(22)} ${ms.padStart(10)} ${times.padStart(14)}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
