import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { explainSummary } from '../../../src/cli/explain/summary.js';
import { explain, fixtures, recorded, registration } from './run-explain.js';

const log = (...lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

/** Counts a log with one line of each kind. */
async function summarize(lines: readonly unknown[], argv: readonly string[] = [], name = 'log.jsonl') {
  const { code, stdout, stderr } = await explain(['--summary', name, '--json', ...argv], { [name]: log(...lines) });
  const summary: unknown = JSON.parse(stdout);
  expect({ code, stderr, errors: [...Value.Errors(explainSummary, summary)] }).toEqual({ code: 0, stderr: '', errors: [] });
  return summary;
}

const serve = { level: 40, event: 'ceremony-finished', kind: 'authentication', outcome: 'rejected' };
const audit = { action: 'authenticate', outcome: 'refused', via: 'api' };
const explained = (fields: object) => ({ source: 'x', verdict: 'rejected', steps: [{ slug: 'type', status: 'pass' }], ...fields });
const failed = (slug: string, code: string) => [
  { slug: 'type', status: 'pass', code: null },
  { slug, status: 'fail', code },
  { slug: 'signature', status: 'fail', code: 'signature_invalid' },
];

describe('the refusals of a log', () => {
  test.each<[string, object, string | null, string | null]>([
    ['the log of serve', { ...serve, code: 'origin_mismatch', step: 'origin' }, 'origin_mismatch', 'origin'],
    ['the audit log', { ...audit, code: 'challenge_used' }, 'challenge_used', null],
    [
      'a problem document',
      { type: 'urn:passkey:problem:rp_id_mismatch', code: 'rp_id_mismatch', step: { slug: 'rp-id-hash' } },
      'rp_id_mismatch',
      'rp-id-hash',
    ],
    [
      'a problem document in the log of an application',
      { msg: 'no', problem: { code: 'type_mismatch', step: { slug: 'type' } } },
      'type_mismatch',
      'type',
    ],
    [
      'a PasskeyError that pino wrote',
      { err: { type: 'PasskeyError', code: 'user_not_verified', step: { slug: 'user-verified' } } },
      'user_not_verified',
      'user-verified',
    ],
    ['a code of another program', { error: { code: 'P2002', message: 'Unique constraint' } }, 'P2002', null],
    ['a line of explain --json', explained({ steps: failed('sign-count', 'counter_regressed') }), 'counter_regressed', 'sign-count'],
    [
      'a line of browse --json',
      { at: '2026-01-02T00:00:00.000000Z', explanation: explained({ steps: failed('challenge', 'challenge_expired') }) },
      'challenge_expired',
      'challenge',
    ],
    [
      'an error text of SimpleWebAuthn',
      { level: 50, msg: 'Unexpected authentication response origin "http://a.example", expected "https://b.example"' },
      null,
      'origin',
    ],
    ['an error text of py_webauthn', { error: 'Unexpected client data challenge "AA", expected "BB"' }, null, 'challenge'],
  ])('are read from %s', async (_, line, code, step) => {
    expect(await summarize([line, line])).toMatchObject({ lines: 2, refused: 2, rows: [{ code, step, count: 2 }] });
  });

  test('are those of the steps where a line is a ceremony', async () => {
    const bad = recorded('registration-synced').replace('"origins": [', '"origins": ["https://other.example"], "x": [');
    const { x: _, ...ceremony } = JSON.parse(bad).ceremony;
    const refused = { ...registration, ceremony: { ...registration.ceremony, origins: ceremony.origins } };
    const lines = [...fixtures, refused, { response: registration.response }];
    expect(await summarize(lines)).toMatchObject({
      accepted: fixtures.length,
      refused: 1,
      undecided: 1,
      rows: [{ code: 'origin_mismatch', step: 'origin', count: 1 }],
    });
  });
});

describe('passkey explain --summary', () => {
  test('prints the most frequent first, with the first and the last time of lines in any order', async () => {
    const at = (time: unknown, code: string) => ({
      time,
      outcome: 'rejected',
      code,
      step: code === 'signature_invalid' ? 'signature' : undefined,
    });
    const lines = log(
      at('2026-03-01T10:00:00.000Z', 'signature_invalid'),
      at(Date.UTC(2026, 1, 1), 'challenge_used'),
      at('2026-01-01T10:00:00+01:00', 'signature_invalid'),
      at(Date.UTC(2026, 5, 1) / 1000, 'signature_invalid'),
      { event: 'ceremony-finished', outcome: 'verified' },
      { msg: 'listening' },
    );
    expect(await explain(['--summary', 'server.log'], { 'server.log': lines })).toEqual({
      code: 0,
      stdout: [
        'CODE               STEP       COUNT  FIRST                     LAST\n',
        'signature_invalid  signature      3  2026-01-01T09:00:00.000Z  2026-06-01T00:00:00.000Z\n',
        'challenge_used     -              1  2026-02-01T00:00:00.000Z  2026-02-01T00:00:00.000Z\n',
      ].join(''),
      stderr: '6 lines: 1 accepted, 4 refused, 1 about something else\n',
    });
  });

  test('orders rows by count, and those that have the same by name', async () => {
    const codes = ['usage', 'type_mismatch', 'origin_mismatch', 'usage', 'challenge_used', 'challenge_used'];
    const steps = [{ code: 'type_mismatch', step: 'type' }, { code: 'type_mismatch', step: 'origin' }, { msg: 'listening' }];
    const summary = await summarize([...codes.map((code) => ({ code })), ...steps, { ...audit, outcome: 'done' }]);
    const row = (code: string, step: string | null, count: number) => ({ code, step, count, first: null, last: null });
    expect(summary).toEqual({
      lines: 10,
      accepted: 1,
      refused: 8,
      undecided: 0,
      other: 1,
      unreadable: { count: 0, first: [] },
      further: 0,
      rows: [
        row('challenge_used', null, 2),
        row('usage', null, 2),
        row('origin_mismatch', null, 1),
        row('type_mismatch', null, 1),
        row('type_mismatch', 'origin', 1),
        row('type_mismatch', 'type', 1),
      ],
    });
  });

  test('counts and names lines that cannot be read, and goes on', async () => {
    const lines = log('{"code":"usage"', '[1]', '', 'plain', { code: 'origin_mismatch' }, ...Array.from({ length: 9 }, () => 'x'));
    const { code, stdout, stderr } = await explain(['--summary', 'a.jsonl'], { 'a.jsonl': lines });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^origin_mismatch +- +1 +- +-$/m) });
    const named = stderr.split('\n').filter((line) => line.startsWith('passkey: '));
    expect([named.length, named[0], named[1]]).toEqual([
      10,
      expect.stringMatching(/^passkey: a\.jsonl:1: Expected a line of JSON \(.+\)\.$/),
      'passkey: a.jsonl:2: Expected a JSON object.',
    ]);
    expect(stderr).toMatch(/\n13 lines: 1 refused, 12 not readable\n$/);
  });

  test('reads several files, and is an error for one that is not there', async () => {
    const files = { 'a.jsonl': log({ code: 'challenge_used' }), 'b.log': log({ code: 'challenge_used' }, { code: 'type_mismatch' }) };
    const { stdout } = await explain(['--summary', 'a.jsonl', 'b.log', '--json'], files);
    expect(JSON.parse(stdout)).toMatchObject({
      lines: 3,
      rows: [
        { code: 'challenge_used', count: 2 },
        { code: 'type_mismatch', count: 1 },
      ],
    });
    expect(await explain(['--summary', 'none.jsonl'])).toMatchObject({ code: 2, stderr: expect.stringContaining('none.jsonl') });
  });

  test('lists no more than 1,000 different codes, and counts the others', async () => {
    const lines = Array.from({ length: 1005 }, (_, index) => ({ code: `code-${index}` }));
    const summary = await summarize([...lines, lines[0]]);
    expect(summary).toMatchObject({ refused: 1006, further: 5, rows: expect.objectContaining({ length: 1000 }) });
  });
});
