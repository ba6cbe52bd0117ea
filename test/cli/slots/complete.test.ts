import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../all-commands.js';
import { AGAINST } from './against.js';
import { MATERIAL } from './material.js';
import { SERVED } from './served.js';
import type { Slots } from './slots.js';
import { STORED } from './stored.js';

const TABLE: Readonly<Record<string, Slots>> = { ...STORED, ...MATERIAL, ...SERVED, ...AGAINST };
const ROWS = Object.entries(TABLE).flatMap(([command, slots]) => Object.entries(slots).map(([flag, slot]) => ({ command, flag, slot })));

test('every flag of every command has a row, and no other', () => {
  const flags = COMMANDS.flatMap(([command, { options }]) => options.map(({ long }) => `${command} ${long}`));
  expect(ROWS.map(({ command, flag }) => `${command} ${flag}`).toSorted()).toEqual(flags.toSorted());
});

test('a row that names another test names one that has the flag; few do', async () => {
  const others = ROWS.flatMap(({ flag, slot }) => ('title' in slot ? [{ flag, ...slot }] : []));
  const missing: string[] = [];
  for (const { flag, file, title } of others) {
    const text = await readFile(join(import.meta.dirname, '../../..', file), 'utf8');
    if (!text.includes(title) || !text.includes(flag)) missing.push(`${flag}: ${file}: ${title}`);
  }
  expect(missing).toEqual([]);
  expect(others.length / ROWS.length).toBeLessThan(0.04);
});
