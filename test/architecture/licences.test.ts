import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundledPackages, root } from './bundled-packages.js';

const headingOf = (folder: string) => {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})`;
};

describe('dist/THIRD-PARTY-LICENSES.txt', () => {
  const text = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const headings = text
    .split(/^(?=\S+ \d\S* \(.+\)\n=+$)/m)
    .slice(1)
    .map((section) => /^(.+)\n=+\n\n([\s\S]*)/.exec(section) ?? [section]);
  const named = new Map(headings.map(([, heading = '', terms = '']) => [heading, terms]));

  test('there are packages to name', () => expect(bundledPackages).toContain('node_modules/fastify'));

  test.each(bundledPackages)('%s is named, with its terms', (folder) => {
    expect(named.get(headingOf(folder))?.trim().length ?? 0).toBeGreaterThan(100);
  });

  test('they stand in order, each once', () => {
    const order = headings.map(([, heading]) => heading ?? '');
    expect(order).toEqual([...new Set(order)].toSorted());
  });

  test('what a package contains of others is named with it', () => {
    const tldts = bundledPackages.find((folder) => folder.endsWith('node_modules/tldts')) ?? '';
    expect(named.get(headingOf(tldts))).toMatch(/Public Suffix List[\s\S]*Mozilla Public License/);
  });
});
