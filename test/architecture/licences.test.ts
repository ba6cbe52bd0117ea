import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Packages that the sources pull into a bundle, asked of the bundler anew. */
async function bundledPackages(): Promise<string[]> {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('client/') && !file.endsWith('.d.ts'))
    .map((file) => join(root, 'src', file));
  const { metafile } = await build({
    entryPoints: sources,
    outdir: join(root, 'dist'),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    absWorkingDir: root,
  });
  const folders = Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

const headingOf = (folder: string) => {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})`;
};

describe('dist/THIRD-PARTY-LICENSES.txt', async () => {
  const text = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const packages = await bundledPackages();
  const headings = text
    .split(/^(?=\S+ \d\S* \(.+\)\n=+$)/m)
    .slice(1)
    .map((section) => /^(.+)\n=+\n\n([\s\S]*)/.exec(section) ?? [section]);
  const named = new Map(headings.map(([, heading = '', terms = '']) => [heading, terms]));

  test('there are packages to name', () => expect(packages).toContain('node_modules/fastify'));

  test.each(packages)('%s is named, with its terms', (folder) => {
    expect(named.get(headingOf(folder))?.trim().length ?? 0).toBeGreaterThan(100);
  });

  test('they stand in order, each once', () => {
    const order = headings.map(([, heading]) => heading ?? '');
    expect(order).toEqual([...new Set(order)].toSorted());
  });
});
