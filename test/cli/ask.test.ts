import { describe, expect, test } from 'vitest';
import { confirm, confirmNumber, line, pick } from '../../src/cli/ask.js';
import { text } from '../../src/cli/config/values.js';
import { fakeIo, typeInto } from './fake-io.js';

function answering(...turns: readonly (readonly [shown: string, typed: string])[]) {
  const terminal = fakeIo({ terminal: true });
  typeInto(terminal, turns);
  return terminal;
}

describe('questions', () => {
  test('are asked on stderr: yes or no, no by default', async () => {
    const yes = answering(['Sure?', 'y\r']);
    expect(await confirm(yes.io, 'Sure?', 'add --yes')).toBe(true);
    expect(yes.written.stdout).toBe('');
    expect(await confirm(answering(['Sure?', '\r']).io, 'Sure?', 'add --yes')).toBe(false);
  });

  test.each([
    ['\t\r', false],
    ['\t\t\r', false],
    ['\u001b[A\r', false],
    [' \r', false],
    ['No\r', false],
    ['YES\r', true],
    ['y\t\r', true],
  ])('are answered by letters alone, not by Tab or arrows: %j', async (typed, yes) => {
    expect(await confirm(answering(['Sure? (y/N)', typed]).io, 'Sure?', 'add --yes')).toBe(yes);
  });

  test('take no other word for an answer', async () => {
    const { io, written } = answering(['Sure? (y/N)', 'yep\r'], ['Type y or n.', '\u0015n\r']);
    expect(await confirm(io, 'Sure?', 'add --yes')).toBe(false);
    expect(written.stderr).toContain('Type y or n.');
  });

  test('take a line', async () => {
    expect(await line(answering(['Name:', ' Ada \r']).io, 'Name:', 'give --name')).toBe('Ada');
  });

  test('ask again for what is no value of its kind, in words of the kind', async () => {
    const { io } = answering(['E-mail:', 'bad\r'], ['Expected an e-mail.', '\u0015ada@example.com\r']);
    const email = text({ placeholder: 'email', expects: 'an e-mail', accept: (value) => value.includes('@') });
    expect(await line(io, 'E-mail:', 'give --email', email)).toBe('ada@example.com');
  });

  test.each([
    ['\u001b[B \r', ['B']],
    ['\t\r', ['A']],
    ['c\t\r', ['C']],
    ['\u0001 \r', ['B', 'C']],
    ['c \r', []],
    ['a\r', []],
    [' \u0004', []],
  ])('let pick: %j', async (typed, picked) => {
    const { io } = answering(['Which', typed]);
    const rows = ['a', 'b', 'c'];
    const choice = { message: 'Which', columns: [{ title: 'NAME' }], rows, toCells: (row: string) => [row], instead: 'name them' };
    expect(await pick(io, choice)).toStrictEqual(picked.map((name) => name.toLowerCase()));
  });

  test('let pick on a terminal that does not say how large it is', async () => {
    const { io, written } = answering(['Which', 'b\t\r']);
    Object.assign(io.stderr, { columns: 0, rows: 0 });
    const choice = { message: 'Which', columns: [{ title: 'NAME' }], rows: ['abc', 'bcd'], toCells: (row: string) => [row], instead: 'x' };
    expect(await pick(io, choice)).toStrictEqual(['abc']);
    expect(written.stderr).toContain('  [ ] bcd');
  });

  test('are confirmed with a typed number where they are more than ten', async () => {
    const confirmed = async (typed: string, number: number) => {
      const { io, written } = answering(['Revoke', typed]);
      const yes = await confirmNumber(io, { question: `Revoke ${number} passkeys?`, number }, 'add --yes');
      return [yes, /Expected .*$/m.exec(written.stderr)?.[0]];
    };
    expect(await confirmed('y\r', 10)).toEqual([true, undefined]);
    expect(await confirmed('y\r', 11)).toEqual([false, 'Expected 11; got "y".']);
    expect(await confirmed('\r', 11)).toEqual([false, 'Expected 11; nothing was typed.']);
    expect(await confirmed(' 11 \r', 11)).toEqual([true, undefined]);
  });

  test('end with 130 at Ctrl-C', async () => {
    await expect(confirm(answering(['Sure?', '\u0003']).io, 'Sure?', 'add --yes')).rejects.toMatchObject({
      code: 'interrupted',
      exitCode: 130,
    });
  });

  test('are an error that names the flag where there is no terminal', async () => {
    await expect(confirm(fakeIo().io, 'Sure?', 'add --yes')).rejects.toMatchObject({
      code: 'usage',
      exitCode: 2,
      message: 'There is no terminal to prompt on; add --yes.',
    });
  });
});
