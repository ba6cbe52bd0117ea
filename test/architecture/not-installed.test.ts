import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

test.each([
  ['no package', false],
  ['half of the packages', true],
])('a clone with %s installed says what to run', async (_, isBegun) => {
  const clone = await mkdtemp(join(tmpdir(), 'passkey-clone-'));
  onTestFinished(() => rm(clone, { recursive: true }));
  await cp(join(ROOT, 'build/if-changed.mjs'), join(clone, 'build/if-changed.mjs'));
  await writeFile(join(clone, 'package.json'), '{}');
  if (isBegun) await mkdir(join(clone, 'node_modules/esbuild'), { recursive: true });
  await expect(promisify(execFile)(process.execPath, ['build/if-changed.mjs'], { cwd: clone })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The packages are not installed, or not all of them. Run npm ci first.\n',
  });
});
