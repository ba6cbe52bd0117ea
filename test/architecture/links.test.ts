import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  'fixtures/README.md',
  'src/relying-party/DIFFERENCES.md',
];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

interface Link {
  /** From the root of the repository. */
  readonly page: string;
  readonly anchor: string | undefined;
}

/** The links of a page to pages of the repository. */
function linksOf(page: string): Link[] {
  const targets = [...textOf(page).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
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

  test('are all linked from the README, and each guide from another one', () => {
    const guides = pages.filter((page) => page.startsWith('docs/'));
    const fromReadme = linksOf('README.md').map(({ page }) => page);
    expect(guides.filter((guide) => !fromReadme.includes(guide))).toEqual([]);
    const fromGuides = guides.flatMap((guide) => linksOf(guide).flatMap(({ page }) => (page === guide ? [] : [page])));
    expect(guides.filter((guide) => guide !== 'docs/postgresql.md' && !fromGuides.includes(guide))).toEqual([]);
  });
});
