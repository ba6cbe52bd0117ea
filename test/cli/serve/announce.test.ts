import { expect, it } from 'vitest';
import { announce } from '../../../src/cli/serve/announce.js';
import { fakeIo } from '../fake-io.js';

const SERVING = {
  url: 'http://localhost:7277',
  host: 'localhost',
  port: 7277,
  mode: 'development' as const,
  store: 'memory:',
  origins: [],
  pid: 1,
  version: '0.0.0',
};

it.each([
  ['/fixtures/rec\u001b[2J', '  record  /fixtures/rec\\x1b[2J\n'],
  [undefined, undefined],
])('names the folder of recordings, where there is one: %j', (record, line) => {
  const { io, written } = fakeIo();
  announce(io, SERVING, { json: false, record, storeFlag: '' });
  expect(written.stdout).toBe('http://localhost:7277\n');
  if (line === undefined) expect(written.stderr).not.toContain('record');
  else expect(written.stderr).toContain(line);
});
