import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>;
};

/** `./webauthn/*` stands for every module of the part. */
const specifiers = Object.entries(manifest.exports).flatMap(([name, target]) => {
  if (typeof target === 'string') return [];
  if (!name.includes('*')) return [{ name, ...target }];
  const part = name.slice(2, -2);
  return readdirSync(join(root, 'src', part))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -3))
    .map((module) => ({
      name: name.replace('*', module),
      types: target.types.replace('*', module),
      default: target.default.replace('*', module),
    }));
});

/** What each entry point is there for. */
const GIVES: Record<string, readonly string[]> = {
  './authenticator': ['createAuthenticator'],
  './client': ['createClient'],
  './errors': ['PasskeyError', 'ERRORS'],
  './explain': ['explain', 'explainAll', 'annotate'],
  './relying-party': ['createRelyingParty'],
  './server': ['buildApp'],
  './server/listen': ['listen'],
  './simulate': ['simulate'],
  './store': ['openStore'],
};

describe('the entry points of the package', () => {
  test.each(specifiers)('$name is built, with its types', ({ types, default: file }) => {
    expect([existsSync(join(root, types)), existsSync(join(root, file))]).toEqual([true, true]);
  });

  test.each(Object.entries(GIVES))('%s gives %j to whoever imports the package', (name, members) => {
    const script = `import * as entry from ${JSON.stringify(`passkey-cli${name.slice(1)}`)};console.log(JSON.stringify(Object.keys(entry)))`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual(expect.arrayContaining([...members]));
  });

  test('the JSON Schemas of the package are written', () => {
    const schemas = readdirSync(join(root, 'dist/schemas'));
    expect(schemas).toEqual(expect.arrayContaining(['passkey-fixture-1.schema.json', 'list.schema.json']));
    for (const file of schemas) expect(JSON.parse(readFileSync(join(root, 'dist/schemas', file), 'utf8'))).toHaveProperty('type');
  });
});

describe('start-up', () => {
  test.each<[string, readonly string[]]>([
    ['cli/main.js', ['FST_ERR_BAD_URL', 'lowdb', 'verifyRegistrationResponse', 'fastify-plugin']],
    // An assertion on a tree or on options needs no verification.
    ['explain.js', ['FST_ERR_BAD_URL', 'lowdb', 'Unexpected registration response origin']],
  ])('%s loads none of the heavy libraries', (entry, marks) => {
    // Every static import of the entry, followed through the chunks.
    const dist = join(root, 'dist');
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, to] of text.matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[^'"();]*?from\s*)?"(\.[^"]+)"/g))
        visit(resolve(dirname(file), to ?? ''));
    };
    visit(join(dist, entry));
    expect(seen.size).toBeGreaterThan(1);
    const text = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const chunks = readdirSync(join(dist, 'chunks')).map((file) => join(dist, 'chunks', file));
    const [loaded, built] = [text([...seen]), text(chunks)];
    for (const mark of marks) {
      expect([mark, built.includes(mark), loaded.includes(mark)]).toEqual([mark, true, false]);
    }
  });
});
