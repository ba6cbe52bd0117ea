import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { expect } from 'vitest';
import { DEMO_CASES, findLine, SHOP_FILE, targetShop, WRONG_LINES } from '../../src/simulate/demo/demo.js';
import { simulate } from '../../src/simulate/simulate.js';
import { tempFolder } from '../cli/temp-folder.js';
import { quick, thorough } from '../thorough.js';

const root = join(import.meta.dirname, '../..');
const source = await readFile(join(root, SHOP_FILE), 'utf8');
const causes = WRONG_LINES.map(({ cause }) => cause);

/** Runs the demo against the shop with some of its lines corrected. It finds its packages by the link, so that they are loaded once. */
async function runDemo(corrected: typeof WRONG_LINES, ids = DEMO_CASES) {
  const contents = corrected.reduce((text, { wrong, right }) => text.replace(wrong, right), source);
  const folder = await tempFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const file = join(folder, 'shop.mjs');
  await writeFile(file, (await transform(contents, { loader: 'ts' })).code);
  const { openShop }: typeof import('../../src/simulate/demo/shop.js') = await import(pathToFileURL(file).href);
  const shop = await openShop();
  const report = await simulate({ fixtures: [], select: { ids }, target: targetShop(shop.url), version: '0' }).finally(shop.close);
  return { causes: report.findings.map(({ cause }) => cause), failed: report.results.filter(({ status }) => status !== 'passed') };
}

quick('the shop of the demo has three findings, one for each line that is called wrong, and its right lines end them', async () => {
  for (const line of WRONG_LINES) {
    expect(source.split('\n')[findLine(source, line) - 1]?.trim()).toBe(line.wrong);
    expect(source.split(line.wrong)).toHaveLength(2);
  }
  expect((await runDemo([])).causes).toEqual(causes);
  expect(await runDemo(WRONG_LINES)).toEqual({ causes: [], failed: [] });
});

thorough.each(WRONG_LINES)('the right line alone ends its finding, and no other: $cause', async (line) => {
  expect((await runDemo([line])).causes).toEqual(causes.filter((cause) => cause !== line.cause));
});
