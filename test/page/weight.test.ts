import { expect, test } from 'vitest';
import { html, js, later } from '../../generated/page.js';

const bytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

test('all scripts of the page together are less than 190 kB, and what draws it less than 131 kB', () => {
  const scripts = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(scripts).toContain('page.js');
  const atOnce = Object.entries(later).filter(([name]) => scripts.includes(`page/${name}`));
  expect(atOnce).toHaveLength(scripts.length - 1);
  expect(atOnce.length).toBeLessThan(Object.keys(later).length);
  expect(bytes([js, ...atOnce.map(([, text]) => text)])).toBeLessThan(131_000);
  expect(bytes([js, ...Object.values(later)])).toBeLessThan(190_000);
  // There are no others: every file that a script names is one of these, and no script is in the document itself.
  const named = [js, ...Object.values(later)].flatMap((text) => [...text.matchAll(/["'](?:\.|\.\.)?\/(?:page\/)?([\w-]+\.js)["']/g)]);
  expect(new Set(named.map(([, name = '']) => name))).toEqual(new Set(Object.keys(later)));
  expect(html.match(/<script/g)).toHaveLength(1);
});
