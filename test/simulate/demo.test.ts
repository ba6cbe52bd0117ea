import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { DEMO_CASES, findLine, SHOP_FILE, targetShop, WRONG_LINES } from '../../src/simulate/demo/demo.js';
import { simulate } from '../../src/simulate/simulate.js';
import { tempFolder } from '../cli/temp-folder.js';

const root = join(import.meta.dirname, '../..');
const source = await readFile(join(root, SHOP_FILE), 'utf8');
const causes = WRONG_LINES.map(({ cause }) => cause);

/** Runs the demo against the shop with some of its lines corrected. */
async function runDemo(corrected: typeof WRONG_LINES, ids = DEMO_CASES) {
  const contents = corrected.reduce((text, { wrong, right }) => text.replace(wrong, right), source);
  const file = join(await tempFolder(), 'shop.mjs');
  const banner = { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' };
  const stdin = { contents, loader: 'ts', resolveDir: root } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', target: 'node20.19', banner, outfile: file, logLevel: 'silent' });
  const { openShop }: typeof import('../../src/simulate/demo/shop.js') = await import(pathToFileURL(file).href);
  const shop = await openShop();
  const report = await simulate({ fixtures: [], select: { ids }, target: targetShop(shop.url), version: '0' }).finally(shop.close);
  return { causes: report.findings.map(({ cause }) => cause), failed: report.results.filter(({ status }) => status !== 'passed') };
}

test('the shop of the demo has three findings, one for each line that is called wrong, and its right lines end them', async () => {
  for (const line of WRONG_LINES) {
    expect(source.split('\n')[findLine(source, line) - 1]?.trim()).toBe(line.wrong);
    expect(source.split(line.wrong)).toHaveLength(2);
  }
  const broken = await runDemo([]);
  expect(broken.causes).toEqual(causes);
  const telling = broken.failed.map(({ id }) => id);
  for (const line of WRONG_LINES) expect((await runDemo([line], telling)).causes).toEqual(causes.filter((cause) => cause !== line.cause));
  expect(await runDemo(WRONG_LINES)).toEqual({ causes: [], failed: [] });
});
