import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';
import { quick, share } from '../thorough.js';

/** Texts of modules that no short command may load. */
const HEAVY = {
  server: 'FST_ERR_BAD_URL',
  verification: 'Unexpected registration response origin',
  prompts: 'User force closed the prompt',
  'the public suffix list': 'blogspot',
  PostgreSQL: 'pg-native',
  'the test page': 'color-scheme:light dark',
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a command line prints, and which of HEAVY it loads. */
function load(...words: readonly string[]) {
  const folder = temporaryFolder();
  const env = { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage'), PASSKEY_STORE: join(folder, 'none.json') };
  const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/passkey.js'), ...words], { cwd: folder, env, encoding: 'utf8' });
  const scripts = readdirSync(join(folder, 'coverage')).flatMap((name): readonly { readonly url: string }[] => {
    return JSON.parse(readFileSync(join(folder, 'coverage', name), 'utf8')).result;
  });
  const files = scripts.filter(({ url }) => url.includes('/dist/')).map(({ url }) => fileURLToPath(url));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const heavy = Object.entries(HEAVY).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []));
  return { stdout, stderr, heavy, files };
}

describe('start-up', () => {
  quick('each mark is in the build', () => {
    const chunks = join(ROOT, 'dist/chunks');
    const built = readdirSync(chunks).map((file) => readFileSync(join(chunks, file), 'utf8'));
    expect(Object.entries(HEAVY).filter(([, mark]) => !built.some((text) => text.includes(mark)))).toEqual([]);
  });

  test.each(
    share(['list', 'show 1', 'revoke 1 --yes', 'purge --older-than 30d --yes', 'user list', 'token create --user ada@example.com'], 3),
  )('passkey %s loads nothing heavy before it finds no store', (words) => {
    expect(load(...words.split(' '))).toMatchObject({ stderr: expect.stringContaining('none.json'), heavy: [] });
  });

  quick('passkey --help loads no command', () => {
    const { stdout, heavy, files } = load('--help');
    expect([stdout.includes('\nUsage: passkey '), heavy]).toEqual([true, []]);
    expect(files.filter((file) => /list-|json-file-/.test(file))).toEqual([]);
  });

  quick('passkey explain loads what verifies, and neither a server nor prompts', () => {
    const { stdout, heavy } = load('explain', join(ROOT, 'fixtures/recorded/login-synced.json'));
    expect([stdout.includes('Library  accepted'), heavy]).toEqual([true, ['verification', 'the public suffix list']]);
  });
});
