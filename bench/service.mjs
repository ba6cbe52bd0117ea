/**
 * `npm run build && node bench/service.mjs [--rounds 15] [--count 300] [--in-flight 16] [--servers library,bare,memory,json] [--operations login] [--bin OTHER/bin/passkey.js]`
 * (Linux): logins, registrations, refusals and options of `passkey serve`, in development with the memory store and in production with
 * the JSON file, as ratios to a bare Fastify with `@simplewebauthn/server` and to one with `crypto.verify` only. Every server is a process;
 * they take turns. The client here has its responses signed with a ready key. Two figures each, medians of the rounds: requests a second,
 * and microseconds of the server's processor time, which other work on the machine changes least. Goals for the
 * rate of logins: 0.85 in production, 0.65 in development. `--bin` adds another build to the same run. `--in-flight 512` is the run with many
 * connections. `--memory` does 100,000 logins instead, with sessions that end after two seconds. `node --import tsx bench/service.mjs --servers
 * pg,postgres` starts a PostgreSQL server for both: a bare Fastify with `pg` that keeps the same in three statements a login, and ours in
 * production. There the third figure is PostgreSQL's processor time. Goals for logins: a rate of 0.5 of bare `pg`, and at most 2 times the
 * processor time of PostgreSQL.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAccounts } from '../dist/accounts.js';
import { openStore } from '../dist/store.js';
import { BIN, serve } from './attacks/serving.mjs';

const RP_ID = 'localhost';
const ORIGIN = 'http://localhost:7277';
/** More than the server keeps imported keys of. */
const PASSKEYS = 200;
const base64url = (bytes) => Buffer.from(bytes).toString('base64url');
const bytes = (encoded) => Buffer.from(encoded, 'base64url');
const sha256 = (data) => createHash('sha256').update(data).digest();
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Where a reference keeps challenges and passkeys. */
function keepInMemory() {
  const [challenges, passkeys] = [new Set(), new Map()];
  return {
    begin: (challenge) => challenges.add(challenge),
    take: (challenge, id) => challenges.delete(challenge) && { passkey: passkeys.get(id) },
    add: (id, passkey) => passkeys.set(id, passkey),
    use: () => undefined,
  };
}

/** A login takes three statements, each a change of its own. Keys are kept as JWK. */
async function keepInPostgres(url) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(`CREATE TABLE challenges (challenge text PRIMARY KEY);
    CREATE TABLE passkeys (id text PRIMARY KEY, key json NOT NULL, used timestamptz);
    CREATE TABLE sessions (secret text PRIMARY KEY, passkey text NOT NULL, created timestamptz NOT NULL)`);
  const taking =
    'WITH taken AS (DELETE FROM challenges WHERE challenge = $1 RETURNING 1) SELECT key FROM taken LEFT JOIN passkeys ON id = $2';
  const using = `WITH used AS (UPDATE passkeys SET used = now() WHERE id = $1 RETURNING id)
    INSERT INTO sessions SELECT $2, id, now() FROM used`;
  return {
    begin: (challenge) => pool.query('INSERT INTO challenges VALUES ($1)', [challenge]),
    async take(challenge, id) {
      const [row] = (await pool.query(taking, [challenge, id])).rows;
      return row && { passkey: row.key === null ? undefined : createPublicKey({ key: row.key, format: 'jwk' }) };
    },
    add: (id, passkey) => pool.query('INSERT INTO passkeys VALUES ($1, $2)', [id, passkey.export({ format: 'jwk' })]),
    use: (id) => pool.query(using, [id, base64url(randomBytes(32))]),
  };
}

/** The same routes with nothing around them: what verifies, and where passkeys are kept, is all that differs between them. */
async function referenceServer(kind, url) {
  const { fastify } = await import('fastify');
  const library = await import('@simplewebauthn/server');
  const app = fastify();
  const kept = kind === 'pg' ? await keepInPostgres(url) : keepInMemory();
  /** Adds a pair of routes. `verifies` answers for a body whose challenge is an open one. */
  const ceremony = (begin, makeOptions, end, verifies) => {
    app.post(`/api/passkeys/${begin}`, async ({ body }) => {
      const more = { rpName: 'Bench', rpID: RP_ID, userName: 'ada@example.com', allowCredentials: [{ id: body.credential_id }] };
      const options = kind === 'library' ? await makeOptions(more) : { challenge: base64url(randomBytes(32)), ...more };
      await kept.begin(options.challenge);
      return options;
    });
    app.post(`/api/passkeys/${end}`, async ({ body }, reply) => {
      const { challenge } = JSON.parse(bytes(body.response.clientDataJSON));
      const response = { clientExtensionResults: {}, ...body };
      const expected = { response, expectedChallenge: challenge, expectedOrigin: ORIGIN, expectedRPID: RP_ID };
      const taken = await kept.take(challenge, body.id);
      return taken && (await verifies(expected, body, taken)) ? { user: { id: 1 } } : reply.code(401).send({});
    });
  };
  ceremony('register/options', library.generateRegistrationOptions, 'register', async (expected, { id, response }) => {
    if (kind === 'library') {
      await kept.add(id, (await library.verifyRegistrationResponse(expected)).registrationInfo.credential);
    } else {
      const point = bytes(response.attestationObject).subarray(-77);
      const jwk = { kty: 'EC', crv: 'P-256', x: base64url(point.subarray(10, 42)), y: base64url(point.subarray(45)) };
      await kept.add(id, createPublicKey({ key: jwk, format: 'jwk' }));
    }
    return true;
  });
  ceremony('verify/options', library.generateAuthenticationOptions, 'login', async (expected, { id, response }, { passkey }) => {
    if (kind === 'library') return (await library.verifyAuthenticationResponse({ ...expected, credential: passkey })).verified;
    const signed = Buffer.concat([bytes(response.authenticatorData), sha256(bytes(response.clientDataJSON))]);
    if (!verify('sha256', signed, passkey, bytes(response.signature))) return false;
    await kept.use(id);
    return true;
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  process.stdout.write(`${JSON.stringify({ url: address })}\n`);
}

/** What browser and authenticator do, with one key for all credentials. */
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = publicKey.export({ format: 'jwk' });
const coseKey = Buffer.from(`a5010203262001215820${bytes(x).toString('hex')}225820${bytes(y).toString('hex')}`, 'hex');
const clientData = (type, challenge) => Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false }));
const head = (flags) => Buffer.concat([sha256(RP_ID), Buffer.from([flags, 0, 0, 0, 0])]);

function attest(challenge) {
  const id = randomBytes(32);
  const authData = Buffer.concat([head(0x45), Buffer.alloc(17), Buffer.from([id.length]), id, coseKey]);
  const start = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex');
  const attestationObject = base64url(Buffer.concat([start, Buffer.from([authData.length]), authData]));
  const response = { clientDataJSON: base64url(clientData('webauthn.create', challenge)), attestationObject };
  return { id: base64url(id), rawId: base64url(id), type: 'public-key', response };
}

const signedHead = head(0x05);
function assert(id, challenge, wrong) {
  const client = clientData('webauthn.get', challenge);
  const signature = base64url(sign('sha256', Buffer.concat([signedHead, sha256(wrong ? 'something else' : client)]), privateKey));
  const response = { clientDataJSON: base64url(client), authenticatorData: base64url(signedHead), signature };
  return { id, rawId: id, type: 'public-key', response };
}

/** One server and what to ask of it. `operations` are the rows of the table. */
async function open({ name, program, flags, tokens }, inFlight) {
  const server = await serve({ program, flags: [...flags, '--log-level', 'info'] });
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const post = async (path, body, expected = 200, headers = {}) => {
    const sending = JSON.stringify(body);
    const fields = { host: 'localhost:7277', 'content-type': 'application/json', 'content-length': sending.length, ...headers };
    const sent = request({ host: '127.0.0.1', port: server.port, path, method: 'POST', agent, headers: fields }).end(sending);
    const [reply] = await once(sent, 'response');
    const answer = await text(reply);
    if (reply.statusCode !== expected) throw new Error(`${name} ${path}: ${reply.statusCode} ${answer}`);
    return JSON.parse(answer);
  };
  const ids = [];
  let users = [];
  const begin = (index) => post('/api/passkeys/verify/options', { credential_id: ids[index % PASSKEYS] });
  const end = async (index, wrong, expected) => {
    const { challenge } = await begin(index);
    await post('/api/passkeys/login', assert(ids[index % PASSKEYS], challenge, wrong), expected);
  };
  const operations = {
    login: (index) => end(index, false, 200),
    registration: async (index) => {
      const headers = { authorization: `Bearer ${users[index]}` };
      const { challenge } = await post('/api/passkeys/register/options', { app_name: 'Bench', app_url: ORIGIN }, 200, headers);
      const response = attest(challenge);
      await post('/api/passkeys/register', response, 200, headers);
      return response.id;
    },
    refusal: (index) => end(index, true, 401),
    'verify/options': begin,
  };
  /** Makes the tokens of users who have no passkey yet: those of one user are counted and listed. */
  const prepare = async (count) => {
    const signIn = async () => (await post('/dev/sign-in', { email: `${randomBytes(9).toString('hex')}@example.com` })).token;
    users = name.startsWith('memory') ? await Promise.all(Array.from({ length: count }, signIn)) : (tokens?.splice(0, count) ?? []);
  };
  await prepare(PASSKEYS);
  for (let index = 0; index < PASSKEYS; index += 1) ids.push(await operations.registration(index));
  return { name, server, operations, prepare, found: Object.fromEntries(Object.keys(operations).map((key) => [key, []])) };
}

/** Requests a second with so many in flight, and the processor time of the server and of PostgreSQL for each, in microseconds. */
async function measure({ server, operations, prepare }, operation, { count, inFlight, postgresCpu }) {
  if (operation === 'registration') await prepare(count);
  const [cpu, ofPostgres, started] = [server.cpu(), postgresCpu?.(), performance.now()];
  let next = 0;
  const work = async () => {
    while (next < count) await operations[operation](next++);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - started) / 1000;
  const each = { rate: count / seconds, cpu: (server.cpu() - cpu) / count };
  return postgresCpu === undefined ? each : { ...each, postgres: (postgresCpu() - ofPostgres) / count };
}

/** A reader of the processor time of a PostgreSQL server so far, in microseconds: the servers that use it take turns. */
async function readPostgresCpu(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const parentOf = (pid) =>
    Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) \S /s, '')
        .split(' ')[0],
    );
  const parent = parentOf(rows[0].pid);
  await client.end();
  const timeOf = (pid) => {
    try {
      return pid === parent || parentOf(pid) === parent ? Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000 : 0;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  };
  return () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, name) => sum + timeOf(Number(name)), 0);
}

/** The 99th percentile of logins that begin at a steady rate, whether or not those before are done. */
async function latency({ operations }, rate, count) {
  const started = performance.now();
  const times = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const due = (index / rate) * 1000;
      await sleep(due - (performance.now() - started));
      await operations.login(index);
      return performance.now() - started - due;
    }),
  );
  return times.toSorted((a, b) => a - b)[Math.floor(0.99 * count)];
}

/** The servers to compare. In production users come from the store only, so that it is filled before. */
async function listServers({ bin, servers, memory, users, postgres }, folder) {
  const flags = ['--origin', ORIGIN, '--rate-limit', 'off', ...(memory ? ['--session-ttl', '2s'] : [])];
  const reference = (name, ...more) => ({ name, program: [import.meta.filename, '--reference', name, ...more], flags: [] });
  const listed = [reference('library'), reference('bare')];
  const wanted = servers.split(',');
  if (postgres !== undefined) listed.push(reference('pg', await postgres.newDatabase()));
  for (const [index, file] of [BIN, ...bin].entries()) {
    const name = index === 0 ? '' : ` of ${file}`;
    const inProduction = async (store, place) => ({
      name: `${store}${name}`,
      program: [file, 'serve'],
      flags: ['--production', '--store', place, ...flags],
      tokens: await fill(place, users),
    });
    listed.push({ name: `memory${name}`, program: [file, 'serve'], flags: ['--store', 'memory:', ...flags] });
    if (wanted.includes('json')) listed.push(await inProduction('json', join(folder, `${index}.json`)));
    if (postgres !== undefined) listed.push(await inProduction('postgres', await postgres.newDatabase()));
  }
  return listed.filter(({ name }) => wanted.includes(name.split(' ')[0]));
}

/** A server that flushes every commit, as PostgreSQL does by default. */
const startPostgres = async () => (await import('../test/store/postgres-server.ts')).startPostgres({ flushes: true });

/** Adds users to a store; their tokens. */
async function fill(place, users) {
  const store = await openStore(place, { create: true });
  const accounts = createAccounts({ store, ownerType: 'User', now: Date.now, randomBytes });
  const tokens = [];
  for (let user = 0; user < users; user += 1) {
    const owner = await accounts.addOwner({ email: `user${user}@example.com`, name: 'Ada' });
    tokens.push((await accounts.createToken({ owner })).token);
  }
  await store.close();
  return tokens;
}

/** Ratios are medians of the rounds too: the rounds differ more than the servers of one. */
function show(opened) {
  const [{ name: base, found: ofBase }] = opened;
  const figures = { rate: 'a second', cpu: 'µs each', ...(ofBase.login[0]?.postgres !== undefined && { postgres: 'µs of pg' }) };
  const heads = Object.values(figures).map((head) => head.padStart(10));
  console.log(`${' '.repeat(32)}${heads.join('')}   the same of ${base} = 1`);
  for (const operation of Object.keys(ofBase).filter((each) => ofBase[each].length > 0)) {
    for (const { name, found } of opened) {
      const values = Object.keys(figures).map((figure) => found[operation].map((round) => round[figure]));
      const ratios = Object.keys(figures).map((figure) =>
        found[operation].map((round, index) => round[figure] / ofBase[operation][index][figure]),
      );
      const shown = [...values.map((each) => median(each).toFixed(0)), ...ratios.map((each) => median(each).toFixed(2))];
      console.log(`${operation.padEnd(15)}${name.padEnd(17)}${shown.map((text) => text.padStart(10)).join('')}`);
    }
  }
}

async function compare() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '15' },
      count: { type: 'string', default: '300' },
      'in-flight': { type: 'string', default: '16' },
      servers: { type: 'string', default: 'library,bare,memory,json' },
      operations: { type: 'string', default: 'login,registration,refusal,verify/options' },
      bin: { type: 'string', multiple: true, default: [] },
      memory: { type: 'boolean', default: false },
    },
  });
  const [rounds, count, inFlight] = [values.rounds, values.count, values['in-flight']].map(Number);
  const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
  const opened = [];
  const wanted = values.servers.split(',');
  const postgres = wanted.includes('pg') || wanted.includes('postgres') ? await startPostgres() : undefined;
  try {
    const postgresCpu = postgres && (await readPostgresCpu(postgres.url));
    const users = PASSKEYS + (values.operations.includes('registration') ? rounds * count : 0);
    for (const each of await listServers({ ...values, users, postgres }, folder)) opened.push(await open(each, inFlight));
    for (const each of opened) await measure(each, 'login', { count: 4 * count, inFlight });
    if (values.memory) await watchMemory(opened, inFlight);
    else {
      for (const operation of values.operations.split(',')) {
        for (let turn = 0; turn < rounds * opened.length; turn += 1) {
          const each = opened[(turn + Math.floor(turn / opened.length)) % opened.length];
          each.found[operation].push(
            await measure(each, operation, {
              count: operation === 'registration' ? Math.ceil(count / 3) : count,
              inFlight,
              postgresCpu,
            }),
          );
        }
      }
      show(opened);
      for (const each of opened) {
        const half = median(each.found.login.map(({ rate }) => rate)) / 2;
        console.log(`p99 of ${half.toFixed(0)} logins/s: ${each.name} ${(await latency(each, half, 2 * count)).toFixed(1)} ms`);
      }
    }
  } finally {
    for (const { server } of opened) server.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The memory of each server with every 10,000 logins, once their sessions have ended. */
async function watchMemory(opened, inFlight) {
  for (let logins = 10_000; logins <= 100_000; logins += 10_000) {
    for (const each of opened) await measure(each, 'login', { count: 10_000, inFlight });
    await sleep(5_000);
    console.log(`${logins} logins: ${opened.map(({ name, server }) => `${name} ${server.resident()} MB`).join(', ')}`);
  }
}

if (process.argv[2] === '--reference') await referenceServer(...process.argv.slice(3));
else await compare();
