import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectOf } from '../../src/webauthn/json-value.js';

const root = resolve(import.meta.dirname, '../..');
const markdown = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const execute = promisify(execFile);

/** The blocks of code, each a file that its first line names. */
const files = [...markdown.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({ name, text }));
const tests = files.filter(({ name }) => name.endsWith('.test.ts')).map(({ name }) => name);

/** What somebody has installed who follows the page. */
const INSTALLED = ['@better-auth/passkey', '@simplewebauthn/server', '@types/node', 'better-auth', 'typescript', 'vitest'];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'passkey-docs-'));
  for (const name of INSTALLED) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  symlinkSync(root, join(folder, 'node_modules/passkey-cli'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'documented', type: 'module' }));
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program of the installed packages prints, also when it fails. */
async function run(file: string, ...args: readonly string[]): Promise<string> {
  const ended = execute(process.execPath, [join(root, 'node_modules', file), ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return ended.then(
    ({ stdout }) => stdout,
    (error: unknown) => String(objectOf(error).stdout ?? error),
  );
}

describe('docs/testing.md', () => {
  test('has every block of code in a file of its own', () => {
    expect(tests).toHaveLength(7);
    expect(markdown.match(/^```ts$/gm)).toHaveLength(files.length);
  });

  test('has examples that run as they stand', async () => {
    const output = await run('vitest/vitest.mjs', 'run', '--reporter=json', '--no-isolate', '--maxWorkers=1', '--testTimeout=60000');
    const report = objectOf(JSON.parse(output));
    expect(report, output).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.numPassedTests).toBeGreaterThan(50);
    expect(report.testResults).toHaveLength(tests.length);
  });

  test('has examples whose types fit without a cast', async () => {
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2023',
      lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
      types: ['node'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    expect(await run('typescript/bin/tsc', '-p', 'tsconfig.json')).toBe('');
  });
});
