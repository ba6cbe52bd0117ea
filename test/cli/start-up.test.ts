import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** Everything that importing a module imports at once: its own files, and the packages they name. Dynamic imports wait. */
async function staticImports(file: string, seen = new Set<string>(), packages = new Set<string>()) {
  if (seen.has(file)) return { seen, packages };
  seen.add(file);
  const source = await readFile(file, 'utf8');
  for (const [, clause = '', specifier = ''] of source.matchAll(/^(?:import|export)\s+([^;'"]*?\sfrom\s+)?['"]([^'"]+)['"];/gms)) {
    if (clause.startsWith('type ')) continue;
    if (specifier.startsWith('.')) await staticImports(join(file, '..', specifier.replace(/\.js$/, '.ts')), seen, packages);
    else packages.add(specifier);
  }
  return { seen, packages };
}

describe('start-up', () => {
  test('of --version and --help loads commander and nothing else that is heavy', async () => {
    const { seen, packages } = await staticImports(join(SRC, 'cli/main.ts'));
    expect([...packages].filter((name) => !name.startsWith('node:')).sort()).toStrictEqual(['commander']);
    const files = [...seen].map((file) => file.slice(SRC.length + 1));
    // The settings say what a recording may be called.
    expect(files.filter((file) => !/^(?:cli|webauthn)\//.test(file)).sort()).toStrictEqual(['errors.ts', 'fixture/name.ts']);
  });

  test('of list loads no server and no verification', async () => {
    const { seen, packages } = await staticImports(join(SRC, 'cli/commands/list.ts'));
    for (const name of ['fastify', 'inquirer', '@simplewebauthn/server', 'lowdb', 'pino', 'open', 'tldts']) {
      expect(packages).not.toContain(name);
    }
    const steps = [...seen].map((file) => file.slice(SRC.length + 1)).filter((file) => file.startsWith('relying-party/steps/'));
    expect(steps).toStrictEqual([]);
  });
});
