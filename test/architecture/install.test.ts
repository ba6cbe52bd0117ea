import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { describe, expect, test } from 'vitest';

/** The bundle holds all that the package runs, so that installing it adds no other package. */

interface Locked {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

interface Manifest {
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const manifest: Manifest = read('package.json');
const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = read('package-lock.json');

describe('an install of the package', () => {
  test('adds no other package', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies']) expect(manifest).not.toHaveProperty(kind);
    expect(packages['']).not.toHaveProperty('dependencies');
    expect(Object.entries(manifest.peerDependenciesMeta)).toEqual(
      Object.keys(manifest.peerDependencies).map((name) => [name, { optional: true }]),
    );
  });

  test.each(Object.entries(manifest.peerDependencies))('takes the %s that it is built with, on the oldest Node', (name, range) => {
    const { version, engines } = packages[`node_modules/${name}`] ?? { version: 'none' };
    expect(satisfies(version, range)).toBe(true);
    expect(satisfies(minVersion(manifest.engines.node) ?? '', engines?.node ?? '*')).toBe(true);
  });

  test('runs nothing that is not in it: its modules import Node and one another', () => {
    const dist = join(root, 'dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    const imports = files.flatMap((file) => {
      const text = readFileSync(join(dist, file), 'utf8');
      const statements = text.matchAll(/(?:^|[;}\n])(?:import|export)\s*(?:[\w*{][\w\s*{},$]*?\bfrom\s*)?"([^"\s]+)"/g);
      const calls = text.matchAll(/\bimport\("([^"\s]+)"\)/g);
      return [...statements, ...calls].map(([, to = '']) => to);
    });
    expect(imports.length).toBeGreaterThan(100);
    // The errors are one module for all entry points, by the name of the package itself.
    expect([...new Set(imports)].filter((to) => !/^(?:\.|node:|passkey-cli\/errors$)/.test(to)).filter((to) => !isBuiltin(to))).toEqual([]);
  });
});
