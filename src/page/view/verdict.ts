import { isObject } from '../../webauthn/json-value.js';
import { h } from '../dom.js';
import { numberAt, stringAt } from '../json.js';
import type { Explanation, Run } from '../run.js';
import { browserLegOf, problemOf } from '../run.js';

/** How a run ended: the browser's error explained, or the server's refusal with its step. */
export function verdictView(run: Run): Node {
  const explanation = browserLegOf(run)?.error?.explanation;
  const problem = problemOf(run);
  return h(
    'div',
    { class: 'verdict' },
    run.summary === '' ? undefined : h('p', { class: 'run-summary' }, run.summary),
    explanation === undefined ? undefined : explanationView(explanation),
    run.outcome === 'rejected' && problem !== undefined ? problemView(problem) : undefined,
  );
}

function explanationView({ causes, next }: Explanation): Node {
  return h(
    'div',
    { class: 'explanation' },
    h('p', {}, causes.length === 1 ? 'Cause:' : 'Likely causes, most likely first:'),
    h('ol', {}, ...causes.map((cause) => h('li', {}, cause))),
    h('p', { class: 'next' }, next),
  );
}

/** Code, step, expectation and advice from a problem document (RFC 9457) or a timeline entry. */
export function problemView(problem: unknown): Node | undefined {
  const step = isObject(problem) ? problem.step : undefined;
  const row = (name: string, value: string | undefined) =>
    value === undefined ? [] : [h('div', {}, h('dt', {}, name), h('dd', {}, value))];
  return h(
    'dl',
    { class: 'step' },
    ...row('Code', stringAt(problem, 'code')),
    ...row(
      'Step',
      isObject(step) ? `§${stringAt(step, 'section')} step ${numberAt(step, 'number')}: ${stringAt(step, 'title')}` : undefined,
    ),
    ...row('Expected', stringAt(step, 'expected')),
    ...row('Received', stringAt(step, 'received')),
    ...row('What to do', stringAt(step, 'hint')),
    ...row('Request', stringAt(problem, 'request_id')),
  );
}
