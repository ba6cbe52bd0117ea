import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { describe, expect, test } from 'vitest';

/** Nothing but `dependencies` travels with the package: `overrides` and the lock file stay here. */

interface Locked {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Dependency {
  readonly by: string;
  readonly name: string;
  readonly range: string;
  readonly path: string;
}

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const manifest: { readonly engines: { readonly node: string }; readonly dependencies: Readonly<Record<string, string>> } =
  read('package.json');
const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = read('package-lock.json');

function locked(path: string): Locked {
  const entry = packages[path];
  if (entry === undefined) throw new Error(`expected ${path} in package-lock.json`);
  return entry;
}

/** Where Node finds `name` for the package at `path`: beside it, or above. */
function find(name: string, path: string): string {
  const here = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (here in packages) return here;
  if (path === '') throw new Error(`expected ${name} in package-lock.json`);
  return find(name, path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)));
}

function dependenciesOf(path: string): Dependency[] {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked(path);
  const peers = Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.entries(dependencies), ...peers].map(([name, range]) => ({
    by: path || 'the package',
    name,
    range,
    path: find(name, path),
  }));
}

/** What `npm install` of the package brings along, each dependency once for each package that asks for it. */
function installed(): Dependency[] {
  const found: Dependency[] = [];
  const seen = new Set(['']);
  for (const path of seen) {
    for (const dependency of dependenciesOf(path)) {
      found.push(dependency);
      seen.add(dependency.path);
    }
  }
  return found;
}

describe('an install of the package', () => {
  const dependencies = installed();

  test('is what the lock file says', () => {
    expect(locked('').dependencies).toEqual(manifest.dependencies);
    expect(dependencies.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
  });

  test('needs no overrides: every package gets a version that it asks for', () => {
    const bent = dependencies.filter(({ range, path }) => !satisfies(locked(path).version, range));
    expect(bent.map(({ by, name, range, path }) => `${by} wants ${name} ${range}, not ${locked(path).version}`)).toEqual([]);
  });

  test('runs on the oldest Node that the package takes', () => {
    const oldest = minVersion(manifest.engines.node) ?? '';
    const paths = [...new Set(dependencies.map(({ path }) => path))];
    const tooNew = paths.filter((path) => !satisfies(oldest, locked(path).engines?.node ?? '*'));
    expect(tooNew.map((path) => `${path} ${locked(path).version} wants Node ${locked(path).engines?.node}`)).toEqual([]);
  });
});
