import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SHOP_FILE, WRONG_LINES } from '../../../src/simulate/demo/demo.js';
import { runIn } from '../run-in.js';

const ROOT = join(import.meta.dirname, '../../..');

test('--demo runs the cases that are named against the shop, and names its wrong lines', async () => {
  const { code, stdout, stderr } = await runIn(join(ROOT, 'src'), ['simulate', 'register.default', '--demo', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ summary: { total: 1, passed: 1 }, results: [{ id: 'register.default', status: 'passed' }] });
  const source = readFileSync(join(ROOT, SHOP_FILE), 'utf8').split('\n');
  for (const { wrong, right } of WRONG_LINES) {
    const line = source.findIndex((text) => text.trim() === wrong) + 1;
    expect(stderr).toContain(`\n${SHOP_FILE.replace('src/', '')}:${line}\n  - ${wrong}\n  + ${right}\n`);
  }
  expect(stderr).toMatch(/To test your own server, describe how to talk to it: .* simulate --init-profile own\.yaml\n$/);
});
