import { describe, expect, test } from 'vitest';
import { createTally } from '../../../src/simulate/load/tally.js';

describe('latencies', () => {
  test('percentiles are exact to three digits', () => {
    const tally = createTally();
    for (let milliseconds = 1; milliseconds <= 10_000; milliseconds += 1) tally.late(milliseconds);
    const { p50 = 0, p90 = 0, p99 = 0, p99_9 = 0, max = 0 } = tally.lateness() ?? {};
    for (const [got, exact] of [
      [p50, 5000],
      [p90, 9000],
      [p99, 9900],
      [p99_9, 9990],
      [max, 10_000],
    ] as const) {
      expect(Math.abs(got - exact) / exact).toBeLessThan(0.001);
    }
  });

  test('takes what is below a microsecond and above four hours', () => {
    const tally = createTally();
    for (const milliseconds of [0, -1, 1e12]) tally.late(milliseconds);
    expect(tally.lateness()).toMatchObject({ p50: 0.001 });
    expect(tally.lateness()?.max).toBeGreaterThan(14_000_000);
  });

  test('nothing recorded has no percentiles', () => expect(createTally().lateness()).toBeNull());
});

describe('the tally', () => {
  test('counts errors by request and outcome, with what the first one said', () => {
    const tally = createTally();
    tally.request('login', { outcome: 'refused', said: 'status 401' }, 5);
    tally.request('login', { outcome: 'refused', said: 'status 403' }, 5);
    tally.request('login', { outcome: 'broken', said: 'no answer' }, 5);
    tally.request('register', { outcome: 'failed', said: 'status 500' }, 5);
    tally.request('options', { outcome: 'accepted', said: 'status 200' }, 5);
    tally.unusable('NotSupportedError: no algorithm');
    expect(tally.errors()).toEqual([
      { at: 'login', outcome: 'refused', count: 2, first: 'status 401' },
      { at: 'login', outcome: 'broken', count: 1, first: 'no answer' },
      { at: 'register', outcome: 'failed', count: 1, first: 'status 500' },
      { at: 'client', outcome: 'failed', count: 1, first: 'NotSupportedError: no algorithm' },
    ]);
    expect(tally.requests()).toMatchObject({
      login: { accepted: 0, refused: 2, failed: 0, broken: 1, latency_ms: null },
      options: { accepted: 1 },
    });
    expect(tally.requests().options.latency_ms?.p50).toBeCloseTo(5, 1);
  });

  test('accepted ceremonies per second, and the share of the client', () => {
    const tally = createTally();
    expect([tally.clientShare(0), tally.ceremonies(0, 0).per_second]).toEqual([0, 0]);
    tally.ceremony('registration', 'accepted', 30);
    tally.ceremony('login', 'accepted', 30);
    tally.ceremony('login', 'refused', 30);
    tally.client(5);
    for (let ceremony = 0; ceremony < 3; ceremony += 1) tally.unfinished();
    expect(tally.ceremonies(4000, 7)).toMatchObject({
      per_second: 0.5,
      not_started: 7,
      unfinished: 3,
      registration: { accepted: 1, refused: 0 },
      login: { accepted: 1, refused: 1 },
    });
    expect([tally.clientShare(50), tally.clientShare(1)]).toEqual([0.1, 1]);
  });
});
