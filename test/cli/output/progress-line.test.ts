import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { progressLine } from '../../../src/cli/output/progress-line.js';
import { fakeIo } from '../fake-io.js';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/recorded/login-synced.json');
const ERASE = '\r\u001b[K';

test('writes over itself on a terminal, and leaves nothing behind', () => {
  const { io, written } = fakeIo({ terminal: true });
  const line = progressLine(io);
  line.clear();
  line.show('1 of 2');
  line.show('2 of 2');
  line.clear();
  line.clear();
  expect(written).toEqual({ stdout: '', stderr: `${ERASE}1 of 2${ERASE}2 of 2${ERASE}` });
});

test.each([
  ['no terminal', fakeIo()],
  ['a dumb one', fakeIo({ terminal: true, env: { TERM: 'dumb' } })],
])('writes nothing where there is %s', (_, { io, written }) => {
  const line = progressLine(io);
  line.show('1 of 2');
  line.clear();
  expect(written.stderr).toBe('');
});

test('tells of a run how far it is, also with --json, and only a terminal', async () => {
  const replay = ['simulate', '--fixtures', FIXTURE, '--replay', 'verbatim', '--json'];
  const terminal = fakeIo({ terminal: true });
  expect(await run(replay, terminal.io)).toBe(0);
  expect(terminal.written.stderr).toBe(`${ERASE}1 of 1${ERASE}`);
  expect(JSON.parse(terminal.written.stdout)).toMatchObject({ summary: { total: 1, passed: 1 } });
  const piped = fakeIo();
  expect(await run(replay, piped.io)).toBe(0);
  expect(piped.written.stderr).toBe('');
});
