import { Parser, type Result } from 'tap-parser';
import { describe, expect, test } from 'vitest';
import { renderTap } from '../../../src/simulate/reporters/tap.js';
import { FULL_FAILURE, HOSTILE_REPORT, SAMPLE, sampleReport } from './sample-report.js';

/** What a reader of TAP makes of it: test points, comments, and whatever it takes for something else. */
function read(tap: string) {
  const parser = new Parser({ strict: true });
  const points: Result[] = [];
  const others: unknown[] = [];
  parser.on('assert', (point: Result) => points.push(point));
  for (const event of ['extra', 'bailout', 'child']) parser.on(event, (...values: unknown[]) => others.push([event, ...values]));
  parser.end(tap);
  return { points, others, ok: parser.ok, failures: parser.failures.length, version: /^TAP version (\d+)$/m.exec(tap)?.[1] };
}

describe('TAP', () => {
  test('is version 14, with a plan', () => {
    const { points, others, version } = read(renderTap(SAMPLE));
    expect(version).toBe('14');
    expect(points).toHaveLength(SAMPLE.results.length);
    expect(others).toEqual([]);
  });

  test('fails for new failures, and not for known ones', () => {
    const { points, ok, failures } = read(renderTap(SAMPLE));
    expect({ ok, failures }).toEqual({ ok: false, failures: 2 });
    expect(points.map(({ ok: passed, name, skip, todo }) => [passed, name, skip || todo])).toEqual([
      [true, 'login verbatim', false],
      [false, 'login.origin-other-port', false],
      [false, 'shaky verbatim', false],
      [false, 'broken verbatim', 'known failure'],
      [true, 'clock verbatim', 'not applicable: needs a pinned clock'],
      [true, 'late verbatim', 'not run: an earlier case failed (--bail)'],
      [true, 'padded verbatim', false],
    ]);
    const known = sampleReport(SAMPLE.results.filter(({ status, known }) => status !== 'failed' || known === true));
    expect(read(renderTap(known)).ok).toBe(true);
  });

  test('tells everything about a failure in YAML', () => {
    const { title, file, mismatches, exchanges, remarks, advice, rerun } = FULL_FAILURE;
    const [, point] = read(renderTap(SAMPLE)).points;
    expect(point?.diag).toMatchObject({ message: title, severity: 'fail', mismatches, exchanges, remarks, advice, run_alone: rerun });
    expect(point?.diag).toMatchObject({ tests: '§7.2 step 12, origin: C.origin is an expected origin' });
    expect(file).toBeUndefined();
  });

  test('stays in its lines, whatever a target says', () => {
    const { points, others, failures } = read(renderTap(HOSTILE_REPORT));
    expect(points).toHaveLength(HOSTILE_REPORT.results.length);
    expect(failures).toBe(1);
    expect(others).toEqual([]);
    expect(points[0]).toMatchObject({ skip: false, todo: false, diag: HOSTILE_REPORT.results.map(({ exchanges }) => ({ exchanges }))[0] });
    expect(points[1]).toMatchObject({ ok: true, skip: expect.stringContaining('# SKIP') });
  });
});
