import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSittings, shownPattern, words } from '../cli/examples/markdown.js';
import { freePort } from '../store/postgres-server.js';
import { startAspNet } from '../targets/aspnet.js';
import type { Target } from '../targets/http.js';
import { startLaravel } from '../targets/laravel.js';
import { startSpringSecurity } from '../targets/spring-security.js';
import { startWebauthnRs } from '../targets/webauthn-rs.js';
import { until } from '../until.js';
import { documentedProject, namedBlocks } from './documented-project.js';
import { passkey, ROOT } from './passkey-process.js';

const read = (name: string): string => readFileSync(join(ROOT, 'docs/quick-start', name), 'utf8');
const shared = read('README.md');
const PAGES = readdirSync(join(ROOT, 'docs/quick-start')).filter((name) => name !== 'README.md');

/** Environment of Debian's packages: paths of Go, a stand-in for py_webauthn, and what the gem of Rails lacks. */
const DEBIAN = {
  GOPATH: '/usr/share/gocode',
  GO111MODULE: 'off',
  PYTHONPATH: join(ROOT, 'test/e2e/quick-start/py-webauthn'),
  PYTHONDONTWRITEBYTECODE: '1',
  RUBYOPT: `-r${join(ROOT, 'test/e2e/quick-start/rails.rb')}`,
};

/** Commands that succeed where a page finds its tools, which Debian has. */
const TOOLS: Readonly<Record<string, readonly [program: string, ...argv: string[]]>> = {
  'go.md': ['go', 'list', 'github.com/duo-labs/webauthn/webauthn'],
  'flask.md': ['/usr/bin/python3', '-c', 'import fido2.ctap2, flask'],
  'fastapi.md': ['/usr/bin/python3', '-c', 'import fastapi, itsdangerous, uvicorn, webauthn'],
  'django.md': ['/usr/bin/python3', '-c', 'import django, webauthn'],
  'rails.md': ['ruby', '-raction_controller/railtie', '-rpuma', '-e', ''],
};

function hasTools(page: string): boolean {
  const [program, ...argv] = TOOLS[page] ?? [process.execPath, '--version'];
  return spawnSync(program, argv, { env: { ...process.env, ...DEBIAN } }).status === 0;
}

/** Servers of the same shape, for pages whose toolchain is neither in npm nor in Debian: with the mistake, and without. */
const SHAPES: Readonly<Record<string, (mended: boolean) => Promise<Target>>> = {
  'aspnet.md': startAspNet,
  'laravel.md': (mended) => startLaravel(mended ? 'database' : 'cookie'),
  'rust.md': startWebauthnRs,
  'spring-security.md': (mended) => startSpringSecurity({ changesSession: mended }),
};

/** The files of a page, as Debian's packages need them; the first is the server. */
function readFiles(page: string): readonly (readonly [string, string])[] {
  const inDebian = (text: string) =>
    text
      .replaceAll('github.com/go-webauthn/webauthn/', 'github.com/duo-labs/webauthn/')
      .replace(/RPOrigins:(.*)\[\]string\{origin\}/, 'RPOrigin:$1origin');
  const files = ['js', 'go', 'python', 'ruby', 'rust', 'java', 'csharp', 'ini'].flatMap((language) => [...namedBlocks(page, language)]);
  return files.map(([name, text]) => [name, inDebian(text)]);
}

/** An empty folder after the first steps of a page, with the packages of the registry. */
async function follow(page: string): Promise<string> {
  const [profile = ''] = /(?<=```json\n)[^]*?(?=```)/.exec(page + shared) ?? [];
  const [, library = page.includes('without its line `library`') ? '' : undefined] = /^`("library": .*)`\.$/m.exec(page) ?? [];
  const shop = library === undefined ? profile : profile.replace(/"library": .*/, library);
  const files = new Map([...readFiles(shared), ...readFiles(page), ['shop.json', shop]]);
  const folder = await documentedProject({ files, packages: [] });
  const [, packages] = /^npm install (.*) passkey-cli$/m.exec(page) ?? [];
  if (packages === undefined) return folder;
  const { status, stderr } = spawnSync(`npm install --no-audit --no-fund --prefer-offline ${packages}`, { cwd: folder, shell: true });
  expect(status, String(stderr)).toBe(0);
  return folder;
}

/** Runs the commands with which a page starts its server, or starts one of the same shape. */
async function start(name: string, cwd: string, mended: boolean): Promise<Target> {
  const shape = await SHAPES[name]?.(mended);
  if (shape !== undefined) {
    onTestFinished(shape.close);
    return shape;
  }
  const page = read(name);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const commands = /Start it with `(.*)`/.exec(page)?.[1]?.split(' && ') ?? [];
  const argvs = commands.map((command) =>
    words(
      command
        .replace(/^npx next/, 'node node_modules/next/dist/bin/next')
        .replace(/^python3/, '/usr/bin/python3')
        .replace('3000', String(port)),
    ),
  );
  const env = { ...process.env, ...DEBIAN, PORT: String(port) };
  for (const [program = '', ...argv] of argvs.slice(0, -1)) expect(spawnSync(program, argv, { cwd, env }).status).toBe(0);
  const [program = '', ...argv] = argvs.at(-1) ?? [];
  const server = spawn(program, argv, { cwd, env, stdio: 'ignore' });
  onTestFinished(() => void server.kill('SIGKILL'));
  await until(async () => (await fetch(`${url}/me`).catch(() => undefined)) !== undefined);
  return { url, close: async () => void server.kill('SIGKILL') };
}

/** The text with the lines of a diff changed. */
function applyDiff(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const side = (other: string) =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => line.slice(1))
      .join('\n');
  expect(text).toContain(side('+'));
  return text.replace(side('+'), () => side('-'));
}

describe('docs/quick-start', () => {
  test.for(PAGES)('%s goes from an empty folder to a red and a green run', async (name, { skip }) => {
    skip(!hasTools(name), `What ${name} needs of Debian is not installed.`);
    const page = read(name);
    const cwd = await follow(page);
    const examples = readSittings(page).flatMap((sitting) => sitting.examples);
    expect(examples).toHaveLength(2);
    for (const [index, { command, shown }] of examples.entries()) {
      if (index === 1) {
        const [diff = ''] = /(?<=```diff\n)[^]*?(?=```)/.exec(page) ?? [];
        const [[file, text] = ['', '']] = readFiles(page);
        writeFileSync(join(cwd, file), applyDiff(text, diff));
      }
      const { url, close } = await start(name, cwd, index === 1);
      const [, , ...argv] = words(command.replace('http://localhost:3000', url));
      const { code, stdout, stderr } = await passkey(argv, { cwd });
      await close();
      expect((stdout + stderr).replaceAll(url, 'http://localhost:3000')).toMatch(shownPattern(shown));
      expect(code).toBe(index === 0 ? 1 : 0);
    }
  });
});
