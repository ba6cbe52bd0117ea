import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Holds exports of src to be used by another file of src; `public.ts` of each part counts as a user. */

const root = resolve(import.meta.dirname, '../..');

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function readSources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => ({ path: join(root, folder, name), text: readFileSync(join(root, folder, name), 'utf8') }));
}

const sources = readSources('src');
const build = [
  { path: join(root, 'esbuild.config.mjs'), text: readFileSync(join(root, 'esbuild.config.mjs'), 'utf8') },
  ...readSources('build'),
];
/** Files that the build opens by name. */
const entries = new Set(
  build.flatMap(({ text }) => [...text.matchAll(/'(?:src\/)?([\w/-]+\.tsx?)'/g)].map(([, path = '']) => join(root, 'src', path))),
);

const EXPORT = /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;
const STATIC = /(?:import|export)\s+(?:type\s+)?([^;'"]*?)\s+from\s+'(\.[^']+)'/g;
const DYNAMIC = /import\('(\.[^']+)'\)/g;

const byModule = new Map(sources.map(({ path }) => [path.replace(/\.tsx?$/, ''), path]));

/** The names that some files take from each file of src; `*` where one takes all. A dynamic import takes every name that its file mentions. */
function collectUses(files: readonly SourceFile[]): ReadonlyMap<string, { readonly names: Set<string>; readonly texts: string[] }> {
  const uses = new Map<string, { readonly names: Set<string>; readonly texts: string[] }>();
  const of = (from: string, specifier: string) => {
    const path = resolve(dirname(from), specifier).replace(/\.js$/, '');
    const target = byModule.get(path) ?? path;
    const found = uses.get(target) ?? { names: new Set<string>(), texts: [] };
    uses.set(target, found);
    return found;
  };
  for (const { path, text } of files) {
    for (const [, clause = '', specifier = ''] of text.matchAll(STATIC)) {
      const { names } = of(path, specifier);
      if (clause.includes('*')) names.add('*');
      for (const part of /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? []) {
        names.add(
          part
            .replace(/^\s*type\s+/, '')
            .trim()
            .split(' as ')[0] ?? '',
        );
      }
    }
    for (const [, specifier = ''] of text.matchAll(DYNAMIC)) of(path, specifier).texts.push(text);
  }
  return uses;
}

function findUnused(files: readonly SourceFile[]): string[] {
  const uses = collectUses(files);
  return sources
    .filter(({ path }) => !path.endsWith('public.ts') && !entries.has(path))
    .flatMap(({ path, text }) => {
      const { names, texts } = uses.get(path) ?? { names: new Set<string>(), texts: [] };
      const isUsed = (name: string) => names.has('*') || names.has(name) || texts.some((user) => new RegExp(`\\b${name}\\b`).test(user));
      return [...text.matchAll(EXPORT)].flatMap(([, name = '']) => (isUsed(name) ? [] : [`${path.slice(root.length + 1)}: ${name}`]));
    });
}

test('every export is used by another file', () => {
  const users = [
    ...sources,
    ...['test', 'bench', 'build', 'packaging'].flatMap((folder) => (hasFolder(folder) ? readSources(folder) : [])),
  ];
  expect(findUnused(users)).toEqual([]);
});

test('few exports are there for tests alone', () => {
  // To be lowered: a test goes through what the package does.
  expect(findUnused(sources).length).toBeLessThanOrEqual(75);
});

function hasFolder(name: string): boolean {
  return readdirSync(root).includes(name);
}
