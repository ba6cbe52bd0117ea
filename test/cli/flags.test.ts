import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CONFIG_SETTINGS, negate } from '../../src/cli/config/settings.js';
import { FLAGS } from '../../src/cli/flags.js';
import { spellFlag } from '../../src/kernel/wording.js';
import { COMMANDS } from './all-commands.js';

const folder = fileURLToPath(new URL('../../src/cli/', import.meta.url));
const OPTIONS = COMMANDS.flatMap(([, command]) => [...command.options]);
const SETTINGS = Object.keys(CONFIG_SETTINGS).flatMap((name) => [name, negate(name)]);

test('every flag of every command is in the table of flags or in that of settings', () => {
  const declared = new Set([...Object.keys(FLAGS), ...SETTINGS].map(spellFlag));
  expect(OPTIONS.map(({ long }) => long).filter((long) => !declared.has(long ?? ''))).toEqual([]);
});

test('every row of the table is a flag of a command', () => {
  const longs = new Set(OPTIONS.map(({ long }) => long));
  expect(Object.keys(FLAGS).filter((name) => !longs.has(spellFlag(name)))).toEqual([]);
});

test('no command declares a flag by itself', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const declaring = files.filter((name) =>
    /\.(?:option|requiredOption|addOption)\(|new Option\(/.test(readFileSync(join(folder, name), 'utf8')),
  );
  // The flags of the hidden command that completion calls are between it and the scripts.
  expect(declaring.map((name) => name.replaceAll('\\', '/')).toSorted()).toEqual(['completion/complete.ts', 'flag.ts', 'program.ts']);
});
