import { expect, test } from 'vitest';
import { announce } from '../../../src/cli/serve/announce.js';
import { fakeIo } from '../fake-io.js';

const SERVING = {
  url: 'http://localhost:7277',
  page: 'http://localhost:7277',
  host: 'localhost',
  port: 7277,
  mode: 'development' as const,
  store: 'memory:',
  origins: [],
  pid: 1,
  version: '0.0.0',
};

test.each([
  ['/fixtures/rec\u001b[2J', '  record  /fixtures/rec\\x1b[2J\n'],
  [undefined, undefined],
])('names the folder of recordings, where there is one: %j', (record, line) => {
  const { io, written } = fakeIo();
  announce(io, SERVING, { json: false, record, storeFlag: '', signIn: true });
  expect(written.stdout).toBe('http://localhost:7277\n');
  if (line === undefined) expect(written.stderr).not.toContain('record');
  else expect(written.stderr).toContain(line);
});

test('prints the page with the key in its fragment, to open, and the URL without it on stdout', () => {
  const { io, written } = fakeIo();
  announce(io, { ...SERVING, page: 'http://localhost:7277/#key=AbC' }, { json: false, record: undefined, storeFlag: '', signIn: true });
  expect(written.stdout).toBe('http://localhost:7277\n');
  expect(written.stderr).toContain('  page    http://localhost:7277/#key=AbC\n');
});

test.each([
  ['development' as const, true, 'sign in on the page: this store ends with the server'],
  ['development' as const, false, 'none: a store in memory has no users, and development sign-in is closed; give --store a path'],
  ['production' as const, false, 'none: a store in memory has no users; give --store a path'],
])('says how to get a token of a store in memory: %s, sign-in %s', (mode, signIn, line) => {
  const { io, written } = fakeIo();
  announce(io, { ...SERVING, mode, page: null }, { json: false, record: undefined, storeFlag: '', signIn });
  expect(written.stderr).toContain(`  token   ${line}\n`);
  expect(written.stderr).not.toContain('page    ');
});
