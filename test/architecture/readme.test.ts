import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passkeyHere, serveHere } from '../e2e/passkey-in-process.js';
import { collect, ROOT } from '../e2e/passkey-process.js';
import { browserAt } from '../e2e/relying-party-over-http.js';

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'passkey-readme-'));
  await passkeyHere(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada'], { cwd });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('the examples', () => {
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
    expect(body).toEqual({ ...shown, documentation: `${server.url}/docs/errors#origin_mismatch`, request_id: expect.any(String) });
    expect(await server.stop()).toBe(0);
  });
});
