import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAaguid } from '../../src/webauthn/aaguid.js';
import { passkey, ROOT, serve } from '../e2e/passkey-process.js';
import { browserAt } from '../e2e/relying-party-over-http.js';
import { readExamples, shownPattern } from './readme-examples.js';

const blocks = readExamples(readFileSync(join(ROOT, 'README.md'), 'utf8'));
const env = { NO_COLOR: '1', COLUMNS: '80' };

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'passkey-readme-'));
  // The examples are written for somebody in a clone.
  cpSync(join(ROOT, 'fixtures'), join(cwd, 'fixtures'), { recursive: true });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Two registrations of the README's user, as somebody would make them between two of its blocks. */
async function registerTwice(): Promise<void> {
  const { stdout: token } = await passkey(['token', 'create', '--user', 'ada@example.com'], { cwd });
  const server = await serve(['--log-level', 'silent'], { cwd });
  for (const aaguid of ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4']) {
    const { status } = await browserAt(server.url, token.trim(), { aaguid: parseAaguid(aaguid) }).register();
    expect(status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
}

describe('the examples of the README', () => {
  test('there are some', () => {
    expect(blocks.flat().length).toBeGreaterThan(5);
  });

  for (const block of blocks) {
    const listing = block.some(({ command }) => command.join(' ') === 'passkey list');
    if (listing) test('two passkeys are registered meanwhile', registerTwice);
    for (const { line, command, shown } of block) {
      test(`line ${line}: ${command.join(' ')}`, async () => {
        const [name, ...argv] = command;
        expect(name, 'the examples run passkey only').toBe('passkey');
        const { stdout, stderr } = await passkey(argv, { cwd, env });
        expect(stdout + stderr).toMatch(shownPattern(shown));
      });
    }
  }
});
