import { describe, expect, test } from 'vitest';
import { compileJudgement, judge } from '../../../src/simulate/target/judge.js';
import type { SourceAnswer } from '../../../src/simulate/target/source.js';

const answer = (status: number, json?: unknown): SourceAnswer => ({
  status,
  json,
  text: JSON.stringify(json) ?? '',
  header: () => undefined,
  cookie: () => undefined,
  url: '',
});

const compiled = (conditions: unknown) => compileJudgement(conditions, () => {});
const judged = (judgement: { accept?: unknown; refuse?: unknown }, status: number, json?: unknown) =>
  judge(
    {
      accept: compiled(judgement.accept ?? { status: '2xx' }),
      refuse: judgement.refuse === undefined ? undefined : compiled(judgement.refuse),
    },
    answer(status, json),
    { user: { number: 7 } },
  );

describe('a judgement', () => {
  test.each([
    [{}, 204, undefined, 'accepted'],
    [{}, 302, undefined, 'refused'],
    [{}, 401, undefined, 'refused'],
    [{}, 500, undefined, 'failed'],
    // Nobody has looked at what was sent.
    [{}, 429, undefined, 'failed'],
    [{ refuse: { status: 403 } }, 429, undefined, 'failed'],
    [{ refuse: { status: 429 } }, 429, undefined, 'refused'],
    [{ accept: { status: 302 } }, 302, undefined, 'accepted'],
    [{ accept: { status: [200, 302] } }, 302, undefined, 'accepted'],
    [{ accept: { status: ['3xx', 201] } }, 201, undefined, 'accepted'],
    // A 200 may be a refusal, and a refusal a 500.
    [{ accept: { 'json verified': true } }, 200, { verified: false }, 'refused'],
    [{ accept: { 'json verified': true } }, 200, { verified: 'true' }, 'refused'],
    [{ refuse: { status: 500, 'json message': '*' } }, 500, { message: 'no' }, 'refused'],
    [{ refuse: { status: 500, 'json message': '*' } }, 500, {}, 'failed'],
    [{ refuse: [{ status: 500 }, { 'json error': '*' }] }, 200, { error: 'x' }, 'refused'],
    // Refused beats accepted.
    [{ accept: { status: '2xx' }, refuse: { 'json errors': '*' } }, 200, { errors: [] }, 'refused'],
    [{ refuse: { status: 403 } }, 302, undefined, 'unclear'],
    [{ refuse: { status: 403 } }, 422, undefined, 'refused'],
    [{ accept: { status: '2xx', 'json error': '-' } }, 200, { error: null }, 'accepted'],
    [{ accept: { 'json id': '*' } }, 200, { id: null }, 'refused'],
    [{ accept: { 'json id': null } }, 200, { id: null }, 'accepted'],
    [{ accept: { 'json id': '{user.number}' } }, 200, { id: 7 }, 'accepted'],
    [{ accept: { 'json id': '7' } }, 200, { id: 7 }, 'refused'],
    [{ accept: { 'json text': '{{x}}' } }, 200, { text: '{x}' }, 'accepted'],
    [{ accept: { 'json list | join ,': 'a,b' } }, 200, { list: ['a', 'b'] }, 'accepted'],
  ])('%j of %i %j: %s', async (judgement, status, json, expected) => {
    expect(await judged(judgement, status, json)).toBe(expected);
  });
});
