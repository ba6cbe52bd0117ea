// `npm test` passes in other environments than its author's: the tests that depend on them run in each.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runVitest } from './runner/vitest.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** They start processes, print in colour, write files with rights, ask on a terminal, or wait for a browser. */
const AFFECTED = [
  'test/architecture/readme.test.ts',
  'test/cli/ask.test.ts',
  'test/cli/start-up.test.ts',
  'test/e2e/exec.test.ts',
  'test/e2e/page-ceremony.test.ts',
  'test/store/json-file.test.ts',
  'test/testing/start-server.test.ts',
];
const COMPLETION = ['--config', 'vitest.release.config.ts', 'test/e2e/completion.release.test.ts'];

const LOCALE = /^(?:LANG|LANGUAGE|LC_.*)$/;
const withoutLocale = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !LOCALE.test(name)));

const ENVIRONMENTS = {
  'TERM=xterm-256color': (run) => run({ env: { ...process.env, TERM: 'xterm-256color' } }),
  'TERM=dumb': (run) => run({ env: { ...process.env, TERM: 'dumb' } }),
  'FORCE_COLOR=1': (run) => run({ env: { ...process.env, FORCE_COLOR: '1' } }),
  'no locale': (run) => run({ args: COMPLETION, env: withoutLocale() }),
  'umask 077': async (run) => {
    const before = process.umask(0o077);
    try {
      return await run();
    } finally {
      process.umask(before);
    }
  },
  'a path with a space': async (run) => {
    const folder = await mkdtemp(join(tmpdir(), 'passkey with a space '));
    try {
      await cp(ROOT, folder, { recursive: true, filter: (source) => !['.git', 'node_modules'].includes(basename(source)) });
      await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      return await run({ root: folder });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  'a load of four': async (run) => {
    const busy = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    try {
      return await run();
    } finally {
      for (const process of busy) process.kill('SIGKILL');
    }
  },
};

/** @param {(line: string) => void} say */
export async function run(say) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, use] of Object.entries(ENVIRONMENTS)) {
    const counts = await use((options) =>
      runVitest({ args: AFFECTED, ...options }, (line) => say(line.replace('FAILED: ', `FAILED: ${name}: `))),
    );
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return total;
}
