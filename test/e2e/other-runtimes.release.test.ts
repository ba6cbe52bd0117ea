import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from './passkey-process.js';

/** From npm; each brings its program as a package of the platform. */
const RUNTIMES = {
  'bun@1.4.5': { name: '@oven/bun-linux-x64/bin/bun', before: [] },
  'deno@2.9.6': { name: '@deno/linux-x64-glibc/deno', before: ['run', '--allow-all'] },
};

describe.runIf(process.platform === 'linux' && process.arch === 'x64').each(Object.entries(RUNTIMES))('%s', (spec, { name, before }) => {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-runtime-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let program = '';
  beforeAll(() => {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder, spec]);
    program = createRequire(join(folder, 'package.json')).resolve(name);
  });

  test.each([
    { line: ['serve', '--help'], prints: 'Usage: passkey serve' },
    { line: ['explain', 'fixtures/recorded/login-synced.json'], prints: 'Verdict  accepted' },
    { line: ['simulate', 'login.signature-bit'], prints: 'as expected; against the server in process' },
  ])('runs passkey $line', ({ line, prints }) => {
    const words = [...before, 'bin/passkey.js', ...line];
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: ROOT, encoding: 'utf8', timeout: 120_000, killSignal: 'SIGKILL' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: expect.stringContaining(prints), stderr: '' });
  });
});
