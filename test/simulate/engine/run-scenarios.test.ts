import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { STEP_REVISION } from '../../../src/relying-party/steps/step.js';
import { openQueue } from '../../../src/simulate/engine/queue.js';
import { describeScenario, type Helper, type Outcome, runScenario, runScenarios } from '../../../src/simulate/engine/run-scenarios.js';
import { type Scenario, toVerdict, type Verdict } from '../../../src/simulate/engine/scenario.js';
import { DIFFERS } from '../../../src/simulate/report/deviation.js';

const PASSED: Verdict = { status: 'passed' };
const FAILED = toVerdict([{ at: 'the answer', expected: 'a', received: 'b', deviation: DIFFERS }]);
const UNANSWERED: Verdict = {
  ...FAILED,
  status: 'failed',
  mismatches: [{ at: 'the target', expected: 'a', received: 'none', deviation: { kind: 'no_answer' } }],
  unanswered: true,
};

const scenario = (id: string, run: Scenario['run'], more: Partial<Scenario> = {}): Scenario => ({
  id,
  source: 'case',
  title: id,
  tags: [],
  expected: 'verified',
  run,
  ...more,
});

const outcomeOf = (id: string): Outcome => ({
  result: { ...describeScenario(scenario(id, inTurn())), status: 'passed', mismatches: [], duration_ms: 1 },
  isUnanswered: false,
  isGone: false,
});

/** Verdicts one after another; the last one over and over. */
function inTurn(...verdicts: readonly Verdict[]): Scenario['run'] {
  let next = 0;
  return async () => {
    const verdict = verdicts[Math.min(next, verdicts.length - 1)] ?? PASSED;
    next += 1;
    return verdict;
  };
}

function gate() {
  let resolve: (verdict: Verdict) => void = () => undefined;
  const promise = new Promise<Verdict>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Scenarios that end only when they are told to, in any order. */
function gated(ids: readonly string[]) {
  const started: string[] = [];
  const gates = new Map(ids.map((id) => [id, gate()]));
  const scenarios = ids.map((id) =>
    scenario(id, () => {
      started.push(id);
      return gates.get(id)?.promise ?? Promise.reject(new Error(`no gate for ${id}`));
    }),
  );
  const end = async (id: string, verdict: Verdict = PASSED) => {
    gates.get(id)?.resolve(verdict);
    await settled();
  };
  return { scenarios, started, end };
}

/** After everything that is only waiting for promises has gone on. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('jobs', () => {
  test('no more than so many run at once, and the report keeps the order of the list', async () => {
    const { scenarios, started, end } = gated(['a', 'b', 'c', 'd']);
    const told: string[] = [];
    const run = runScenarios(scenarios, { jobs: 2, onResult: ({ id }, { done, total }) => told.push(`${id} ${done}/${total}`) });
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    expect(told).toEqual([]);
    await end('c');
    await end('d', FAILED);
    await end('a');
    expect((await run).map(({ id, status }) => `${id} ${status}`)).toEqual(['a passed', 'b passed', 'c passed', 'd failed']);
    expect(told).toEqual(['a 4/4', 'b 4/4', 'c 4/4', 'd 4/4']);
  });

  test('one at a time unless told', async () => {
    const { scenarios, started, end } = gated(['a', 'b']);
    const run = runScenarios(scenarios, {});
    await settled();
    expect(started).toEqual(['a']);
    await end('a');
    await end('b');
    expect(await run).toHaveLength(2);
  });

  test('with bail, what runs already ends, and nothing new begins', async () => {
    const { scenarios, started, end } = gated(['a', 'b', 'c', 'd']);
    const run = runScenarios(scenarios, { jobs: 2, bail: true });
    await end('b', FAILED);
    await end('a');
    expect((await run).map(({ id, status, reason }) => [id, status, reason])).toEqual([
      ['a', 'passed', undefined],
      ['b', 'failed', undefined],
      ['c', 'not_run', 'an earlier case failed (--bail)'],
      ['d', 'not_run', 'an earlier case failed (--bail)'],
    ]);
    expect(started).toEqual(['a', 'b']);
  });

  test('an interruption waits for what runs already', async () => {
    const { scenarios, started, end } = gated(['a', 'b', 'c']);
    const controller = new AbortController();
    const run = runScenarios(scenarios, { jobs: 2, signal: controller.signal });
    controller.abort();
    await end('a');
    await end('b');
    const ends = (await run).map(({ status, reason }) => ({ status, reason }));
    expect(ends).toEqual([{ status: 'passed' }, { status: 'passed' }, { status: 'not_run', reason: 'the run was interrupted' }]);
    expect(started).toEqual(['a', 'b']);
  });

  test('an error that ends the run is thrown once all that runs has ended', async () => {
    const { scenarios, started, end } = gated(['a', 'c']);
    const broken = scenario('b', () => Promise.reject(new PasskeyError('usage', 'That token is of somebody else.')));
    const [a, c] = scenarios;
    const run = runScenarios(
      [a, broken, c].filter((each) => each !== undefined),
      { jobs: 2 },
    );
    const outcome = expect(run).rejects.toMatchObject({ code: 'usage' });
    await end('a');
    await outcome;
    expect(started).toEqual(['a']);
  });

  test('helpers take from the same list, and the report keeps its order', async () => {
    const { scenarios, started, end } = gated(['a', 'b', 'c', 'd']);
    const taken: (number | undefined)[] = [];
    const helper: Helper = {
      start(queue, { ended }) {
        // As on another thread: by the number of a queue that is opened there.
        const same = openQueue(scenarios.length, queue.shared);
        for (const id of ['a', 'b']) {
          const index = same.take();
          taken.push(index);
          if (index !== undefined) void settled().then(() => ended(index, outcomeOf(id)));
        }
      },
    };
    const run = runScenarios(scenarios, { helpers: [helper] });
    expect([taken, started]).toEqual([[0, 1], ['c']]);
    await end('c', FAILED);
    await end('d');
    expect((await run).map(({ id, status }) => `${id} ${status}`)).toEqual(['a passed', 'b passed', 'c failed', 'd passed']);
  });

  test('with bail, what a helper runs already is waited for', async () => {
    const { scenarios, end } = gated(['a', 'b', 'c']);
    let finish = () => {};
    const helper: Helper = {
      start(queue, { ended }) {
        const index = queue.take();
        if (index !== undefined) finish = () => ended(index, outcomeOf('a'));
      },
    };
    const run = runScenarios(scenarios, { bail: true, helpers: [helper] });
    await end('b', FAILED);
    finish();
    expect((await run).map(({ id, status }) => `${id} ${status}`)).toEqual(['a passed', 'b failed', 'c not_run']);
  });

  test('a helper that fails ends the run', async () => {
    const { scenarios, started, end } = gated(['a', 'b']);
    const helper: Helper = { start: (_, { failed }) => void settled().then(() => failed(new PasskeyError('fixture_invalid', 'Gone.'))) };
    const outcome = expect(runScenarios(scenarios, { helpers: [helper] })).rejects.toMatchObject({ code: 'fixture_invalid' });
    await settled();
    await end('a');
    await outcome;
    expect(started).toEqual(['a']);
  });

  test('gives a target up after three without an answer in a row', async () => {
    const rows: [verdicts: Verdict[], statuses: string[]][] = [
      [
        [UNANSWERED, UNANSWERED, UNANSWERED, PASSED],
        ['failed', 'failed', 'failed', 'not_run'],
      ],
      [
        [UNANSWERED, UNANSWERED, FAILED, UNANSWERED, PASSED],
        ['failed', 'failed', 'failed', 'failed', 'passed'],
      ],
      [
        [UNANSWERED, UNANSWERED, { status: 'not_applicable', reason: 'x' }, UNANSWERED, PASSED],
        ['failed', 'failed', 'not_applicable', 'failed', 'not_run'],
      ],
    ];
    for (const [verdicts, statuses] of rows) {
      const scenarios = verdicts.map((verdict, index) => scenario(`case-${index}`, async () => verdict));
      expect((await runScenarios(scenarios, {})).map(({ status }) => status)).toEqual(statuses);
    }
  });
});

describe('jobs at a target that all share', () => {
  const [NOT_ENDED, BACK] = [undefined, { alive: true, restarted: true }];
  const shared = { findEnded: async () => NOT_ENDED, settle: async () => ({ alive: true, restarted: false }) };
  const endingOf = ({ id, status, remarks = [] }: { id: string; status: string; remarks?: readonly string[] }) => [id, status, ...remarks];
  const EXCHANGE = { request: 'POST /login', sent: '{}', status: 400, received: '{}' };

  /** Scenarios with verdicts of their runs, one after another; says in which order they began, and which of them alone. */
  function scripted(verdicts: Readonly<Record<string, readonly Verdict[]>>) {
    const began: string[] = [];
    const scenarios = Object.entries(verdicts).map(([id, own]) => {
      const run = inTurn(...own);
      return scenario(id, ({ alone = false } = {}) => {
        began.push(alone ? `${id} alone` : id);
        return run();
      });
    });
    return { scenarios, began };
  }

  test('what does not pass while others run is judged by a run alone, and then it goes on', async () => {
    const { scenarios, began } = scripted({ a: [PASSED], b: [FAILED, PASSED], c: [FAILED], d: [PASSED], e: [PASSED], f: [PASSED] });
    const results = await runScenarios(scenarios, { jobs: 3, shared });
    expect(results.map(endingOf)).toEqual([
      ['a', 'passed'],
      ['b', 'passed'],
      ['c', 'failed'],
      ['d', 'passed'],
      ['e', 'passed'],
      ['f', 'passed'],
    ]);
    expect(began.slice(-5)).toEqual(['b alone', 'c alone', ...began.slice(-3)]);
    expect(began.filter((id) => id.endsWith('alone'))).toEqual(['b alone', 'c alone']);
  });

  test('what the target accepted wrongly stands: a second run may find it stored', async () => {
    const accepted = toVerdict([{ at: 'the answer', expected: 'a', received: 'b', deviation: { kind: 'accepted', status: 200 } }]);
    const { scenarios, began } = scripted({ a: [accepted, PASSED], b: [PASSED] });
    expect((await runScenarios(scenarios, { jobs: 2, shared })).map(endingOf)).toEqual([
      ['a', 'failed'],
      ['b', 'passed'],
    ]);
    expect(began).toEqual(['a', 'b']);
  });

  test('one at a time, each runs alone and once', async () => {
    const { scenarios, began } = scripted({ a: [FAILED], b: [PASSED] });
    await runScenarios(scenarios, { shared });
    expect(began).toEqual(['a alone', 'b alone']);
  });

  test('one that has ended before the target was found ended runs again, too, and is blamed', async () => {
    const ended: Verdict = { ...PASSED, ended: { key: 'c', exchange: EXCHANGE } };
    const { scenarios, began } = scripted({
      a: [PASSED],
      b: [PASSED],
      c: [PASSED],
      d: [ended, { ...ended, ended: { key: 'a', exchange: EXCHANGE } }],
    });
    const results = await runScenarios(scenarios, { jobs: 2, shared });
    expect(results.map(endingOf)).toEqual([
      ['a', 'failed'],
      ['b', 'passed'],
      ['c', 'passed'],
      ['d', 'passed'],
    ]);
    expect(results[0]?.mismatches).toMatchObject([{ deviation: { kind: 'ended', status: 400 } }]);
    expect(began.filter((id) => id.endsWith('alone'))).toContain('c alone');
    expect(began.at(-1)).toBe('d alone');
  });

  test('after the last one, those that may have ended the target run again', async () => {
    const { scenarios, began } = scripted({ a: [PASSED], b: [PASSED] });
    const ends = [
      { key: 'a', exchange: EXCHANGE },
      { key: 'b', exchange: EXCHANGE },
    ];
    const results = await runScenarios(scenarios, { jobs: 2, shared: { findEnded: async () => ends.shift(), settle: async () => BACK } });
    expect(began).toEqual(['a', 'b', 'a alone', 'b alone']);
    expect(results.map(endingOf)).toEqual([
      ['a', 'passed'],
      ['b', 'failed'],
    ]);
  });

  test('where the target does not come back, the report says that any of those at once may have ended it', async () => {
    const gone: Verdict = { ...UNANSWERED, gone: true };
    const { scenarios, began } = scripted({ a: [gone], b: [gone], c: [PASSED] });
    const settle = async () => ({ alive: false, restarted: true });
    const remark = 'other cases were running when the target ended, and any of them may have ended it; --jobs 1 shows which';
    expect((await runScenarios(scenarios, { jobs: 2, shared: { ...shared, settle } })).map(endingOf)).toEqual([
      ['a', 'failed', remark],
      ['b', 'failed', remark],
      ['c', 'not_run'],
    ]);
    expect(began).toEqual(['a', 'b']);
  });

  test('with bail, the first that fails alone is the last', async () => {
    const { scenarios, began } = scripted({ a: [FAILED, PASSED], b: [FAILED], c: [PASSED], d: [PASSED] });
    const results = await runScenarios(scenarios, { jobs: 2, bail: true, shared });
    expect(results.map(endingOf)).toEqual([
      ['a', 'passed'],
      ['b', 'failed'],
      ['c', 'not_run'],
      ['d', 'not_run'],
    ]);
    expect(began).toEqual(['a', 'b', 'a alone', 'b alone']);
  });

  test('results come in the order of the list, and only once no scenario before can be blamed', async () => {
    const { scenarios } = scripted({ a: [PASSED], b: [FAILED, PASSED], c: [PASSED], d: [PASSED] });
    const told: string[] = [];
    await runScenarios(scenarios, { jobs: 2, shared, onResult: ({ id, status }) => told.push(`${id} ${status}`) });
    expect(told).toEqual(['a passed', 'b passed', 'c passed', 'd passed']);
  });
});

describe('repeat', () => {
  test('counts repeats that end alike', async () => {
    const [passed, failed] = await runScenarios([scenario('good', inTurn(PASSED)), scenario('bad', inTurn(FAILED))], { repeat: 3 });
    expect(passed).toMatchObject({ status: 'passed', repeats: { passed: 3, failed: 0 }, mismatches: [] });
    expect(failed).toMatchObject({ status: 'failed', repeats: { passed: 0, failed: 3 }, mismatches: [{ at: 'the answer' }] });
    expect([passed?.flaky, failed?.flaky]).toEqual([undefined, undefined]);
  });

  test('says nothing of a case that ran once', async () => {
    const [once] = await runScenarios([scenario('good', inTurn(PASSED))], {});
    expect(once).not.toHaveProperty('repeats');
  });

  test('repeats that differ are a failure', async () => {
    const [result] = await runScenarios([scenario('shaky', inTurn(PASSED, FAILED, PASSED))], { repeat: 3 });
    expect(result).toMatchObject({
      status: 'failed',
      flaky: true,
      repeats: { passed: 2, failed: 1 },
      mismatches: [{ at: 'the repeats', expected: 'the same outcome 3 times', received: '2 passed, 1 failed' }, { at: 'the answer' }],
    });
  });

  test('a repeat that is not applicable is one that differs', async () => {
    const notApplicable: Verdict = { status: 'not_applicable', reason: 'x' };
    const [result] = await runScenarios([scenario('shaky', inTurn(PASSED, notApplicable))], { repeat: 3 });
    expect(result?.mismatches[0]?.received).toBe('1 passed, 0 failed, 1 not applicable');
  });

  test('does not repeat what is not applicable or gets no answer', async () => {
    const runs = { skipped: 0, silent: 0 };
    const counting = (name: keyof typeof runs, verdict: Verdict) =>
      scenario(name, async () => {
        runs[name] += 1;
        return verdict;
      });
    await runScenarios([counting('skipped', { status: 'not_applicable', reason: 'x' }), counting('silent', UNANSWERED)], { repeat: 5 });
    expect(runs).toEqual({ skipped: 1, silent: 1 });
  });

  test('ends with the target, and with the run', async () => {
    const stopping = new AbortController();
    const runs = { gone: 0, stopped: 0 };
    const gone = scenario('gone', async () => {
      runs.gone += 1;
      return { ...FAILED, gone: true };
    });
    const stopped = scenario('stopped', async () => {
      runs.stopped += 1;
      if (runs.stopped === 2) stopping.abort();
      return PASSED;
    });
    expect(await runScenario(gone, { repeat: 5 })).toMatchObject({ isGone: true, result: { status: 'failed' } });
    expect((await runScenario(stopped, { repeat: 5, signal: stopping.signal })).result).toMatchObject({
      repeats: { passed: 2, failed: 0 },
    });
    expect(runs).toEqual({ gone: 1, stopped: 2 });
  });
});

test('marks known failures, which do not stop a run with bail', async () => {
  const scenarios = [
    scenario('old', inTurn(FAILED), { replay: 'verbatim' }),
    scenario('old', inTurn(FAILED), { replay: 'rebound' }),
    scenario('next', inTurn(PASSED)),
  ];
  const results = await runScenarios(scenarios, {
    bail: true,
    explain: (failed) => (failed.replay === 'verbatim' ? { ...failed, known: true } : failed),
  });
  expect(results.map(({ status, known }) => [status, known])).toEqual([
    ['failed', true],
    ['failed', undefined],
    ['not_run', undefined],
  ]);
});

test('reports what was sent, what was odd, what it tests and why it matters', async () => {
  const exchanges = [{ request: 'POST /x', sent: '{}', status: 200, received: '{}' }];
  const tests = { section: '7.1', number: 9, revision: STEP_REVISION, slug: 'origin', title: 'C.origin is an expected origin' };
  const about = { tests, advice: 'Compare the origin.', attestationFormat: 'packed' };
  const failing = scenario('a', inTurn({ ...FAILED, exchanges, remarks: ['options nested under publicKey'] }), about);
  const passing = scenario('b', inTurn({ ...PASSED, exchanges, remarks: ['padded base64'] }), about);
  const [a, b] = await runScenarios([failing, passing], {});
  const shared = { tests, attestation_format: 'packed' };
  expect(a).toMatchObject({ ...shared, exchanges, remarks: ['options nested under publicKey'], advice: 'Compare the origin.' });
  expect(b).toMatchObject({ ...shared, remarks: ['padded base64'] });
  expect(b).not.toHaveProperty('exchanges');
  expect(b).not.toHaveProperty('advice');
});
