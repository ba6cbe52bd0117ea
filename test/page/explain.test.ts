import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { STATED_EXPECTATIONS } from '../../src/explain/expectation-members.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { annotate, explain, explainAgain, explainShared, explainTyped, loadExample } from '../../src/page/flow/explain.js';
import { expectedFromFragment, findWrong } from '../../src/page/setup/expected.js';
import type { AppState, Pasted } from '../../src/page/state.js';
import { NOW, stopClock } from './drawing.js';
import { type Answer, GONE, tab } from './tab.js';

stopClock();

const document = (name: string, change: Partial<ExplainDocument> = {}) => ({
  ...NOTHING_EXPLAINED,
  source: '-',
  name,
  kind_name: `kind of ${name}`,
  options: { of: name },
  response: { to: name },
  ...change,
});
const REFUSED = { verdict: 'rejected', ceremony: 'authentication' } as const;
const GIVEN = { input: 'x' };
const OTHER = { input: 'y' };
const EXPECTED = { texts: {}, wrong: {} };

/** What is kept of a document that the server explained. */
const kept = (of: ReturnType<typeof document>, id: number, index: number, change: Partial<Pasted> = {}): Pasted => ({
  id,
  at: NOW,
  document: of,
  kindName: of.kind_name,
  options: of.options,
  response: of.response,
  from: { given: GIVEN, index, expected: EXPECTED },
  ...change,
});

function open(answer: Answer, state: Partial<AppState> = {}) {
  return tab({ answer: () => answer, state: { drawer: 'break', ...state } });
}
const documents = (...all: readonly unknown[]): Answer => ({ status: 200, answer: { documents: all } });

describe('an input', () => {
  test('is sent whole; each document becomes an item, and the worst is selected', async () => {
    const [first, worst, second] = [document('a'), document('b', REFUSED), document('c', REFUSED)];
    const before = kept(document('old'), 7, 0, { from: { given: OTHER, index: 0, expected: EXPECTED } });
    const { app, store, sent, asked } = open(documents(first, worst, { steps: 'none' }, 'x', second), {
      pasted: [before],
      unexplained: { given: OTHER, problem: 'It was none.' },
    });
    expect(await explain(app, GIVEN)).toBe(true);
    expect([sent, asked[0]?.body]).toEqual([['POST /dev/explain'], { input: 'x', expectations: {} }]);
    const { pasted, selected, drawer, toFocus, unexplained, status } = store.get();
    expect(pasted).toEqual([kept(first, 8, 0), kept(worst, 9, 1), kept(second, 10, 2), before]);
    expect({ selected, drawer, toFocus, unexplained, status }).toEqual({
      selected: 'pasted-9',
      drawer: undefined,
      toFocus: 'pasted-9-heading',
      unexplained: undefined,
      status: '3 ceremonies explained.',
    });
  });

  test.each([
    ['It is one.', 'It is one.'],
    [null, 'Explained.'],
  ])('of one document says its headline, %s', async (headline, status) => {
    const one = document('a', { headline });
    const bare = { ...one, options: null, response: null };
    const { app, store } = open(documents(bare));
    expect(await explain(app, GIVEN)).toBe(true);
    expect(store.get()).toMatchObject({ selected: 'pasted-1', status, statusFailed: false });
    expect(store.get().pasted[0]).toStrictEqual({ ...kept(one, 1, 0), document: bare, options: undefined, response: undefined });
  });

  test.each<[Answer, string]>([
    [documents(), '200: The server gave no reason.'],
    [documents('x'), '200: The server gave no reason.'],
    [{ status: 422, answer: { documents: [document('a')], detail: 'Not so.' } }, 'Not so.'],
    [GONE, 'The server did not answer.'],
  ])('answered %j stays in the field, with the reason', async (answer, problem) => {
    const before = kept(document('old'), 7, 0);
    const { app, store } = open(answer, { pasted: [before], selected: 'pasted-7' });
    expect(await explain(app, GIVEN)).toBe(false);
    const { pasted, selected, drawer, toFocus, unexplained } = store.get();
    expect({ pasted, selected, drawer, toFocus, unexplained }).toEqual({
      pasted: [before],
      selected: undefined,
      drawer: undefined,
      toFocus: 'paste-box',
      unexplained: { given: GIVEN, problem },
    });
  });
});

describe('an input that is typed on', () => {
  test('takes the places of the documents before, and leaves the others', async () => {
    const others = kept(document('other'), 3, 0, { at: 3, from: { given: OTHER, index: 0, expected: EXPECTED } });
    const before = [kept(document('a'), 5, 0, { at: 5 }), kept(document('b'), 4, 1, { at: 4 })];
    const later = { input: 'xy' };
    const { app, store } = open(documents(document('c'), document('d'), document('e')), { pasted: [...before, others] });
    await explainTyped(app, later, GIVEN);
    const from = (index: number) => ({ from: { given: later, index, expected: EXPECTED } });
    expect(store.get().pasted).toEqual([
      kept(document('c'), 5, 0, { at: 5, ...from(0) }),
      kept(document('d'), 4, 1, { at: 4, ...from(1) }),
      kept(document('e'), 8, 2, from(2)),
      others,
    ]);
    expect(store.get()).toMatchObject({ selected: 'pasted-5', drawer: 'break', status: '3 ceremonies explained.' });
  });

  test('is taken out where it cannot be explained or is empty, and nothing else is', async () => {
    const others = kept(document('other'), 3, 0, { from: { given: OTHER, index: 0, expected: EXPECTED } });
    const saved = kept(document('saved'), 2, 0, { from: undefined });
    const all = [kept(document('a'), 5, 0), others, saved];
    const { app, store } = open(GONE, { pasted: all, selected: 'pasted-5' });
    await explainTyped(app, undefined, undefined);
    expect(store.get()).toMatchObject({ pasted: all, selected: undefined, unexplained: undefined });
    const later = { input: 'xy' };
    await explainTyped(app, later, GIVEN);
    expect(store.get().pasted).toEqual([others, saved]);
    expect(store.get().unexplained).toEqual({ given: later, problem: 'The server did not answer.' });
  });
});

test('what is explained again keeps its place, its id and its time', async () => {
  const all = [kept(document('a'), 5, 0, { at: 5 }), kept(document('b'), 4, 1, { at: 4 })];
  const other = kept(document('other'), 3, 0, { from: { given: OTHER, index: 0, expected: EXPECTED } });
  const expected = { texts: {}, wrong: {} };
  const { app, store } = open(documents(document('c'), document('d')), { pasted: [...all, other], expected });
  await explainAgain(app, GIVEN);
  const from = (index: number) => ({ from: { given: GIVEN, index, expected } });
  expect(store.get().pasted).toEqual([
    kept(document('c'), 5, 0, { at: 5, ...from(0) }),
    kept(document('d'), 4, 1, { at: 4, ...from(1) }),
    other,
  ]);
  expect(store.get().pasted[0]?.from?.expected).toBe(expected);
  // The server that is gone changes nothing.
  const gone = open(GONE, { pasted: all });
  await explainAgain(gone.app, GIVEN);
  expect(gone.store.get().pasted).toEqual(all);
});

test.each<[Answer, unknown]>([
  [
    documents(document('a'), document('b')),
    { document: document('a'), kindName: 'kind of a', options: { of: 'a' }, response: { to: 'a' } },
  ],
  [documents(), undefined],
  [{ status: 404, answer: { documents: [document('a')] } }, undefined],
])('the example of the server in %j', async (answer, example) => {
  const { app, sent, store } = open(answer);
  expect(await loadExample(app)).toEqual(example);
  expect([sent, store.get().pasted]).toEqual([['GET /dev/example'], []]);
});

test('a link without contents shows nothing', async () => {
  const { app, store } = open(GONE);
  const before = store.get();
  await explainShared(app, undefined);
  expect(store.get()).toBe(before);
});

describe('the fields of a response', () => {
  const ANNOTATION = { response: { label: 'response', children: [] }, public_key: null, rp_id_hash: null };

  test('are asked for once for each response, key and RP ID', async () => {
    const { app, sent, asked } = open({ status: 200, answer: ANNOTATION });
    const response = { id: 'AQ' };
    const one = { response, publicKey: 'key', rpId: 'localhost' };
    const found = await Promise.all([annotate(app, one), annotate(app, { ...one })]);
    expect(found).toEqual([{ annotation: ANNOTATION }, { annotation: ANNOTATION }]);
    expect(asked).toEqual([{ path: '/dev/annotate', body: { response, public_key: 'key', rp_id: 'localhost' } }]);
    await annotate(app, one);
    expect(sent).toEqual(['POST /dev/annotate']);
    for (const other of [
      { ...one, publicKey: undefined },
      { ...one, rpId: undefined },
      { ...one, response: { ...response } },
    ]) {
      await annotate(app, other);
    }
    expect(sent).toHaveLength(4);
  });

  test.each<[Answer, string]>([
    [GONE, 'The server did not answer.'],
    [{ status: 422, answer: { ...ANNOTATION, detail: 'Not so.' } }, 'Not so.'],
    [{ status: 422, answer: ANNOTATION }, '422: The server gave no reason.'],
    [{ status: 200, answer: { response: null } }, '200: The server gave no reason.'],
    [{ status: 200, answer: 'x' }, '200: The server gave no reason.'],
  ])('answered %j are asked for again', async (answer, problem) => {
    const { app, sent } = open(answer);
    const one = { response: { id: 'AQ' }, rpId: 'localhost' };
    expect(await annotate(app, one)).toEqual({ problem });
    expect(await annotate(app, one)).toEqual({ problem });
    expect(sent).toHaveLength(2);
  });
});

test.each([
  [
    {
      errors: [
        { pointer: '/expectations/origin/0', detail: 'It is none.' },
        { pointer: '/input', detail: 'No.' },
      ],
    },
    { origin: 'It is none.' },
  ],
  [{ errors: [{ pointer: '/expectations/rpId' }, { detail: 'No.' }, 'x'] }, { rpId: '' }],
  [{}, {}],
])('the expectations that %j names', (problem, wrong) => {
  expect(findWrong(problem)).toEqual(wrong);
});

test.each(['expect.rpId=a', '#expect.rpId=a&rpId=b&x.expect.rpId=c'])('the expectations of the address %s', (fragment) => {
  expect(expectedFromFragment(fragment)).toEqual({ texts: { rpId: 'a' }, wrong: {} });
});

test('expectations that the server cannot read are marked besides those of before, and the rest is sent again', async () => {
  const rows = STATED_EXPECTATIONS.filter(({ name }) => ['origin', 'rpId', 'signCount'].includes(name));
  const answers = [
    { status: 422, answer: { errors: [{ pointer: '/expectations/origin', detail: 'No origin.' }] } },
    documents(document('a')),
  ];
  const { app, store, asked } = tab({
    answer: () => answers.shift() ?? GONE,
    state: {
      expectations: { status: 'loaded', rows },
      expected: { texts: { origin: 'x', rpId: 'shop.example', signCount: 'y' }, wrong: { signCount: 'No number.' } },
    },
  });
  await explain(app, GIVEN);
  expect(asked.map(({ body }) => body?.['expectations'])).toEqual([{ origin: ['x'], rpId: 'shop.example' }, { rpId: 'shop.example' }]);
  expect(store.get().expected).toEqual({
    texts: { origin: 'x', rpId: 'shop.example', signCount: 'y' },
    wrong: { origin: 'No origin.', signCount: 'No number.' },
  });
});
