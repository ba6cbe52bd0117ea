// Each step of W3C WebAuthn L3 §7.1 and §7.2 counts: in a copy of the build one step at a time is replaced by one that fails, and the server
// started from that copy refuses a good registration or login at that very step. Nothing in the product helps with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAuthenticator } from '../../dist/authenticator.js';
import { createClient } from '../../dist/client.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../dist/relying-party.js';

const ROOT = join(import.meta.dirname, '../..');
const LANES = 2;
const ORIGIN = 'http://localhost:3000';
const STEPS = [
  ...Object.keys(REGISTRATION_TITLES).map((slug) => ({ section: '7.1', slug })),
  ...Object.keys(AUTHENTICATION_TITLES).map((slug) => ({ section: '7.2', slug })),
];

/** @param {(line: string) => void} say */
export async function run(say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-steps-'));
  try {
    const chunks = await findProcedures();
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, index) => copyOfTheBuild(join(folder, String(index)))));
    for (const lane of lanes) await expectAccepted(lane);
    say('the unchanged copy accepts a registration and a login');
    const waiting = [...STEPS];
    const failures = [];
    const work = async (lane) => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        const failure = await tryStep(lane, chunks, step).catch((error) => String(error));
        if (failure !== undefined) failures.push(`§${step.section} ${step.slug}: ${failure}`);
      }
    };
    await Promise.all(lanes.map(work));
    for (const failure of failures) say(`FAILED: ${failure}`);
    say(`${STEPS.length - failures.length} of ${STEPS.length} steps refuse when they fail`);
    return { passed: STEPS.length - failures.length, failed: failures.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the build makes the list of steps of each section: chunk and variable. */
async function findProcedures() {
  const found = new Map();
  for (const file of await readdir(join(ROOT, 'dist/chunks'))) {
    if (!file.endsWith('.js')) continue;
    const text = await readFile(join(ROOT, 'dist/chunks', file), 'utf8');
    for (const [, name, section] of text.matchAll(/\b([\w$]+)=procedure[\w$]*\(["`](7\.[12])["`],/g)) {
      if (found.has(section)) throw new Error(`Expected one procedure of §${section} in the build; found two.`);
      found.set(section, { file, name, text });
    }
  }
  if (found.size !== 2) {
    throw new Error(`Expected the procedures of §7.1 and §7.2 in the build; found ${[...found.keys()].join(', ') || 'none'}.`);
  }
  return found;
}

async function copyOfTheBuild(folder) {
  for (const file of await readdir(join(ROOT, 'dist'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || !/\.js$|^package\.json$/.test(file.name)) continue;
    const from = join(file.parentPath, file.name);
    const to = join(folder, from.slice(ROOT.length));
    await mkdir(dirname(to), { recursive: true });
    await link(from, to).catch(() => cp(from, to));
  }
  await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  return folder;
}

/** The chunk with one step that fails whatever it is given. */
function withFailingStep({ name, text }, slug) {
  const result = {
    status: 'fail',
    code: 'type_mismatch',
    expected: 'nothing',
    received: 'a response',
    hint: 'This step was made to fail.',
  };
  const broken = `${name}.find(({slug})=>slug===${JSON.stringify(slug)}).check=()=>(${JSON.stringify(result)});`;
  return `${text};${broken}`;
}

/** Undefined when the server refuses at the step; else what happened. */
async function tryStep(lane, chunks, { section, slug }) {
  const chunk = chunks.get(section);
  const file = join(lane, 'dist/chunks', chunk.file);
  // A new file, for the old one may be the build's own.
  const replace = async (text) => {
    await rm(file);
    await writeFile(file, text);
  };
  await replace(withFailingStep(chunk, slug));
  try {
    const { reply } = await ceremonies(lane, section);
    const { code, step } = reply.body;
    const refused = reply.status === (section === '7.1' ? 422 : 401) && code === 'type_mismatch';
    return refused && step?.section === section && step.slug === slug
      ? undefined
      : `expected a refusal at this step, got ${reply.status} ${code ?? ''} at ${step?.slug ?? 'no step'}`;
  } finally {
    await replace(chunk.text);
  }
}

async function expectAccepted(lane) {
  const { reply } = await ceremonies(lane, '7.2');
  if (reply.status !== 200) throw new Error(`Expected the unchanged copy to accept; got ${reply.status} ${JSON.stringify(reply.body)}.`);
}

/** A registration and, for §7.2, a login after it, with the server of a copy. */
async function ceremonies(lane, section) {
  const server = await start(lane);
  try {
    const post = async (path, body, token) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
    const { token } = (await post('/dev/sign-in', {})).body;
    const creation = await post('/api/passkeys/register/options', { app_name: 'App', app_url: ORIGIN }, token);
    const registered = await post('/api/passkeys/register', await client.create({ publicKey: creation.body }), token);
    if (section === '7.1') return { reply: registered };
    if (registered.status !== 200) throw new Error(`Expected a registration before the login; got ${JSON.stringify(registered.body)}.`);
    const credentialId = registered.body.passkey.credential_id;
    const request = await post('/api/passkeys/verify/options', { credential_id: credentialId });
    const assertion = await client.get({ publicKey: { rpId: 'localhost', ...request.body } });
    return { reply: await post('/api/passkeys/login', assertion) };
  } finally {
    await server.stop();
  }
}

async function start(lane) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PASSKEY_|NODE_OPTIONS$)/.test(name)));
  const argv = [join(lane, 'bin/passkey.js'), 'serve', '--port', '0', '--no-open', '--json', '--store', 'memory:', '--log-level', 'silent'];
  const child = spawn(process.execPath, argv, { cwd: lane, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const closed = once(child, 'close');
  const listening = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text;
      if (output.stdout.includes('\n')) resolve();
    });
  });
  await Promise.race([listening, closed]);
  if (!output.stdout.includes('\n')) throw new Error(`The server of the copy did not start: ${output.stderr}`);
  const { url } = JSON.parse(output.stdout);
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
