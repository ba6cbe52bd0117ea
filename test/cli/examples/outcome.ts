import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { chromiumPath } from '../../e2e/browser.js';
import { BIN } from '../../e2e/passkey-process.js';
import { GOOD, openSite, ROOT } from '../../simulate/doctor/site.js';
import { recordForms } from '../../simulate/target/recording/record-pages.js';
import { startFormServer } from '../../simulate/target/recording/recorded-servers.js';
import { postgresServer } from '../../store/postgres-server.js';
import { startBetterAuth } from '../../targets/better-auth.js';
import { startSimpleWebAuthn } from '../../targets/simplewebauthn.js';
import { fakeIo } from '../fake-io.js';
import { type Ran, runIn } from '../run-in.js';
import { CHALLENGE, folderFor } from './folder.js';
import { OURS, words } from './markdown.js';

const SHOWN_URL = 'http://localhost:3000';
const SHOWN_DATABASE = 'postgres://localhost/passkeys';
const DATABASES = ['$DATABASE_URL', 'postgres://passkey@localhost/passkeys'];
/** Flags of `simulate` that name what runs, or run no case. */
const CHOOSING = new Set(['--fixtures', '--list', '--load', '--init-profile', '--probe']);
/** They run a server, another program or many cases, which takes longer than the others. */
const SLOW = /^passkey (?:exec|browse|serve|simulate|store migrate|explain fixtures|fixture export)\b|postgres:|\$DATABASE_URL/;
export const isSlow = (example: string): boolean => SLOW.test(example.replace(OURS, 'passkey '));

/** The command line of an example without what is the shell's. */
export function argvOf(example: string): string[] {
  const own = example
    .replace(/^pbpaste \| /, '')
    .replace(/ \| jq .*$/, '')
    .replace(/ +#.*$/, '')
    .replace(/ &$/, '')
    .replace(/ > \S+$/, '')
    .replace(/ < \S+$/, ' -')
    .replace(/^TOKEN=\$\((.*)\)$/, '$1')
    .replace(OURS, 'passkey ')
    .replaceAll('$APP', 'https://example.org')
    .replaceAll('3q2-7w…', CHALLENGE);
  const [name, ...argv] = words(own);
  expect(name).toBe('passkey');
  return argv;
}

/** The same command line with fewer cases and less time, where it runs most of the catalogue or a load. */
export function shortened(argv: readonly string[]): readonly string[] {
  const [command, ...given] = argv;
  if (command !== 'simulate') return argv;
  const less = given.map((word, index) =>
    word === 'login.*' ? 'login.challenge-used*' : given[index - 1] === '--duration' ? '100ms' : word,
  );
  const chooses = less.some((word, index) => CHOOSING.has(word) || (index === 0 && !/^(?:--|http:)/.test(word)));
  return [command, ...(chooses ? [] : ['register.origin-other-*', 'login.challenge-used*']), ...less];
}

/** Runs examples one after another in a folder that is prepared for them, beside the servers that their URLs mean. */
export async function openSitting(commands: string) {
  const cwd = await folderFor(commands);
  const places = new Map<string, string>();

  async function place(shown: string, open: () => Promise<string>): Promise<void> {
    if (!places.has(shown)) places.set(shown, await open());
  }

  /** Starts what an example takes for granted. */
  async function prepare(argv: readonly string[]): Promise<void> {
    for (const shown of argv.filter((word) => DATABASES.includes(word))) {
      await place(shown, async () => (await postgresServer()).newDatabase());
    }
    if (argv.includes('shop.yaml')) await place(SHOWN_URL, () => openShop(cwd));
    if (argv.includes('shop.yaml') && !argv.includes('--init-profile') && !existsSync(join(cwd, 'shop.yaml'))) {
      await runIn(cwd, ['simulate', '--init-profile', 'shop.yaml', '--har', 'recording.har']);
    }
    if (argv.includes('better-auth') || findsProfile(argv)) await place(SHOWN_URL, openBetterAuth);
    if (argv.includes('http://localhost:7277')) {
      for (const [variable, user] of Object.entries({ $ADA: 'User:1', $BOB: 'User:2' })) {
        await place(variable, async () => (await runIn(cwd, ['token', 'create', '--user', user])).stdout.trim());
      }
      await place('http://localhost:7277', () => openServer(cwd));
    }
  }

  return async (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> => {
    await prepare(argv);
    const { code, ...said } = await outcomeOf(
      argv.map((word) => places.get(word) ?? word),
      cwd,
      env,
    );
    const shown = (text: string) =>
      text
        .replaceAll(places.get(SHOWN_URL) ?? SHOWN_URL, SHOWN_URL)
        .replaceAll(cwd, '/srv/shop')
        // The user of the system, as wide as the e-mail address below it.
        .replaceAll(userInfo().username.padEnd(15), 'root'.padEnd(15))
        .replaceAll(/postgres:\/\/\S+\/test_\d+/g, SHOWN_DATABASE);
    return { code, stdout: shown(said.stdout), stderr: shown(said.stderr) };
  };
}

async function openBetterAuth(): Promise<string> {
  const { url, close } = await startBetterAuth();
  onTestFinished(close);
  return url;
}

/** A server of somebody's own, and a recording of it. */
async function openShop(cwd: string): Promise<string> {
  const { url, close } = await startFormServer();
  onTestFinished(close);
  await writeFile(join(cwd, 'recording.har'), JSON.stringify((await recordForms(url)).har()));
  return url;
}

async function openServer(cwd: string): Promise<string> {
  const { written, stop } = await untilItSays(['serve', '--log-level', 'silent', '--port', '0', '--no-open'], cwd);
  onTestFinished(async () => void (await stop()));
  const [, port] = /localhost:(\d+)/.exec(written.stdout + written.stderr) ?? [];
  return `http://localhost:${port}`;
}

/** Until its browser shows the page. */
async function browseBriefly(argv: readonly string[], cwd: string) {
  // A browser that is driven, and the check of a page, have tests of their own.
  const here = argv
    .filter((word) => !/^(?:--attach|\d+|--check|--flow|flow\.json)$/.test(word))
    .map((word) => (word.startsWith('http') ? 'http://localhost:9/' : word));
  if (!here.some((word) => word.startsWith('http'))) here.push('http://localhost:9/');
  return await untilItSays([...here, '--headless', '--browser', chromiumPath ?? 'chromium'], cwd, 'stderr');
}

/** Until it writes something, or ends. */
async function untilItSays(argv: readonly string[], cwd: string, from: 'stdout' | 'stderr' = 'stdout') {
  const { io, written } = fakeIo({ cwd, env: { PATH: process.env['PATH'] ?? '' } });
  const signals = io.signals as NodeJS.EventEmitter;
  const said = new Promise<void>((resolve) => void io[from].once('data', () => resolve()));
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

async function outcomeOf(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  if (argv[0] === 'doctor') return await outcomeOfDoctor(argv, cwd, env);
  if (argv[0] === 'exec') return await outcomeOfExec(argv, cwd);
  if (argv[0] === 'browse') return await (await browseBriefly(argv, cwd)).stop();
  // A port of its own, as that of the example may be taken.
  if (argv[0] === 'serve') return await (await untilItSays([...argv, '--port', '0', '--no-open'], cwd)).stop();
  if (argv.includes('--follow')) return await (await untilItSays(argv, cwd)).stop();
  // What is pasted may come without -.
  if (argv.includes('-') || (argv[0] === 'explain' && argv.length === 1)) {
    const { io, written, stdin } = fakeIo({ cwd });
    const pasted = argv[0] === 'fixture' ? await readFile(join(cwd, 'response.json'), 'utf8') : undefined;
    stdin.end(pasted ?? JSON.stringify({ challenge: CHALLENGE, rpId: 'example.org' }));
    return { code: await run(argv, io), ...written };
  }
  return await runIn(cwd, argv, env);
}

/** The hosts of the examples are a site on this machine, whose server has forgotten the app. */
async function outcomeOfDoctor(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const server = await startSimpleWebAuthn('', { rpId: 'shop.example', origins: ['https://shop.example', 'https://shop.test'] });
  onTestFinished(server.close);
  const { address, close } = await openSite({ '/login': GOOD['/'] ?? {} }, undefined, server.url);
  onTestFinished(close);
  await writeFile(join(cwd, 'root.pem'), ROOT);
  const hosts = ['shop.example', 'shop.test'].flatMap((host) => ['--resolve', `${host}=${address}`]);
  return await runIn(cwd, [...argv, ...hosts, '--ca', 'root.pem'], env);
}

/** Beside a project with a test of its own, and with this passkey on the path. */
async function outcomeOfExec(argv: readonly string[], cwd: string): Promise<Ran> {
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, scripts: { test: 'node --version' } }));
  await writeFile(join(cwd, 'passkey'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  return await runIn(cwd, argv, { PATH: [cwd, process.env['PATH']].join(delimiter) });
}

/** `simulate URL` */
const findsProfile = (argv: readonly string[]): boolean => argv.includes(SHOWN_URL) && !argv.includes('--url');

/** Exits 0, or 1 with the findings of a run against a server: no error of the command itself. */
export function expectSuccess(argv: readonly string[], { code, stderr }: Ran): void {
  const finds = argv.includes('--demo') || argv.includes('--target') || findsProfile(argv);
  expect({ code: finds && code === 1 ? 0 : code, stderr: stderr.match(/^passkey: .*/m) }).toEqual({ code: 0, stderr: null });
}
