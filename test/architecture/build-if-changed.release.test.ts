import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Counts how often it builds. */
const BUILD = `
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { noteBuild } from './build/if-changed.mjs';
mkdirSync('dist', { recursive: true });
writeFileSync('builds', (existsSync('builds') ? readFileSync('builds', 'utf8') : '') + 'x');
writeFileSync('dist/cli.js', readFileSync('src/a.ts'));
if (readFileSync('src/a.ts', 'utf8') === 'broken') process.exit(1);
await noteBuild(process.cwd());
`;

test('npm start and npm test build where a source, a package or the build itself is another, and only there', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'passkey-build-'));
  const change = (file: string, text: string) => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  };
  for (const name of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'bin/passkey.js']) change(name, '{}');
  change('esbuild.config.mjs', BUILD);
  change('src/a.ts', 'one');
  cpSync(resolve(import.meta.dirname, '../../build/if-changed.mjs'), join(checkout, 'build/if-changed.mjs'));
  const start = () => {
    const { status, stderr } = spawnSync(process.execPath, ['build/if-changed.mjs'], { cwd: checkout, encoding: 'utf8' });
    return { status, stderr, builds: readFileSync(join(checkout, 'builds'), 'utf8').length };
  };
  const ended = (builds: number, status = 0) => expect(start()).toEqual({ status, stderr: '', builds });

  ended(1);
  ended(1);
  change('src/new/b.ts', '');
  ended(2);
  change('dist/cli.js', 'edited');
  ended(3);
  rmSync(join(checkout, 'dist'), { recursive: true });
  ended(4);
  change('node_modules/.package-lock.json', '{ "another": true }');
  ended(5);
  change('src/a.ts', 'broken');
  ended(6, 1);
  ended(7, 1);
  rmSync(checkout, { recursive: true });
});
