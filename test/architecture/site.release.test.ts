import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

const SITE = join(ROOT, 'dist-docs');
const read = (page: string): string => readFileSync(join(SITE, page), 'utf8');

/** The links of a page to places of the site that are not there. */
function brokenLinks(page: string): string[] {
  const links = [...read(page).matchAll(/<a [^>]*href="(?![a-z]+:)([^"]*)"/g)].map(([, href = '']) => href);
  return links.filter((href) => {
    const [path = '', anchor] = decodeURIComponent(href).split('#');
    const place = path === '' ? page : path.startsWith('/') ? path : join(dirname(page), path);
    const file = [place, join(place, 'index.html'), `${place}.html`].find((each) => each.endsWith('.html') && existsSync(join(SITE, each)));
    return file === undefined || (anchor !== undefined && anchor !== '' && !read(file).includes(`id="${anchor}"`));
  });
}

test('npm run docs builds a site whose links and anchors are all there, with search and dark mode', () => {
  const { status, stdout, stderr } = spawnSync('npm run docs', { cwd: ROOT, shell: true, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(25);
  expect(pages.flatMap((page) => brokenLinks(page).map((href) => `${page}: ${href}`))).toEqual([]);
  expect(read('docs/README.html')).toMatch(/VPSwitchAppearance/);
  expect(read('docs/README.html')).toMatch(/VPNavBarSearch/);
  // Each page has its Markdown beside it, and a list names them for language models.
  expect(
    pages.filter((page) => !existsSync(join(SITE, page.replace(/\.html$/, '.md'))) && page !== '404.html' && page !== 'index.html'),
  ).toEqual([]);
  const links = [...read('llms.txt').matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path);
  expect(links).toEqual(expect.arrayContaining(['docs/simulate.md', 'docs/explain.md', 'docs/agents.md']));
  expect(links.filter((path) => !existsSync(join(SITE, path)))).toEqual([]);
});
