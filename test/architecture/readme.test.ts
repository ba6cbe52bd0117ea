import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAaguid } from '../../src/webauthn/aaguid.js';
import { passkeyHere, serveHere } from '../e2e/passkey-in-process.js';
import { collect, ROOT } from '../e2e/passkey-process.js';
import { browserAt } from '../e2e/relying-party-over-http.js';
import { MISTAKES, recordRefusedLogin } from '../explain/refused-logins.js';
import { readExamples, shownPattern } from './readme-examples.js';

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
/** In this order: the examples of `explain` and `simulate` stand on nothing. */
const PAGES = ['README.md', 'docs/serve.md', 'docs/explain.md', 'docs/simulate.md'];
const examples = PAGES.map((page) => ({ page, blocks: readExamples(read(page)) }));
const env = { NO_COLOR: '1', COLUMNS: '80' };

let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'passkey-readme-'));
  writeFileSync(join(cwd, 'login.har'), (await recordRefusedLogin(MISTAKES['wrong expected origin'])).har);
  // The examples are written for somebody in a clone.
  cpSync(join(ROOT, 'fixtures'), join(cwd, 'fixtures'), { recursive: true });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Two registrations of the user of docs/serve.md, as a reader would make them between two of its blocks. */
async function registerTwice(): Promise<void> {
  const { stdout: token } = await passkeyHere(['token', 'create', '--user', 'ada@example.com'], { cwd });
  const server = await serveHere(['--log-level', 'silent'], { cwd });
  for (const aaguid of ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4']) {
    const { status } = await browserAt(server.url, token.trim(), { aaguid: parseAaguid(aaguid) }).register();
    expect(status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
}

// In the order of the page: each example stands on those before it.
describe('the examples', { shuffle: false }, () => {
  for (const { page, blocks } of examples) {
    test(`of ${page}: there are some`, () => expect(blocks).not.toEqual([]));
    for (const block of blocks) {
      const listing = block.some(({ command }) => command.join(' ') === 'passkey list');
      if (listing) test('two passkeys are registered meanwhile', registerTwice);
      for (const { line, command, shown } of block) {
        test(`${page}, line ${line}: ${command.join(' ')}`, async () => {
          const argv = command.slice(command[0] === 'npx' ? 2 : 1);
          expect(command.slice(0, -argv.length).join(' '), 'the examples run passkey only').toMatch(/^(?:npx passkey-cli|passkey)$/);
          const { stdout, stderr } = await passkeyHere(argv, { cwd, env });
          expect(stdout + stderr).toMatch(shownPattern(shown));
        });
      }
    }
  }

  test('the library example runs as it stands', async () => {
    const library = read('docs/library.md');
    const [snippet = ''] = library.match(/(?<=```js\n)import \{ createAuthenticator[\s\S]*?(?=```)/) ?? [];
    const { stdout: token } = await passkeyHere(['token', 'create', '--user', 'ada@example.com'], { cwd });
    const server = await serveHere(['--log-level', 'silent'], { cwd });
    const script = snippet.replace('http://localhost:7277', server.url);
    expect(script).not.toBe(snippet);
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      env: { ...process.env, TOKEN: token.trim() },
    });
    const { stdout, stderr } = await collect(child);
    expect([stdout.trim(), stderr]).toEqual(["{ user: { id: 1, name: 'Ada', email: 'ada@example.com' } }", '']);
    expect(library).toContain(stdout.trim());
    expect(await server.stop()).toBe(0);
  });

  test('the problem document is what the server answers', async () => {
    const [text = ''] = read('docs/serve.md').match(/(?<=```json\n)\{\n {2}"type": "urn:passkey:problem[\s\S]*?(?=```)/) ?? [];
    const { stdout: token } = await passkeyHere(['token', 'create', '--user', 'ada@example.com'], { cwd });
    const server = await serveHere(['--log-level', 'silent'], { cwd });
    const { body } = await browserAt(server.url, token.trim(), {}, { origin: 'https://app.example.com:8443' }).register();
    const shown = JSON.parse(text);
    expect(body).toEqual({ ...shown, request_id: expect.any(String) });
    expect(await server.stop()).toBe(0);
  });
});
