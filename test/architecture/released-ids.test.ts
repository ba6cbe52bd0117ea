import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendIds, checkIds, listIds, RELEASED_IDS } from '../../build/released-ids.js';
import { ROOT } from '../e2e/passkey-process.js';

const released = readFileSync(RELEASED_IDS, 'utf8');

test('no id of a case or a cause that a version had is lost or used again', () => {
  expect(checkIds(released, listIds())).toEqual([]);
});

test('a version that the changelog dates has all of its ids in the list', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const dated = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`\n## [${version}] - `);
  expect(dated ? appendIds(released, listIds()) : released, 'Run npm run ids.').toBe(released);
});

const EMPTY = 'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n';
const first = appendIds(EMPTY, ['case login.one', 'case login.two', 'cause origin']);
const second = appendIds(first, ['case login.two', 'cause origin', 'case login.three']);

test('a version appends its new ids, and retires those that it does not have', () => {
  expect(second.split('\n').slice(0, -2)).toEqual([
    'case login.one',
    'case login.two',
    'cause origin',
    'case login.three',
    'retired case login.one',
  ]);
  expect(appendIds(second, ['case login.two', 'cause origin', 'case login.three'])).toBe(second);
});

test.each([
  ['an id that is gone', first, ['case login.two', 'cause origin'], 'case login.one: is gone.'],
  ['a cause that is gone', first, ['case login.one', 'case login.two'], 'cause origin: is gone.'],
  [
    'a retired id',
    second,
    ['case login.one', 'case login.two', 'cause origin', 'case login.three'],
    'case login.one: a version had another one of this name.',
  ],
  ['a line that is gone', first.replace('case login.one\n', ''), ['case login.two', 'cause origin'], 'The file was edited or lacks lines.'],
  [
    'a retirement that is gone',
    second.replace('retired case login.one\n', ''),
    ['case login.one', 'case login.two', 'cause origin', 'case login.three'],
    'The file was edited or lacks lines.',
  ],
])('notices %s', (_, file, now, complaint) => {
  expect(checkIds(file, now)).toEqual([expect.stringContaining(complaint)]);
});

test.each([
  ['a retired id', second, ['case login.one', 'case login.two'], 'case login.one: a version had another one'],
  ['an edited file', first.replace('login.one', 'login.1'), ['case login.two'], 'was edited'],
])('appends nothing to %s', (_, file, now, complaint) => {
  expect(() => appendIds(file, now)).toThrow(complaint);
});
