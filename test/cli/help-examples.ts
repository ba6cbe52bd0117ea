import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { run } from '../../src/cli/main.js';
import { createClient } from '../../src/client/client.js';
import { words } from '../architecture/readme-examples.js';
import { BIN } from '../e2e/passkey-process.js';
import { recordForms } from '../simulate/target/recording/record-pages.js';
import { startFormServer } from '../simulate/target/recording/recorded-servers.js';
import { postgresServer } from '../store/postgres-server.js';
import { startBetterAuth } from '../targets/better-auth.js';
import { COMMANDS } from './all-commands.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { seedCredentials } from './seeded-credentials.js';
import { seedStore } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

async function examplesOf(command: string): Promise<string[]> {
  const { stdout } = await runIn('/nowhere', [...command.split(' '), '--help']);
  const [, examples = ''] = stdout.split('Examples:\n');
  return examples
    .replaceAll(/ \\\n +/g, ' ')
    .split('\n')
    .flatMap((line) => (line.startsWith('  $ ') ? [line.slice(4)] : []));
}

/** Of all commands, each as one line. */
export const EXAMPLES = (await Promise.all(COMMANDS.map(([name]) => examplesOf(name)))).flat();
/** They run a server, another program or many cases, which takes longer than the others. */
const SLOW = EXAMPLES.filter((example) => /^passkey (?:exec|serve|simulate|store migrate|explain fixtures)\b|postgres:/.test(example));
/** What `npm test` runs: of the slow ones every twelfth. */
export const QUICK = EXAMPLES.filter((example) => !SLOW.includes(example) || SLOW.indexOf(example) % 12 === 0);
/** They ask on a terminal; without one they say which flag to give. */
const ASKING = ['passkey revoke', 'passkey restore', 'passkey token revoke', 'passkey user remove', 'passkey user remove ada@example.com'];
/** Flags of `simulate` that name what runs, or run no case. */
const CHOOSING = new Set(['--fixtures', '--list', '--load', '--init-profile', '--probe']);
const DATABASE = 'postgres://passkey@localhost/passkeys';
const CHALLENGE = '3q2-7wABAgMEBQYHCAkKCw';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
let prepared: string;

/** The folder that the examples take for granted is made once, and each works in a copy. */
export function prepareFolder(): void {
  beforeAll(async () => {
    prepared = await mkdtemp(join(tmpdir(), 'passkey-examples-'));
    await fill(prepared);
  });
  afterAll(() => rm(prepared, { recursive: true, force: true }));
}

async function folderFor(example: string): Promise<string> {
  const cwd = await tempFolder();
  if (example.startsWith('passkey user add')) return cwd;
  const left = /\b(?:explain|fixture|simulate)\b/.test(example) ? undefined : join(prepared, 'fixtures');
  await cp(prepared, cwd, { recursive: true, filter: (path) => path !== left });
  return cwd;
}

/** Users, passkeys, tokens, fixtures, and the files of a ceremony. */
async function fill(cwd: string): Promise<void> {
  await cp(FIXTURES, join(cwd, 'fixtures'), { recursive: true });
  await seedStore(cwd);
  for (const user of ['User:1', 'User:2']) await runIn(cwd, ['token', 'create', '--user', user]);
  await runIn(cwd, ['store', 'export', '--out', 'passkeys.jsonl']);
  for (const part of [1, 2]) {
    await runIn(cwd, ['simulate', 'login.type-*', '--shard', `${part}/2`, '--reporter', `json=part-${part}.json`]);
  }
  await seedCredentials(cwd, CHALLENGE);
  const client = createClient({ authenticator: createAuthenticator(), origin: 'https://example.org' });
  const options = {
    rp: { id: 'example.org', name: 'Example' },
    user: { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada', displayName: 'Ada' },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
    authenticatorSelection: { residentKey: 'required' as const },
  };
  const created = await client.create({ publicKey: options });
  const asserted = await client.get({ publicKey: { challenge: CHALLENGE, rpId: 'example.org' } });
  const files = { options, response: created, registration: created, login: asserted };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, `${name}.json`), JSON.stringify(content));
  await writeFile(join(cwd, 'recording.har'), JSON.stringify(archiveOf(options, created)));
}

/** What a browser exports of one registration. */
function archiveOf(options: object, credential: object): object {
  const message = (content: object) => ({
    headers: [],
    postData: { text: JSON.stringify(content) },
    content: { text: JSON.stringify(content) },
  });
  const entry = (sent: object, received: object) => ({
    startedDateTime: '2026-01-15T10:30:00.000Z',
    request: { ...message(sent), method: 'POST', url: 'https://example.org/webauthn' },
    response: message(received),
  });
  return { log: { entries: [entry({}, options), entry(credential, {})] } };
}

/** Until it listens: then it is stopped. A port of its own, as that of the example may be taken. */
async function serveBriefly(argv: readonly string[], cwd: string) {
  const { written, stop } = await untilItSays([...argv, '--port', '0', '--no-open'], cwd);
  const [, port] = /localhost:(\d+)|0\.0\.0\.0:(\d+)/.exec(written.stdout + written.stderr) ?? [];
  return { url: `http://localhost:${port}`, stop };
}

/** Until it writes something to stdout, or ends. */
async function untilItSays(argv: readonly string[], cwd: string) {
  const { io, written } = fakeIo({ cwd });
  const signals = io.signals as NodeJS.EventEmitter;
  const said = new Promise<void>((resolve) => void io.stdout.once('data', () => resolve()));
  const ended = run(argv, io);
  await Promise.race([said, ended]);
  return {
    written,
    async stop() {
      signals.emit('SIGINT');
      return { code: await ended, ...written };
    },
  };
}

async function tokenOf(cwd: string, user: string): Promise<string> {
  return (await runIn(cwd, ['token', 'create', '--user', user])).stdout.trim();
}

/** The command line of an example without what is the shell's. */
export function argvOf(example: string): string[] {
  const own = example
    .replace(/^pbpaste \| /, '')
    .replace(/ \| jq .*$/, '')
    .replace(/ > \S+$/, '')
    .replace(/^TOKEN=\$\((.*)\)$/, '$1')
    .replaceAll('3q2-7w…', CHALLENGE);
  const [name, ...argv] = words(own);
  expect(name).toBe('passkey');
  return argv;
}

async function outcomeAtBetterAuth(argv: readonly string[], cwd: string) {
  const target = await startBetterAuth();
  try {
    return await runIn(
      cwd,
      argv.map((word) => (word === 'http://localhost:3000' ? target.url : word)),
    );
  } finally {
    await target.close();
  }
}

/** Somebody's own server, a recording of it, and the profile that was written from it. */
async function outcomeAtShop(argv: readonly string[], cwd: string) {
  const shop = await startFormServer();
  try {
    const recording = await recordForms(shop.url);
    await writeFile(join(cwd, 'recording.har'), JSON.stringify(recording.har()));
    if (argv.includes('--init-profile')) return await runIn(cwd, argv);
    await runIn(cwd, ['simulate', '--init-profile', 'shop.yaml', '--har', 'recording.har']);
    return await runIn(
      cwd,
      argv.map((word) => (word === 'http://localhost:3000' ? shop.url : word)),
    );
  } finally {
    await shop.close();
  }
}

/** The same command line with fewer cases and less time, where it runs most of the catalogue or a load. */
export function shortened(argv: readonly string[]): readonly string[] {
  const [command, ...given] = argv;
  if (command !== 'simulate') return argv;
  const less = given.map((word, index) =>
    word === 'login.*' ? 'login.challenge-used*' : given[index - 1] === '--duration' ? '100ms' : word,
  );
  const chooses = less.some((word, index) => CHOOSING.has(word) || (index === 0 && !word.startsWith('--')));
  return [command, ...(chooses ? [] : ['register.origin-other-*', 'login.challenge-used*']), ...less];
}

export async function expectWorks(example: string, argv: readonly string[]): Promise<void> {
  const { code, stderr } = await outcomeOf(example, argv);
  if (ASKING.includes(example)) {
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--yes') });
  } else {
    // The demo's shop is made to fail.
    expect({ code, stderr: stderr.match(/^passkey: .*/m) }).toEqual({ code: argv.includes('--demo') ? 1 : 0, stderr: null });
  }
}

/** Beside a project with a test of its own, and with this passkey on the path. */
async function outcomeOfExec(argv: readonly string[], cwd: string) {
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, scripts: { test: 'node --version' } }));
  await writeFile(join(cwd, 'passkey'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  return await runIn(cwd, argv, { PATH: [cwd, process.env['PATH']].join(delimiter) });
}

async function outcomeOf(example: string, argv: readonly string[]) {
  const cwd = await folderFor(example);
  if (argv.includes('better-auth')) return await outcomeAtBetterAuth(argv, cwd);
  if (argv.includes(DATABASE)) {
    const url = await (await postgresServer()).newDatabase();
    return await runIn(
      cwd,
      argv.map((word) => (word === DATABASE ? url : word)),
    );
  }
  if (argv.includes('shop.yaml')) return await outcomeAtShop(argv, cwd);
  if (argv[0] === 'exec') return await outcomeOfExec(argv, cwd);
  if (argv[0] === 'serve') return await (await serveBriefly(argv, cwd)).stop();
  if (argv.includes('--follow')) return await (await untilItSays(argv, cwd)).stop();
  if (argv.includes('--url')) {
    const tokens = { $ADA: await tokenOf(cwd, 'User:1'), $BOB: await tokenOf(cwd, 'User:2') };
    const server = await serveBriefly(['serve', '--log-level', 'silent'], cwd);
    const given = argv.map((word) =>
      word === 'http://localhost:7277' ? server.url : word === '$ADA' || word === '$BOB' ? tokens[word] : word,
    );
    const outcome = await runIn(cwd, given);
    await server.stop();
    return outcome;
  }
  if (argv.includes('-')) {
    const { io, written, stdin } = fakeIo({ cwd });
    const pasted = argv[0] === 'fixture' ? await readFile(join(cwd, 'response.json'), 'utf8') : undefined;
    stdin.end(pasted ?? JSON.stringify({ challenge: CHALLENGE, rpId: 'example.org' }));
    return { code: await run(argv, io), ...written };
  }
  return await runIn(cwd, argv);
}
