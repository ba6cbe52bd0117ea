import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/cli/serve/logger.js';
import { fakeIo } from '../fake-io.js';

const EVIL = 'a\u001b[2J\u009b\u202e\nb';
const env = { NO_COLOR: '1' };

describe('the log', () => {
  test('is JSON lines where there is no terminal, without raw control characters', async () => {
    const { io, written } = fakeIo();
    (await createLogger(io, 'info')).info({ rpId: 'x.test' }, EVIL);
    expect(JSON.parse(written.stderr)).toMatchObject({ level: 30, rpId: 'x.test', msg: EVIL });
    expect(written.stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(written.stdout).toBe('');
  });

  test('is one readable line on a terminal', async () => {
    const { io, written } = fakeIo({ terminal: true, env });
    (await createLogger(io, 'info')).info({ rpId: 'x.test', requestId: '1' }, EVIL);
    expect(written.stderr).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: a\\x1b\[2J\\x9b\\u202e\\nb\n$/);
  });

  test('shows the stack of an unforeseen error', async () => {
    const { io, written } = fakeIo({ terminal: true, env });
    (await createLogger(io, 'info')).error({ err: new Error('boom') }, 'request failed');
    expect(written.stderr).toMatch(/ERROR: request failed[\s\S]+Error: boom\n +at /);
  });

  test('has the message of an error once, its causes in the stack', async () => {
    const { io, written } = fakeIo();
    const err = new Error('Cannot be read. Try again.', { cause: new Error('Expected a file.') });
    (await createLogger(io, 'info')).error({ err }, 'request failed');
    const line = JSON.parse(written.stderr);
    expect(line.err.message).toBe('Cannot be read. Try again.');
    expect(line.err.stack).toContain('caused by: Error: Expected a file.');
  });

  test('cuts secrets out, on a terminal too', async () => {
    for (const terminal of [true, false]) {
      const { io, written } = fakeIo({ terminal, env });
      (await createLogger(io, 'trace')).info(
        { token: 'pk_secret', request: { raw: { headers: { authorization: ['pk_secret'], 'set-cookie': { value: 'pk_secret' } } } } },
        'said "token": by a client',
      );
      expect(written.stderr).not.toContain('pk_secret');
      expect(written.stderr).toContain('by a client');
      expect(written.stderr).toContain('[secret]');
    }
  });

  test('is silent below its level', async () => {
    const { io, written } = fakeIo();
    const logger = await createLogger(io, 'warn');
    logger.info('x');
    logger.warn('y');
    expect(written.stderr.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    ['trace', 'warn'],
    ['debug', 'warn'],
    ['info', 'warn'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['silent', 'silent'],
  ] as const)('with --quiet has no more than warnings: %s', async (level, least) => {
    const { io } = fakeIo();
    expect((await createLogger({ ...io, quiet: true }, level)).level).toBe(least);
    expect((await createLogger(io, level)).level).toBe(level);
  });

  test.each([
    ['debug', true],
    ['info', false],
  ] as const)('at level %s shows fields on a terminal: %s', async (level, shows) => {
    const { io, written } = fakeIo({ terminal: true, env });
    (await createLogger(io, level)).info({ rpId: 'x.test' }, 'said');
    expect([written.stderr.includes('said'), written.stderr.includes('x.test')]).toEqual([true, shows]);
  });
});
