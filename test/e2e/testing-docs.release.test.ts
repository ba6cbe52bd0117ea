import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject } from '../../src/kernel/json-value.js';
import { STRICT_OPTIONS } from '../architecture/consumer.js';
import { documentedProject, namedBlocks, runIn } from './documented-project.js';
import { ROOT } from './passkey-process.js';

const markdown = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
const files = namedBlocks(markdown, 'ts');
const packages = ['passkey-cli', '@better-auth/passkey', '@simplewebauthn/server', '@types/node', 'better-auth', 'typescript', 'vitest'];

describe('docs/testing.md', () => {
  test('has every block of code in a file of its own', () => {
    expect(markdown.match(/^```ts$/gm)).toHaveLength(files.size);
  });

  test('has examples that run as they stand', async () => {
    const folder = await documentedProject({ files, packages });
    const flags = ['--reporter=json', '--no-isolate', '--maxWorkers=1', '--testTimeout=60000'];
    const { stdout } = await runIn(folder, ['node_modules/vitest/vitest.mjs', 'run', ...flags]);
    const report = asObject(JSON.parse(stdout));
    expect(report, stdout).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.numPassedTests).toBeGreaterThan(50);
    expect(report.testResults).toHaveLength([...files.keys()].filter((name) => name.endsWith('.test.ts')).length);
  });

  test('has examples whose types fit without a cast', async () => {
    const folder = await documentedProject({ files, packages });
    const compilerOptions = {
      ...STRICT_OPTIONS,
      lib: [...STRICT_OPTIONS.lib, 'DOM.Iterable'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    expect(await runIn(folder, ['node_modules/typescript/bin/tsc', '-p', '.'])).toMatchObject({ stdout: '', code: 0 });
  });
});
