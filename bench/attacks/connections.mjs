/**
 * `node bench/attacks/connections.mjs [never-read] [idle] [half] [recorder]` (Linux; all by default): what connections cost that an
 * attacker opens. PASSKEY_BIN names the program, `npm run build` comes first. Loopback only; each part ends within two minutes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dial, report, seconds, serve } from './serving.mjs';

const MEMORY = ['--production', '--store', 'memory:', '--rate-limit', 'off'];

/** Small segments and a small buffer, as on a slow network: then the answers wait in the server's memory and not in the kernel's. */
const READ_NOTHING = `
import socket, sys, time
port, count, times = map(int, sys.argv[1:])
kept = []
for index in range(count):
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.connect(('127.0.0.1', port))
    s.send(b'GET /openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' * times)
    kept.append(s)
    time.sleep(0.002)
time.sleep(600)
`;

/** 2,000 connections ask for twelve large answers each and read none (needs python3 and ss). */
async function neverRead(count = 2_000) {
  const server = await serve({ flags: MEMORY });
  const before = server.resident();
  const clients = spawn('python3', ['-c', READ_NOTHING, String(server.port), String(count), '12'], { stdio: 'inherit' });
  const open = () =>
    execFileSync('ss', ['-tnH', 'state', 'established', `( sport = :${server.port} )`], { encoding: 'utf8' }).split('\n').length - 1;
  let peak = 0;
  for (let second = 0; second < 45; second++) {
    await seconds(1);
    peak = Math.max(peak, server.resident());
  }
  report('connections that never read: resident memory before, at its peak in 45 s, MB', count, `${before} ${peak}`);
  for (let second = 0; second < 75; second++) await seconds(1);
  report('… connections open after 120 s, and resident memory then, MB', count, `${open()} ${server.resident()}`);
  server.stop();
  clients.kill();
}

/** 1,200 connections that send nothing, where the server may open 1,024 files: when is somebody else served? */
async function idle(count = 1_200) {
  const server = await serve({ flags: MEMORY, descriptors: 1024 });
  const dialled = Array.from({ length: count }, () => dial(server.port));
  await seconds(2);
  const start = performance.now();
  let served;
  while (served === undefined && performance.now() - start < 110_000) {
    const reply = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(2_000), headers: { connection: 'close' } }).catch(
      () => undefined,
    );
    if (reply?.status === 200) served = ((performance.now() - start) / 1000).toFixed(1);
    else await seconds(0.5);
  }
  report('idle connections at 1,024 descriptors: an honest request is served after, s', count, served ?? 'not within 110');
  report(
    '… lines in the log of the server about it',
    count,
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('onnections')).length,
  );
  server.stop();
  for (const { socket } of dialled) socket.destroy();
}

/** Connections that send half a request, each a little later than the one before: how long do they stay? */
async function half(count = 10) {
  const server = await serve({ flags: MEMORY });
  const dialled = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    const { socket, state } = dial(server.port, 'GET /healthz HT');
    socket.resume();
    dialled.push({ socket, state, start });
    await seconds(3);
  }
  for (let waited = 0; waited < 100 && dialled.some(({ state }) => state.closed === undefined); waited++) await seconds(1);
  const stayed = dialled.map(({ state, start }) => Math.round(((state.closed ?? performance.now()) - start) / 1000));
  report('half a request: closed after, s (shortest and longest)', count, `${Math.min(...stayed)} ${Math.max(...stayed)}`);
  server.stop();
}

/** Refused logins of 40 KB while --record writes. */
async function recorder(count = 8_000) {
  const program = process.env.PASSKEY_BIN ?? join(import.meta.dirname, '../../bin/passkey.js');
  const part = (name) => import(pathToFileURL(join(dirname(program), `../dist/${name}.js`)).href);
  const [{ createAuthenticator }, { createClient }] = [await part('authenticator'), await part('client')];
  const folder = mkdtempSync(join(tmpdir(), 'passkey-recorder-'));
  const store = ['--store', join(folder, 'store.json')];
  const passkey = (...args) =>
    execFileSync(process.execPath, [program, ...args, ...store], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  passkey('user', 'add', '--email', 'ada@example.com', '--name', 'Ada');
  const token = passkey('token', 'create', '--user', 'ada@example.com').trim();
  const server = await serve({ flags: ['--record', join(folder, 'recorded'), '--log-level', 'fatal', ...store] });
  const post = async (path, body, headers = {}) => {
    const reply = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return await reply.json();
  };
  const origin = 'http://localhost:3000';
  const client = createClient({ origin, authenticator: createAuthenticator() });
  const bearer = { authorization: `Bearer ${token}` };
  const response = await client.create({
    publicKey: await post('/api/passkeys/register/options', { app_name: 'App', app_url: origin }, bearer),
  });
  await post('/api/passkeys/register', response, bearer);
  const before = server.resident();
  let peak = 0;
  let done = 0;
  const start = performance.now();
  const flood = async () => {
    while (done < count && performance.now() - start < 100_000) {
      done++;
      const options = await post('/api/passkeys/verify/options', { credential_id: response.id });
      const assertion = await client.get({ publicKey: { rpId: 'localhost', ...options } });
      assertion.response.signature = 'A'.repeat(16);
      assertion.clientExtensionResults = { x: 'x'.repeat(40_000) };
      await post('/api/passkeys/login', assertion);
      if (done % 50 === 0) peak = Math.max(peak, server.resident());
    }
  };
  await Promise.all(Array.from({ length: 16 }, flood));
  report(
    'refused logins of 40 KB with --record: resident memory before, at its peak, MB',
    done,
    `${before} ${Math.max(peak, server.peak())}`,
  );
  report('… recordings written by then', done, readdirSync(join(folder, 'recorded')).length);
  server.stop();
  await seconds(0.5);
  rmSync(folder, { recursive: true, force: true });
}

const parts = { 'never-read': neverRead, idle, half, recorder };
const asked = process.argv.slice(2);
for (const [name, run] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await run();
process.exit(0);
