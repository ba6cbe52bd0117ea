// `npm run executables -- PLATFORM && node bench/executables.mjs [ROUNDS]`: how long the executable of this platform takes beside the package
// run by the same Node, and by that Node alone: `--version`, `--help`, `list`, and `serve` until `/healthz` answers. All take turns in one
// run; ratios are to `node -e 0`, medians of wall time and of CPU time, which other load disturbs less.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryOf, HOST } from '../packaging/node-packages.mjs';

const ROOT = join(import.meta.dirname, '..');
const rounds = Number(process.argv[2] ?? 15);
const { executables } = JSON.parse(await readFile(join(ROOT, 'dist-executables/executables.json'), 'utf8'));
const { name } = executables.find(({ platform }) => platform === HOST);
const node = [binaryOf(HOST)];
const programs = { npm: [...node, join(ROOT, 'bin/passkey.js')], executable: [join(ROOT, 'dist-executables', name)] };
const folder = await mkdtemp(join(tmpdir(), 'passkey-bench-'));

function start([command, ...parameters]) {
  return spawn(command, parameters, { cwd: folder, stdio: 'ignore', env: { HOME: folder } });
}

/** Milliseconds to the end of a command, by the clock and of the processor. */
async function toTheEnd(command) {
  const before = await cpuOfChildren();
  const wall = performance.now();
  const [code] = await once(start(command), 'exit');
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}.`);
  return { wall: performance.now() - wall, cpu: (await cpuOfChildren()) - before };
}

/** Of those that have ended: Linux tells in /proc (cutime and cstime, in hundredths of a second); elsewhere nothing does. */
async function cpuOfChildren() {
  const text = await readFile('/proc/self/stat', 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Milliseconds until the server answers; how much of the processor it took, cannot be told while it lives. */
async function toHealth(program) {
  const port = await freePort();
  const wall = performance.now();
  const child = start([...program, 'serve', '--store', 'memory:', '--no-open', '--port', `${port}`]);
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const taken = performance.now() - wall;
  child.kill();
  await once(child, 'exit');
  return { wall: taken, cpu: Number.NaN };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const works = { 'node -e 0': () => toTheEnd([...node, '-e', '0']) };
for (const [label, program] of Object.entries(programs)) {
  for (const command of ['--version', '--help', 'user list']) {
    works[`${label} ${command}`] = () => toTheEnd([...program, ...command.split(' ')]);
  }
  works[`${label} serve to /healthz`] = () => toHealth(program);
}
const taken = Object.fromEntries(Object.keys(works).map((label) => [label, []]));
try {
  await toTheEnd([...programs.npm, 'user', 'add', '--email', 'ada@example.com', '--name', 'Ada']);
  // One round to warm the disk, which does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [label, work] of Object.entries(works)) {
      const times = await work();
      if (round > 0) taken[label].push(times);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const base = { wall: median(taken['node -e 0'].map(({ wall }) => wall)), cpu: median(taken['node -e 0'].map(({ cpu }) => cpu)) };
for (const [label, times] of Object.entries(taken)) {
  const [wall, cpu] = ['wall', 'cpu'].map((kind) => median(times.map((each) => each[kind])));
  const cpuText = Number.isNaN(cpu) ? '' : `  ${cpu.toFixed(0).padStart(4)} ms CPU  ${(cpu / base.cpu).toFixed(2)}`;
  console.log(`${label.padEnd(28)} ${wall.toFixed(0).padStart(5)} ms  ${(wall / base.wall).toFixed(2)}${cpuText}`);
}
