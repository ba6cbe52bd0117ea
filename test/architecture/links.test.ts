import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  'fixtures/README.md',
  'src/relying-party/DIFFERENCES.md',
];
const pictures = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.png'))
  .map((name) => `docs/${name}`);
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

interface Link {
  /** From the root of the repository. */
  readonly page: string;
  readonly anchor: string | undefined;
}

/** The links of a page to pages and pictures of the repository. */
function linksOf(page: string): Link[] {
  const targets = [...textOf(page).matchAll(/\]\(([^()\s]+)\)|\bsrc(?:set)?="([^"\s]+)"/g)].map(
    ([, target, picture]) => target ?? picture ?? '',
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { page: path === '' ? page : join(dirname(page), path), anchor };
    });
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages of the repository', () => {
  test.each(pages)('%s links to pages and headings that are there', (page) => {
    const broken = linksOf(page).filter(
      (link) => !existsSync(join(ROOT, link.page)) || (link.anchor !== undefined && !anchorsOf(link.page).includes(link.anchor)),
    );
    expect(broken).toEqual([]);
  });

  test('lead from one packed page to another, except for the README: registries show that from the repository', () => {
    const { files }: { files: readonly string[] } = JSON.parse(textOf('package.json'));
    const isPacked = (path: string) =>
      ['README.md', ...files].findLast((entry) => `${path}/`.startsWith(`${entry.replace('!', '')}/`))?.startsWith('!') === false;
    const packed = pages.filter((page) => isPacked(page) && page !== 'README.md');
    expect(packed).toEqual(expect.arrayContaining(['SECURITY.md', 'docs/security.md', 'docs/reference/cli.md']));
    expect(packed.flatMap(linksOf).filter(({ page }) => !isPacked(page))).toEqual([]);
  });

  test('are all reached from the README', () => {
    const reached = new Set(['README.md']);
    // A set that grows is walked to its end.
    for (const page of reached) {
      for (const { page: linked } of linksOf(page)) if (pages.includes(linked)) reached.add(linked);
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  test('show every picture, and none of more than 250 kB', () => {
    const shown = new Set(pages.flatMap(linksOf).map(({ page }) => page));
    expect(pictures.length).toBeGreaterThan(0);
    expect(pictures.filter((picture) => !shown.has(picture) || statSync(join(ROOT, picture)).size > 250_000)).toEqual([]);
  });

  test('leave their pictures out of the package, where only the README shows any: registries show its pictures from the repository', () => {
    const { files } = JSON.parse(textOf('package.json'));
    expect(files).toEqual(expect.arrayContaining(['docs', '!docs/*.png']));
    const packed = pages.filter((page) => page.startsWith('docs/'));
    expect(packed.filter((page) => linksOf(page).some((link) => pictures.includes(link.page)))).toEqual([]);
  });
});
