// `npm run build && node bench/simulate.mjs [ROUNDS]`: the wall time of a default `passkey simulate`, in one thread and in as many as there
// are cores, divided by the wall time of as many raw HTTP requests, with one ES256 signature and verification for every two of them (a
// ceremony is options and response). All are measured alternately in one process. Requests are counted where they arrive, by a hook of the
// server, since most are handed over without a connection.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { simulate } from '../dist/simulate.js';

const rounds = Number(process.argv[2] ?? 5);
const fixtures = [join(import.meta.dirname, '../fixtures')];
const body = JSON.stringify({ text: 'x'.repeat(600) });

let requests = 0;
diagnostics.subscribe('fastify.initialization', ({ fastify }) => {
  fastify.addHook('onRequest', async () => {
    requests += 1;
  });
});

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

const agent = new Agent({ keepAlive: true });

async function post(url) {
  const outgoing = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': body.length } });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

/** The unavoidable work: requests over loopback, and signatures. */
async function bare(url, count) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (let index = 0; index < count; index += 1) {
    await post(url);
    if (index % 2 === 1) {
      const data = Buffer.from(`ceremony ${index}`);
      if (!verify('sha256', data, publicKey, sign('sha256', data, privateKey))) {
        throw new Error('Expected a valid signature, got an invalid one.');
      }
    }
  }
}

const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => response.setHeader('content-type', 'application/json').end(body));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

const run = (jobs) => simulate({ fixtures, version: 'bench', jobs });
const threads = availableParallelism();
// One thread, so that all requests are counted here.
const { result: first } = await timed(() => run(1));
const count = requests;
await bare(url, count);
const { total, passed } = first.summary;
console.log(`${total} fixtures and cases (${passed} passed), ${count} requests; ${rounds} rounds of each in turn`);

const rows = [];
for (let round = 0; round < rounds; round += 1) {
  const alone = await timed(() => run(1));
  const shared = await timed(() => run(threads));
  const raw = await timed(() => bare(url, count));
  rows.push({ alone: alone.ms, shared: shared.ms, raw: raw.ms, aloneRatio: alone.ms / raw.ms, sharedRatio: shared.ms / raw.ms });
}
server.close();
server.closeAllConnections();
agent.destroy();

const median = (member) => rows.map((row) => row[member]).sort((a, b) => a - b)[Math.floor(rows.length / 2)];
const perSecond = (ms) => `${(total / (ms / 1000)).toFixed(0)} cases/s`;
const ratios = (member) => `ratio median ${median(member).toFixed(1)} (${rows.map((row) => row[member].toFixed(1)).join(' ')})`;
console.log(`1 thread   median ${median('alone').toFixed(0)} ms, ${perSecond(median('alone'))}, ${ratios('aloneRatio')}`);
console.log(`${threads} threads  median ${median('shared').toFixed(0)} ms, ${perSecond(median('shared'))}, ${ratios('sharedRatio')}`);
console.log(`raw        median ${median('raw').toFixed(0)} ms (${count} requests, ${Math.floor(count / 2)} signatures and verifications)`);
