import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

const FOLDER = join(ROOT, 'skills/passkeys');
const SKILL = readFileSync(join(FOLDER, 'SKILL.md'), 'utf8');

test('the skill says what it is for, is short, and has at most four pages behind it, all of which it links', () => {
  const [, head = ''] = /^---\n([^]*?)\n---\n/.exec(SKILL) ?? [];
  const members = Object.fromEntries(head.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]));
  expect(Object.keys(members)).toEqual(['name', 'description']);
  expect(members['name']).toBe(basename(FOLDER));
  // What agents keep in sight of every skill.
  expect(members['description']?.length).toBeLessThanOrEqual(1024);
  expect(Buffer.byteLength(SKILL)).toBeLessThan(6000);
  const pages = readdirSync(join(FOLDER, 'references')).map((name) => `references/${name}`);
  expect(pages.length).toBeLessThanOrEqual(4);
  const linked = [...SKILL.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path);
  expect(new Set(linked)).toEqual(new Set(pages));
});
