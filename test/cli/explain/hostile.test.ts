import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { fakeIo } from '../fake-io.js';
import { explain, lines, login, recorded, registration } from './run-explain.js';

const deep = `{"format":"passkey-fixture","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const data = (member: string) => `{"type":"webauthn.get","challenge":"AAAA","origin":"https://a.example",${member}}`;

describe('inputs made to break', () => {
  test('do not lose those behind them', async () => {
    const { code, stdout, stderr } = await explain(['x.jsonl', '--json'], {
      'x.jsonl': [deep, `{"x":${deep}}`, data('"constructor":1'), data('"__proto__":{"x":1}'), JSON.stringify(registration)].join('\n'),
    });
    expect(code).toBe(2);
    expect(lines(stdout).map(({ source, input, error }) => [source, input?.kind, error?.code])).toEqual([
      ['x.jsonl:1', undefined, 'validation_failed'],
      ['x.jsonl:2', undefined, 'validation_failed'],
      ['x.jsonl:3', 'client-data', undefined],
      ['x.jsonl:4', 'client-data', undefined],
      ['x.jsonl:5', 'fixture', undefined],
    ]);
    expect(stderr).not.toContain('    at ');
  });

  test('what is large is named with its limit, beside others', async () => {
    const { code, stdout, stderr } = await explain(['a', 'b.json'], { a: 'aa '.repeat(2_000_000), 'b.json': JSON.stringify(registration) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('✓') });
    expect(stderr).toContain('passkey: a is too large: 6000000 bytes; expected at most 4194304 for anything but JSON.\n');
  });

  test('JSON with blank lines behind it is one input, also where they are many', async () => {
    const blank = `${JSON.stringify(registration)}${'\n'.repeat(300_000)}`;
    expect(await explain(['x'], { x: blank })).toMatchObject({ code: 0, stdout: expect.stringContaining('Verdict  accepted') });
    const { code, stdout } = await explain(['x', '--json'], { x: `${blank}${JSON.stringify(registration)}` });
    expect(code).toBe(0);
    expect(lines(stdout).map(({ source }) => source)).toEqual(['x:1', 'x:300001']);
  });
});

describe('an archive of hundreds of requests', () => {
  const request = (value: unknown) => ({ request: { url: 'https://example.org/', postData: { text: JSON.stringify(value) } } });
  const clientDataJSON = encodeBase64url(encodeUtf8('{"type":"webauthn.create","challenge":"AAAA","origin":"https://a.example"}'));
  const other = { id: 'AA', type: 'public-key', response: { clientDataJSON, attestationObject: 'AA' } };

  test('has a report of each', async () => {
    const entries = [registration.response, ...Array.from({ length: 300 }, () => other), login.response].map(request);
    const { stdout } = await explain(['a.har', '--json'], { 'a.har': JSON.stringify({ log: { entries } }) });
    expect(lines(stdout)).toHaveLength(302);
  });
});

describe('an unexpected error', () => {
  /** A clock that breaks once stands for it. */
  const broken = (times: number) => {
    let calls = 0;
    return () => {
      calls += 1;
      if (calls <= times) throw new RangeError('Maximum call stack size exceeded');
      return Date.UTC(2026, 0, 15);
    };
  };

  test.each<[string, string[]]>([
    ['JSON', ['--json']],
    ['lines', []],
  ])('is the error of its input, in %s', async (_, flags) => {
    const { io, written } = fakeIo({});
    const stdin = (async function* () {
      yield Buffer.from(`${JSON.stringify(JSON.parse(recorded(registration.name)))}\n`.repeat(2));
    })();
    const code = await run(['explain', '-', ...flags], Object.assign(io, { stdin, now: broken(1) }));
    const told = `${written.stdout}${written.stderr}`;
    expect(code).toBe(2);
    expect(told).toContain('because of an unexpected error (Maximum call stack size exceeded). Please report it.');
    expect(told).toContain(flags.length === 0 ? '1 accepted, 1 unreadable' : '"verdict":"accepted"');
    expect(told).not.toContain('    at ');
  });

  test('is no rejection of a single one', async () => {
    const { io, written } = fakeIo({});
    const stdin = (async function* () {
      yield Buffer.from(recorded(registration.name));
    })();
    expect(await run(['explain', '-'], Object.assign(io, { stdin, now: broken(1) }))).toBe(2);
    expect(written.stderr).toMatch(/^passkey: Standard input: This cannot be explained because .*\n$/);
  });
});
