import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { describeSoftware, findMaterial, isShown, listItems } from '../../src/page/items.js';
import type { BrowserLeg, HttpLeg, Run } from '../../src/page/run.js';
import { shownText } from '../../src/page/shown-text.js';
import { describeVerdict } from '../../src/page/verdicts.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry as entry, streamDetail } from './stream-entries.js';

const ALL = { which: 'all', search: '' } as const;

const http = (requestId: string, change: Partial<HttpLeg> = {}) => httpLeg({ requestId, ...change });

const browser = (change: Partial<BrowserLeg> = {}) => browserLeg({ options: { challenge: 'AAAA' }, response: { id: 'own' }, ...change });

const run = (id: number, change: Partial<Run> = {}) => loginRun({ id, startedAt: Date.parse('2026-01-15T10:29:59Z') + id, ...change });

describe('the list', () => {
  test('joins a run of this tab with the entries of the server that its requests made, under the key of the run', () => {
    const own = run(1, { legs: [http('e1-1'), browser()], requestIds: ['e1-1', 'e2-1'] });
    const items = listItems({ runs: [own], stream: [entry('e2'), entry('e1'), entry('e3')], pasted: [] });
    expect(items.map(({ key, entry: joined, mine }) => [key, joined?.id, mine])).toEqual([
      ['e3', 'e3', false],
      ['run-1', 'e2', true],
    ]);
  });

  test('has of a run what its last entry says of it, and of an entry what the server says', () => {
    const software = { persona: 'titan', tamper: undefined };
    const own = run(1, {
      legs: [http('e1-1'), browser({ software }), http('e1-2', { status: 401, answer: { code: 'origin_mismatch' } })],
      outcome: 'rejected',
      requestIds: ['e1-1', 'e1-2'],
    });
    const joined = entry('e1', { user: null, owner: 'User:7', changed_options: ['timeout'], code: 'origin_mismatch' });
    const other = entry('e2', { at: '2026-01-15T09:00:00.000000Z', kind: 'registration', user: null, owner: null, passkey: null });
    expect(listItems({ runs: [own], stream: [joined, other], pasted: [] })).toEqual([
      {
        key: 'run-1',
        at: own.startedAt,
        kind: 'authentication',
        title: 'Log in',
        verdict: 'rejected',
        mine: true,
        source: 'this tab',
        user: 'User:7',
        passkey: 'Laptop',
        code: 'origin_mismatch',
        changed: ['timeout'],
        software,
        run: own,
        entry: joined,
        pasted: undefined,
      },
      {
        key: 'e2',
        at: Date.parse(other.at),
        kind: 'registration',
        title: 'Register a passkey',
        verdict: 'verified',
        mine: false,
        source: 'curl/8.5.0',
        user: undefined,
        passkey: undefined,
        code: undefined,
        changed: [],
        software: undefined,
        run: undefined,
        entry: other,
        pasted: undefined,
      },
    ]);
  });

  test('is in the order of time, the newest first', () => {
    const items = listItems({
      runs: [run(2), run(1)],
      stream: [entry('late', { at: '2026-01-15T10:31:00.000000Z' }), entry('early', { at: '2026-01-15T09:00:00.000000Z' })],
      pasted: [],
    });
    expect(items.map(({ key }) => key)).toEqual(['late', 'run-2', 'run-1', 'early']);
  });

  test.each([
    ['curl', { user_agent: 'curl/8.5.0' }, 'curl/8.5.0'],
    ['the page of another tab', { page: true, user_agent: 'Mozilla/5.0 Chrome/140.0' }, 'the test page'],
    ['a browser', { user_agent: 'Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36' }, 'Chrome 140'],
    ['a command', { user_agent: null, via: 'passkey revoke' }, 'command line'],
    ['nobody known', { user_agent: null, via: null }, 'unknown'],
    ['a request of the server itself', { user_agent: null, via: 'sweep' }, 'sweep'],
    ['a site', { page: true, site: 'https://shop.example' }, 'https://shop.example'],
    ['a program with a long name', { user_agent: `(${'x'.repeat(30)}` }, `(${'x'.repeat(23)}`],
    ['a program that names a browser', { user_agent: 'agent/1.2 Chrome/140.0' }, 'agent/1.2'],
    ['an unknown browser', { user_agent: 'Mozilla/5.0 (X11) Other/1' }, 'Mozilla/5.0'],
  ])('names who asked: %s', (_, change, source) => {
    expect(listItems({ runs: [], stream: [entry('e', change)], pasted: [] })[0]?.source).toBe(source);
  });

  test('a ceremony that its browser ended is told from one that is still open', () => {
    const ended = { error: 'NotAllowedError', message: 'x', milliseconds: 5 };
    const verdicts = [entry('a', { state: 'open' }), entry('b', { state: 'open', browser: ended })].map(
      (one) => listItems({ runs: [], stream: [one], pasted: [] })[0],
    );
    expect(verdicts.map((item) => [item?.verdict, item?.code])).toEqual([
      ['open', undefined],
      ['browser-error', 'NotAllowedError'],
    ]);
  });
});

test.each([
  ['a request', { kind: 'request', state: 'refused', via: 'GET /api/passkeys' }, 'GET /api/passkeys'],
  [
    'a change',
    { kind: 'change', state: 'changed', via: '/api/passkeys/:id', message: 'Passkey 1 "Laptop" was renamed.' },
    'Passkey 1 "Laptop" was renamed.',
  ],
  [
    'requests of a page of another origin',
    {
      kind: 'request',
      via: 'OPTIONS /api',
      message: 'A page called',
      foreign: { origin: 'http://localhost:1', requests: 2, command: null },
    },
    'A page called',
  ],
  ['a request of which nothing is said', { kind: 'request', state: 'refused', via: null, message: 'No.' }, 'Request'],
  [
    'requests of another page of which nothing is said',
    { kind: 'request', foreign: { origin: 'http://localhost:1', requests: 2, command: null } },
    'Passkey changed',
  ],
  ['a registration', { kind: 'registration', via: '/x', message: 'm' }, 'Register a passkey'],
  ['a change of which nothing is said', { kind: 'change', state: 'changed', via: 'passkey revoke' }, 'Passkey changed'],
] as const)('the title of %s says what it is', (_, change, title) => {
  expect(listItems({ runs: [], stream: [entry('e', change)], pasted: [] })[0]?.title).toBe(title);
});

test('an entry with all that the server may say of it is whole, and so is one that says nothing', () => {
  const browser = { error: 'NotAllowedError', message: 'x', milliseconds: 5 };
  const software = { persona: null, tamper: 'login.broken', title: 'a bit' };
  const full = entry('e', { user: null, owner: 'User:9', changed_options: ['hints'], software, browser, state: 'expired' });
  const item = { at: Date.parse(full.at), kind: 'authentication', mine: false, run: undefined, pasted: undefined } as const;
  const bare = entry('b', { user: null, owner: null, passkey: null });
  expect(listItems({ runs: [], stream: [full, bare], pasted: [] })).toStrictEqual([
    {
      ...item,
      key: 'e',
      title: 'Break it: a bit',
      verdict: 'browser-error',
      source: 'curl/8.5.0',
      user: 'User:9',
      passkey: 'Laptop',
      code: 'NotAllowedError',
      changed: ['hints'],
      software: { persona: undefined, tamper: 'login.broken' },
      entry: full,
    },
    {
      ...item,
      key: 'b',
      title: 'Log in',
      verdict: 'verified',
      source: 'curl/8.5.0',
      user: undefined,
      passkey: undefined,
      code: undefined,
      changed: [],
      software: undefined,
      entry: bare,
    },
  ]);
  const own = listItems({ runs: [], stream: [{ ...full, code: 'refused' }], pasted: [], titles: { 'e-2': 'Own' } });
  expect(own).toMatchObject([{ title: 'Own', mine: true, source: 'this tab', code: 'refused' }]);
});

test('a run without an entry has what its legs say, and a run with one what the server says', () => {
  const thrown = { name: 'SecurityError', message: '', explanation: { title: '', causes: [], next: '' } };
  const bare = run(1, { outcome: 'running', legs: [browser({ response: undefined, error: thrown })] });
  const common = { kind: 'authentication', title: 'Log in', mine: true, source: 'this tab', software: undefined, pasted: undefined };
  expect(listItems({ runs: [bare], stream: [], pasted: [] })).toStrictEqual([
    {
      ...common,
      key: 'run-1',
      at: bare.startedAt,
      verdict: 'waiting',
      user: undefined,
      passkey: undefined,
      code: 'SecurityError',
      changed: [],
      run: bare,
      entry: undefined,
    },
  ]);
  const own = run(1, { requestIds: ['e-1'] });
  const told = entry('e', { user: null, owner: null, passkey: null });
  expect(listItems({ runs: [own], stream: [told], pasted: [] })).toStrictEqual([
    {
      ...common,
      key: 'run-1',
      at: own.startedAt,
      verdict: 'verified',
      user: undefined,
      passkey: undefined,
      code: undefined,
      changed: [],
      run: own,
      entry: told,
    },
  ]);
});

describe('what was pasted', () => {
  const step = {
    section: '7.2',
    number: 1,
    slug: 's',
    title: 't',
    expected: null,
    received: null,
    hint: null,
    reason: null,
    open: false,
  } as const;
  const failing = { ...step, status: 'fail', code: 'origin_mismatch' } as const;
  const passing = { ...step, status: 'pass', code: 'no' } as const;
  const server = { status: 400, body: '', message: null, agrees: null };
  const known = { from: 'x', title: 't', causes: [], next: '', step: null, expectations: [], source: null };
  const itemOf = (change: Partial<ExplainDocument>, kindName?: string) => {
    const pasted = {
      id: 3,
      at: 5,
      document: { ...NOTHING_EXPLAINED, source: '-', ...change },
      kindName,
      options: undefined,
      response: undefined,
    };
    return { pasted, items: listItems({ runs: [], stream: [], pasted: [pasted] }) };
  };

  test('is whole', () => {
    const { pasted, items } = itemOf({ steps: [passing, failing] });
    expect(items).toStrictEqual([
      {
        key: 'pasted-3',
        at: 5,
        kind: 'pasted',
        title: '-',
        verdict: 'explained',
        mine: true,
        source: 'pasted',
        user: undefined,
        passkey: undefined,
        code: 'origin_mismatch',
        changed: [],
        software: undefined,
        run: undefined,
        entry: undefined,
        pasted,
      },
    ]);
  });

  test.each<[Partial<ExplainDocument>, string | undefined, string, string, string | undefined]>([
    [{ name: 'login.json' }, 'a login', 'login.json', 'explained', undefined],
    [{}, 'a login', 'a login', 'explained', undefined],
    [{ error: { code: 'cbor_malformed', message: '' }, steps: [failing] }, undefined, '-', 'error', 'cbor_malformed'],
    [{ known_errors: [known] }, undefined, '-', 'error', undefined],
    [{ ceremony: 'registration' }, undefined, '-', 'browser-error', undefined],
    [{ ceremony: 'registration', error: { code: 'x', message: '' } }, undefined, '-', 'error', 'x'],
    [{ verdict: 'undecided' }, undefined, '-', 'undecided', undefined],
    [{ verdict: 'accepted' }, undefined, '-', 'verified', undefined],
    [{ verdict: 'rejected', server: { ...server, verdict: 'accepted' } }, undefined, '-', 'rejected', undefined],
    [{ verdict: 'undecided', server: { ...server, verdict: 'accepted' } }, undefined, '-', 'verified', undefined],
    [{ verdict: 'accepted', server: { ...server, verdict: 'refused' } }, undefined, '-', 'rejected', undefined],
    [{ verdict: 'accepted', server: { ...server, verdict: 'failed' } }, undefined, '-', 'rejected', undefined],
    [{ verdict: 'undecided', server: { ...server, verdict: 'unknown' } }, undefined, '-', 'undecided', undefined],
  ])('%j (%s) is titled and judged', (change, kindName, title, verdict, code) => {
    expect(itemOf(change, kindName).items).toMatchObject([{ title, verdict, code }]);
  });
});

test.each([
  [{ persona: undefined, tamper: undefined }, ''],
  [{ persona: 'plain', tamper: undefined }, 'software'],
  [{ persona: 'titan', tamper: 'login.broken' }, 'software: Titan · broken: login.broken'],
  [{ persona: undefined, tamper: 'login.broken' }, 'broken: login.broken'],
])('a row describes %j', (software, text) => {
  expect(describeSoftware(software, { status: 'loaded', rows: [{ ...PERSONA, id: 'titan', title: 'Titan' }] })).toBe(text);
});
const PERSONA = { description: '', quirks: [], attachment: '', synced: false, attestation: [] };

test.each([
  [run(1, { kind: 'other', title: 'Sign in as ada@example.com' }), 'done'],
  [run(1), 'verified'],
])('the word of a run', (one, word) => {
  expect(listItems({ runs: [one], stream: [], pasted: [] }).map(describeVerdict)).toEqual([word]);
});

test('a ceremony that another tab broke on purpose has its name', () => {
  const broken = entry('e', { software: { persona: 'plain', tamper: 'login.signature-bit', title: 'one bit flipped' } });
  expect(listItems({ runs: [], stream: [broken], pasted: [] })).toMatchObject([{ title: 'Break it: one bit flipped', mine: false }]);
});

test('what others have chosen turns nothing round, and hides nothing', () => {
  const label = 'gpj.\u202Eyek\u200B \u0007';
  const [item] = listItems({ runs: [], stream: [entry('e', { user: '\u2067ada', passkey: { id: 1, label } })], pasted: [] });
  expect(item).toMatchObject({ user: '[U+2067]ada', passkey: 'gpj.[U+202E]yek[U+200B] [U+0007]' });
  expect(shownText('👩\u200D💻 שלום\n\tא')).toBe('👩\u200D💻 שלום\n\tא');
  expect(JSON.parse(shownText(JSON.stringify(label), '\\u', ''))).toBe(label);
});

describe('filters', () => {
  const items = listItems({
    runs: [run(1, { outcome: 'browser-error' })],
    stream: [
      entry('ok', { software: { persona: 'plain', tamper: 'auth.other' } }),
      entry('no', { state: 'rejected', code: 'signature_invalid', passkey: null, user: 'bob@example.com' }),
    ],
    pasted: [],
  });
  const keys = (filter: Parameters<typeof isShown>[1]) => items.filter((item) => isShown(item, filter)).map(({ key }) => key);

  test.each([
    [ALL, ['ok', 'no', 'run-1']],
    [{ which: 'mine', search: '' }, ['run-1']],
    [{ which: 'failed', search: '' }, ['no', 'run-1']],
    [{ which: 'all', search: 'BOB signature' }, ['no']],
    [{ which: 'all', search: 'laptop' }, ['ok']],
    [{ which: 'failed', search: 'laptop' }, []],
    [{ which: 'all', search: 'verified broken: auth.other' }, ['ok']],
    [{ which: 'all', search: 'no answer' }, ['run-1']],
  ] as const)('%o', (filter, expected) => {
    expect(keys(filter)).toEqual(expected);
  });
});

describe('material', () => {
  test('is the tab’s own where it has some, else what the server kept', () => {
    const foreign = entry('e');
    const detail = streamDetail(foreign, { options: { challenge: 'BBBB' }, response: { id: 'kept' } });
    const details = new Map([['e', { status: 'loaded' as const, detail }]]);
    const [own, other] = [
      listItems({ runs: [run(1, { legs: [browser()] })], stream: [], pasted: [] })[0],
      listItems({ runs: [], stream: [foreign], pasted: [] })[0],
    ];
    if (own === undefined || other === undefined) throw new Error('no items');
    expect(findMaterial(own, details)).toEqual({ options: { challenge: 'AAAA' }, response: { id: 'own' } });
    expect(findMaterial(other, details)).toEqual({ options: { challenge: 'BBBB' }, response: { id: 'kept' } });
    expect(findMaterial(other, new Map())).toEqual({ options: undefined, response: undefined });
    const empty = streamDetail(foreign);
    expect(findMaterial(other, new Map([['e', { status: 'loaded' as const, detail: empty }]]))).toEqual({
      options: undefined,
      response: undefined,
    });
  });
});
