import { describe, expect, test } from 'vitest';
import { personaRows } from '../../src/cli/serve/personas.js';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { softwareText } from '../../src/page/catalogue.js';
import { treeToField } from '../../src/page/decode.js';
import { type Item, isShown, listItems } from '../../src/page/items.js';
import type { Run } from '../../src/page/run.js';
import { describeVerdict } from '../../src/page/verdicts.js';
import { candidatesFor, compare, isComparable, type Side } from '../../src/page/view/subject/compare.js';
import {
  awaitsExplanation,
  collectExpected,
  findBrowserError,
  findExplanation,
  findForeign,
} from '../../src/page/view/subject/explanation.js';
import { listFacts } from '../../src/page/view/subject/facts.js';
import { failedSlug, failedSteps, libraryLine, type Step, tally } from '../../src/page/view/subject/steps.js';
import { describeEnd, splitCode, verdictWord } from '../../src/page/view/subject/verdict-text.js';
import { formatDuration, formatTime } from '../../src/page/view/time.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamDetail, streamEntry } from './stream-entries.js';

const STEP = { section: '7.2', number: 12, slug: 'origin', title: 'The origin is not the expected one' } as const;
const FAILED = { ...STEP, expected: 'http://localhost:7277', received: 'http://evil.example', hint: 'Serve the page from there.' };

const itemOf = (change: Partial<StreamEntry>): Item => {
  const [item] = listItems({ runs: [], stream: [streamEntry('e', change)], pasted: [] });
  if (item === undefined) throw new Error('expected an item');
  return item;
};
const step = (number: number, status: Step['status'], change: Partial<Step> = {}): Step => ({
  section: '7.2',
  number,
  slug: `s${number}`,
  title: `Step ${number}`,
  status,
  expected: null,
  received: null,
  code: null,
  hint: null,
  reason: null,
  open: false,
  ...change,
});
const explained = (change: Partial<ExplainDocument>): ExplainDocument => ({
  ...NOTHING_EXPLAINED,
  source: '-',
  ceremony: 'authentication',
  verdict: 'accepted',
  ...change,
});

describe('the sentence under the verdict', () => {
  test.each<[Partial<StreamEntry>, string]>([
    [{}, 'The server verified the assertion.'],
    [
      {
        state: 'expired',
        site: 'https://shop.example',
        browser: { error: 'SecurityError', message: 'The RP ID is of another site.', milliseconds: 29 },
      },
      'SecurityError: The RP ID is of another site.',
    ],
    [
      { state: 'undecided', status: null, code: null, site: 'https://shop.example' },
      'The page did not send it to its server, or only part of it.',
    ],
    [{ state: 'undecided', status: 302, code: null, site: 'https://shop.example' }, '302: The site did not say whether it accepts it.'],
    [{ kind: 'registration' }, 'The server verified and stored the passkey.'],
    [
      { state: 'rejected', status: 401, code: 'origin_mismatch', step: FAILED },
      '401 origin_mismatch: Step 12 fails: “The origin is not the expected one”.',
    ],
    [
      { kind: 'request', state: 'refused', status: 422, code: 'validation_failed', message: '/id is missing.' },
      '422 validation_failed: /id is missing.',
    ],
    [
      { state: 'refused', message: 'A page called; start with', foreign: { origin: 'http://localhost:1', requests: 1, command: null } },
      'It sent 1 request. The browser withholds the answers, since this server does not allow the page’s origin.',
    ],
    [{ kind: 'change', state: 'changed', message: 'Passkey 1 was revoked.' }, 'It was changed by /api/passkeys/login.'],
    [{ state: 'open' }, 'Begun, but not answered. Its challenge can still be answered.'],
    [{ state: 'expired' }, 'Begun, but not answered. Its challenge has expired.'],
    [
      { state: 'expired', browser: { error: 'NotAllowedError', message: null, milliseconds: 9_000 } },
      'NotAllowedError: The user or the browser ended it. Its challenge has expired.',
    ],
    [
      {
        state: 'open',
        browser: { error: 'NotAllowedError', message: null, milliseconds: 9_000 },
        software: { persona: 'titan', tamper: null },
      },
      'NotAllowedError: The software authenticator gave no answer. Its challenge can still be answered.',
    ],
    [
      {
        state: 'open',
        browser: { error: 'NotAllowedError', message: null, milliseconds: 9_000 },
        software: { persona: null, tamper: 'x' },
      },
      'NotAllowedError: The user or the browser ended it. Its challenge can still be answered.',
    ],
    [
      { state: 'open', browser: { error: null, message: null, milliseconds: 3 } },
      'Begun, but not answered. Its challenge can still be answered.',
    ],
    [{ state: 'open', site: 'https://shop.example' }, 'Begun, but not answered.'],
    [
      { state: 'open', site: 'https://shop.example', browser: { error: 'SecurityError', message: null, milliseconds: 3 } },
      'SecurityError: ',
    ],
    [
      { state: 'rejected', site: 'https://shop.example', status: 400, code: 'origin_mismatch', step: FAILED },
      'origin_mismatch: The site refused it (400), and step 12 fails: “The origin is not the expected one”.',
    ],
    [{ state: 'scripted', site: 'https://shop.example', status: 400 }, 'The site refused it (400).'],
    [{ state: 'refused', status: null }, 'refused: The server gave no reason.'],
    [{ state: 'refused', status: null, code: 'x', message: 'No.' }, 'x: No.'],
    [{ state: 'undecided', status: 302, code: 'x' }, '302 x: The site did not say whether it accepts it.'],
    [{ kind: 'change', state: 'changed' }, 'Changed by /api/passkeys/login.'],
    [{ kind: 'change', state: 'changed', via: null }, 'Changed by the server.'],
    [{ state: 'elsewhere' }, 'Another process on the same database got the answer: see its stream, or the result in `passkey audit`.'],
    [
      { state: 'open', browser: { error: 'SecurityError', message: null, milliseconds: 3 } },
      'SecurityError: The browser gave no answer. Its challenge can still be answered.',
    ],
  ])('of %j', (change, sentence) => {
    expect(describeEnd(itemOf(change))).toBe(sentence);
  });

  test.each<[string, string | undefined, string]>([
    ['401 origin_mismatch: No.', '401 origin_mismatch', ' No.'],
    ['NotAllowedError: No.', 'NotAllowedError', ' No.'],
    ['401: The server gave no reason.', '401', ' The server gave no reason.'],
    ['Registered “a: b” as passkey 1.', undefined, 'Registered “a: b” as passkey 1.'],
  ])('%s starts with the code %s', (sentence, code, rest) => {
    expect(splitCode(sentence)).toStrictEqual({ code, rest });
  });
});

describe('the verdict in large', () => {
  test.each<[Partial<StreamEntry>, string]>([
    [{}, 'Verified'],
    [{ state: 'rejected' }, 'Refused'],
    [{ state: 'open', browser: { error: 'NotAllowedError', message: null, milliseconds: 9_000 } }, 'Ended without an answer'],
    [{ state: 'open', browser: { error: 'AbortError', message: null, milliseconds: 9 } }, 'Cancelled'],
    [{ state: 'open', browser: { error: 'NotAllowedError', message: null, milliseconds: 9 } }, 'No answer from the browser'],
  ])('of %j', (change, word) => {
    expect(verdictWord(itemOf(change))).toBe(word);
  });
});

describe('what was pasted', () => {
  const pastedItem = (document: ExplainDocument) => {
    const [item] = listItems({ runs: [], stream: [], pasted: [{ id: 1, at: 0, document, options: undefined, response: undefined }] });
    if (item === undefined) throw new Error('expected an item');
    return item;
  };

  test.each<[Partial<ExplainDocument>, string, string]>([
    [{}, 'Accepted', 'Every step that applies passes.'],
    [
      { verdict: 'rejected', steps: [step(12, 'fail', { code: 'origin_mismatch', title: 'The origin is not the expected one' })] },
      'Refused',
      'origin_mismatch: Step 12 fails: “The origin is not the expected one”.',
    ],
    [
      { verdict: 'rejected', steps: [step(1, 'pass'), step(12, 'fail', { code: null, title: 'The origin' })] },
      'Refused',
      'rejected: Step 12 fails: “The origin”.',
    ],
    [{ verdict: 'rejected', steps: [] }, 'Refused', 'A step fails.'],
    [{ verdict: 'undecided' }, 'Undecided', 'Nothing fails, but something decisive is missing: the open steps say what.'],
    [
      {
        verdict: 'accepted',
        server: { status: 400, verdict: 'refused', body: '{"error":"no"}', message: 'no', agrees: false },
        headline: 'Refused by your server (400): “no”',
      },
      'Refused by your server (400): “no”',
      'Every step that applies passes.',
    ],
    [
      {
        verdict: 'undecided',
        server: { status: 500, verdict: 'failed', body: 'no', message: 'no', agrees: null },
        headline: 'Your server failed (500), which is not a refusal: wrong origin',
        known_errors: [
          {
            from: 'SimpleWebAuthn',
            title: 'Another origin',
            causes: [],
            next: 'Name the origin of the page.',
            step: 'origin',
            expectations: [{ member: 'origin', flag: '--origin https://a.example', value: 'https://a.example' }],
            source: null,
          },
        ],
      },
      'Your server failed (500), which is not a refusal: wrong origin',
      'Another origin.',
    ],
    [
      {
        verdict: 'undecided',
        server: { status: 400, verdict: 'refused', body: '{}', message: null, agrees: null },
        headline: 'Refused by your server (400): this response was sent before',
        known_errors: [
          {
            from: 'recording',
            title: 'This response was sent before',
            causes: ['It is the same.'],
            next: 'Ask for new options.',
            step: 'challenge',
            expectations: [],
            source: null,
          },
        ],
      },
      'Refused by your server (400): this response was sent before',
      '',
    ],
    [
      {
        ceremony: null,
        verdict: null,
        known_errors: [
          { from: 'Chromium', title: 'Aborted', causes: ['A navigation.'], next: 'Try again.', step: null, expectations: [], source: null },
        ],
      },
      'Aborted',
      'Error text of Chromium.',
    ],
    [
      {
        verdict: 'undecided',
        server: { status: 201, verdict: 'accepted', body: '{}', message: null, agrees: null },
        headline: 'Accepted by your server (201); here undecided',
      },
      'Accepted by your server (201); here undecided',
      'Nothing fails, but something decisive is missing: the open steps say what.',
    ],
    [
      { verdict: null, headline: 'No answer from the browser: no reason' },
      'No answer from the browser: no reason',
      'The call got no response.',
    ],
    [{ ceremony: null, verdict: null }, 'Explained', 'This is not a ceremony: it has no steps.'],
    [{ verdict: null, error: { code: 'cbor_malformed', message: 'Byte 3.' } }, 'Not readable', 'cbor_malformed: Byte 3.'],
  ])('%j', (change, word, sentence) => {
    const item = pastedItem(explained(change));
    expect([verdictWord(item, item.pasted?.document), describeEnd(item)]).toStrictEqual([word, sentence]);
  });

  test.each<[Partial<ExplainDocument>, string, boolean]>([
    [{}, 'accepted', false],
    [{ server: { status: 400, verdict: 'refused', body: '', message: null, agrees: false } }, 'refused', true],
    [{ server: { status: 503, verdict: 'failed', body: '', message: null, agrees: null } }, 'refused', true],
    [{ verdict: 'undecided', server: { status: 200, verdict: 'accepted', body: '', message: null, agrees: null } }, 'accepted', false],
    [{ verdict: 'rejected', server: { status: 200, verdict: 'accepted', body: '', message: null, agrees: false } }, 'refused', true],
    [{ verdict: 'undecided', server: { status: 302, verdict: 'unknown', body: '', message: null, agrees: null } }, 'undecided', false],
    [{ verdict: null }, 'no answer from the browser', true],
    [{ verdict: null, error: { code: 'cbor_malformed', message: 'Byte 3.' } }, 'error', true],
    [{ verdict: null, ceremony: null }, 'explained', false],
  ])('has a word in the list, and is among the failed or not: %j', (change, word, failed) => {
    const item = pastedItem(explained(change));
    expect([describeVerdict(item), isShown(item, { which: 'failed', search: '' })]).toEqual([word, failed]);
  });

  test('its tree is drawn as it is', () => {
    const leaf = { offset: null, length: null, note: null, children: [] };
    const tree = { ...leaf, label: 'options', value: null, error: null, children: [{ ...leaf, label: 'rp', value: 'x', error: 'No.' }] };
    expect(treeToField(tree)).toMatchObject({ name: 'options', children: [{ name: 'rp', value: 'x', note: 'No.', verdict: 'bad' }] });
  });
});

test('a run that verified nothing is done', () => {
  expect(listItems({ runs: [loginRun({ kind: 'other' })], stream: [], pasted: [] }).map((item) => verdictWord(item))).toStrictEqual([
    'Done',
  ]);
});

test('facts are those that are known', () => {
  const names = listFacts(
    itemOf({ address: '192.0.2.7', software: { persona: 'windows-hello', tamper: 'login.signature-bit' } }),
    undefined,
  );
  expect(names.map(({ name, value }) => [name, value]).slice(1)).toStrictEqual([
    ['Took', '1.25 s'],
    ['User', 'ada@example.com'],
    ['Passkey', 'Laptop'],
    ['From', 'curl/8.5.0'],
    ['Answered by', 'software authenticator as windows-hello'],
    ['Broken on purpose', 'login.signature-bit'],
    ['Address', '192.0.2.7'],
  ]);
  const refused = listFacts(itemOf({ state: 'rejected', user: null, owner: null, passkey: null }), undefined);
  expect(refused.slice(1).map(({ name, value }) => [name, value])).toStrictEqual([
    ['Took', '1.25 s'],
    ['From', 'curl/8.5.0'],
    ['Request id', 'e-2'],
  ]);
});

test('facts of an entry are whole: what the server knows, and no more than that', () => {
  const time = { name: 'Time', value: expect.any(String), mono: true, own: true };
  const item = itemOf({
    changed_options: ['hints', 'timeout'],
    software: { persona: 'titan', tamper: 'login.broken' },
    address: '2001:db8::1',
    state: 'rejected',
  });
  const detail = streamDetail(streamEntry('e'), { method: 'POST', path: '/api', change: { type: 'revoked', reason: 'lost' } });
  const personas = { status: 'loaded', rows: personaRows() } as const;
  const title = personas.rows.find(({ id }) => id === 'titan')?.title;
  expect(listFacts(item, detail, personas)).toEqual([
    time,
    { name: 'Took', value: '1.25 s', mono: true },
    { name: 'User', value: 'ada@example.com' },
    { name: 'Passkey', value: 'Laptop' },
    { name: 'From', value: 'curl/8.5.0' },
    { name: 'Answered by', value: `software authenticator as ${title}`, tone: 'accent' },
    { name: 'Broken on purpose', value: 'login.broken', mono: true, tone: 'warn' },
    { name: 'Changed options', value: 'hints, timeout', mono: true },
    { name: 'Request', value: 'POST /api', mono: true },
    { name: 'Address', value: '2001:db8::1', mono: true },
    { name: 'Reason', value: 'lost' },
    { name: 'Request id', value: 'e-2', mono: true },
  ]);
  const bare = itemOf({ finished_at: null, user: null, owner: null, passkey: null, address: '::1' });
  expect(listFacts(bare, streamDetail(streamEntry('e'), { method: 'GET' }))).toEqual([
    time,
    { name: 'From', value: 'curl/8.5.0' },
    { name: 'Request', value: 'GET ', mono: true },
  ]);
});

test.each<[string, Partial<Run>, readonly (readonly [string, string])[]]>([
  ['the sum of its legs', { legs: [httpLeg({ milliseconds: 2 }), browserLeg({ milliseconds: 997 })] }, [['Took', '999 ms']]],
  ['nothing yet', { outcome: 'running', legs: [httpLeg({ milliseconds: 2 })] }, []],
  ['nothing', { legs: [httpLeg({ milliseconds: 0 })] }, []],
  [
    'what its refusal says',
    { outcome: 'rejected', legs: [httpLeg({ milliseconds: 0, status: 401, answer: { request_id: 'r-1' } })] },
    [['Request id', 'r-1']],
  ],
  ['no id of a success', { legs: [httpLeg({ milliseconds: 0, answer: { request_id: 'r-1' } })] }, []],
])('a run of this tab took %s', (_, change, expected) => {
  const [item] = listItems({ runs: [loginRun(change)], stream: [], pasted: [] });
  const detail = streamDetail(streamEntry('e'), { method: 'POST', path: '/api' });
  const facts = item === undefined ? [] : listFacts(item, detail);
  expect(facts.filter(({ name }) => name !== 'Time').map(({ name, value }) => [name, value])).toEqual(
    [['From', 'this tab'], ...expected].toSorted(byTook),
  );
});
const byTook = ([one]: readonly string[], [other]: readonly string[]) => Number(other === 'Took') - Number(one === 'Took');

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1_000, '1.00 s'],
  [61_234, '61.23 s'],
])('%d ms are %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
  [undefined, ''],
  ['no time', 'no time'],
])('the time %s is “%s”', (time, text) => {
  expect(formatTime(time)).toBe(text);
});

test.each([
  [{ persona: 'plain', tamper: undefined }, 'software authenticator'],
  [{ persona: 'yubikey-5', tamper: 'login.signature-bit' }, 'software authenticator as YubiKey 5'],
  [{ persona: undefined, tamper: 'login.signature-bit' }, undefined],
])('who answered is said in words: %j', (software, words) => {
  expect(softwareText(software, { status: 'loaded', rows: personaRows() })).toBe(words);
});

test('a browser’s error that another page reported is explained by the server', () => {
  const item = itemOf({ kind: 'registration', state: 'open', browser: { error: 'InvalidStateError', message: 'no', milliseconds: 5 } });
  const explanation = { title: 'Known', causes: ['A cause.'], next: 'Go on.' };
  const detail = streamDetail(streamEntry('e'), { browser_explanation: explanation });
  expect(findBrowserError(item, detail)).toStrictEqual({ name: 'InvalidStateError', message: 'no', explanation });
  const silent = itemOf({ browser: { error: 'InvalidStateError', message: null, milliseconds: 5 } });
  expect(findBrowserError(silent, detail)).toStrictEqual({ name: 'InvalidStateError', message: '', explanation });
  expect(findBrowserError(silent, streamDetail(streamEntry('e')))).toBeUndefined();
  const error = { name: 'SecurityError', message: 'no', explanation };
  const [own] = listItems({ runs: [loginRun({ legs: [httpLeg(), browserLeg({ error })] })], stream: [], pasted: [] });
  expect(own && findBrowserError(own, detail)).toBe(error);
  // Not asked yet.
  expect(findBrowserError(item, undefined)).toBeUndefined();
  expect(findBrowserError(itemOf({}), detail)).toBeUndefined();
});

describe('steps', () => {
  test.each<[readonly Step['status'][], string]>([
    [['pass', 'pass'], '2 steps pass'],
    [['pass', 'skip'], '1 step passes, 1 skipped'],
    [['pass', 'fail', 'pass', 'skip'], '1 step fails, 2 pass, 1 skipped'],
    [['fail', 'fail'], '2 steps fail, 0 pass'],
  ])('%j: %s', (statuses, line) => {
    expect(tally(statuses.map((status, index) => step(index + 1, status)))).toBe(line);
  });

  test('an open one is counted by itself', () => {
    expect(tally([step(1, 'pass'), step(2, 'skip'), step(3, 'skip', { open: true })])).toBe('1 step passes, 1 open, 1 skipped');
  });

  test('the failed one is the explanation’s, before that the server’s', () => {
    const item = itemOf({ state: 'rejected', step: FAILED });
    expect(failedSteps(item, undefined)).toStrictEqual([FAILED]);
    const told = explained({ steps: [step(1, 'pass'), step(2, 'fail', { slug: 'challenge' })] });
    expect(failedSteps(item, told).map(({ number }) => number)).toStrictEqual([2]);
    expect([failedSlug(item, undefined), failedSlug(item, told)]).toStrictEqual(['origin', 'challenge']);
    expect(failedSteps(itemOf({}), undefined)).toStrictEqual([]);
  });

  test('the failed one of a refusal is read from its problem, until there is an explanation', () => {
    const refused = (one: unknown) => {
      const legs = [browserLeg(), httpLeg({ status: 401, answer: { code: 'x', step: one } })];
      const [item] = listItems({ runs: [loginRun({ legs, outcome: 'rejected' })], stream: [], pasted: [] });
      return item && failedSteps(item, undefined);
    };
    expect(refused(FAILED)).toStrictEqual([FAILED]);
    const bare = { section: '7.1', number: 5 };
    expect(refused(bare)).toStrictEqual([{ ...bare, slug: '', title: '', expected: null, received: null, hint: null }]);
    for (const none of [undefined, 'x', { ...FAILED, section: '8' }, { ...FAILED, number: '12' }]) expect(refused(none)).toEqual([]);
  });

  test.each([
    ['accepted', 'accepted', 'Why.', 'The verification library accepts it too.'],
    ['accepted', 'rejected', null, 'The verification library accepts it.'],
    ['rejected', 'rejected', null, 'The verification library refuses it too.'],
    ['not-asked', 'undecided', 'It has no key.', 'The verification library was not asked: It has no key.'],
    ['not-asked', 'undecided', null, 'The verification library was not asked.'],
  ] as const)('the library: %s, beside %s (%s)', (verdict, own, reason, text) => {
    for (const difference of [null, 'It is stricter.']) {
      expect(libraryLine(explained({ verdict: own, library: { verdict, reason }, difference }))).toStrictEqual({
        differs: difference !== null,
        text,
      });
    }
  });

  test('the library agrees, or its difference is shown', () => {
    const library = { verdict: 'rejected', reason: 'Unexpected origin.' } as const;
    expect(libraryLine(explained({ verdict: 'rejected', library }))).toStrictEqual({
      differs: false,
      text: 'The verification library refuses it too: Unexpected origin.',
    });
    expect(libraryLine(explained({ library, difference: 'It is stricter.' }))).toStrictEqual({
      differs: true,
      text: 'The verification library refuses it: Unexpected origin.',
    });
    expect(libraryLine(explained({}))).toBeUndefined();
  });

  test('are awaited while the server is asked for them, and never for what no server judged', () => {
    const status = (known: string | undefined) => awaitsExplanation(itemOf({}), { followed: true, status: known });
    expect(['loading', undefined, 'loaded', 'failed'].map(status)).toStrictEqual([true, true, false, false]);
    expect(awaitsExplanation(itemOf({ state: 'open' }), { followed: true, status: undefined })).toBe(false);
    expect(awaitsExplanation(itemOf({ kind: 'request', state: 'refused' }), { followed: true, status: undefined })).toBe(false);
  });

  test.each<[Partial<Run>, boolean]>([
    [{ legs: [httpLeg(), browserLeg(), httpLeg()] }, true],
    [{ legs: [httpLeg(), browserLeg()] }, false],
    [{ legs: [httpLeg(), browserLeg(), httpLeg()], outcome: 'cancelled' }, false],
    [{ legs: [httpLeg(), browserLeg(), httpLeg()], kind: 'other' }, false],
  ])('are awaited of a run %j: %s', (change, awaited) => {
    const [item] = listItems({ runs: [loginRun(change)], stream: [], pasted: [] });
    expect(item && awaitsExplanation(item, { followed: true, status: undefined })).toBe(awaited);
    expect(item && awaitsExplanation(item, { followed: false, status: undefined })).toBe(false);
  });

  test('are those of this program where another server judged', () => {
    const told = explained({ headline: 'Own.' });
    const detail = streamDetail(streamEntry('e'), { explanation: told });
    const site = itemOf({ site: 'https://shop.example' });
    expect([findForeign(site, detail), findForeign(site, streamDetail(streamEntry('e'))), findForeign(itemOf({}), detail)]).toEqual([
      told,
      undefined,
      undefined,
    ]);
    expect([findExplanation(itemOf({}), detail), findExplanation(itemOf({}), streamDetail(streamEntry('e')))]).toEqual([told, undefined]);
    const pasted = { id: 1, at: 0, document: explained({ headline: 'Pasted.' }), options: undefined, response: undefined };
    const [given] = listItems({ runs: [], stream: [], pasted: [pasted] });
    expect(given && [findForeign(given, detail), findExplanation(given, detail)]).toEqual([pasted.document, pasted.document]);
  });

  test('say what the response is compared with', () => {
    const own = new URL('http://localhost:7277/');
    const options = { challenge: 'AQID', rpId: 'example.org' };
    const told = explained({
      steps: [step(11, 'pass', { slug: 'challenge' }), step(12, 'fail', { slug: 'origin', expected: 'https://a.example' })],
    });
    expect(collectExpected(itemOf({}), { options, response: undefined }, told, own)).toStrictEqual({
      challenge: 'AQID',
      origin: 'https://a.example',
      rpId: 'example.org',
      passed: new Set(['challenge']),
    });
    const passing = explained({ steps: [step(12, 'pass', { slug: 'origin', expected: 'https://a.example' })] });
    const other = explained({ steps: [step(11, 'fail', { slug: 'challenge', expected: 'AQ' })] });
    const unsaid = explained({ steps: [step(12, 'fail', { slug: 'origin' })] });
    for (const one of [passing, other, unsaid]) {
      expect(collectExpected(itemOf({}), { options, response: undefined }, one, own).origin).toBeUndefined();
    }
    const creation = { rp: { id: 'shop.example' }, rpId: 'example.org' };
    expect(collectExpected(itemOf({}), { options: creation, response: undefined }, undefined, own)).toMatchObject({ rpId: 'shop.example' });
    expect(collectExpected(itemOf({ rp_id: null }), { options: {}, response: undefined }, undefined, own).rpId).toBeUndefined();
    // Of another program, only the steps know which origin is right.
    expect(collectExpected(itemOf({}), { options: {}, response: undefined }, undefined, own)).toMatchObject({
      origin: undefined,
      rpId: 'localhost',
    });
    const [mine] = listItems({ runs: [loginRun()], stream: [], pasted: [] });
    expect(mine && collectExpected(mine, { options: {}, response: undefined }, undefined, own)).toMatchObject({
      origin: 'http://localhost:7277',
      rpId: 'localhost',
    });
  });
});

describe('two ceremonies compared', () => {
  const side = (change: Partial<StreamEntry>, rest: Partial<Side> = {}): Side => ({
    item: itemOf(change),
    options: { challenge: 'AQID', timeout: 60_000, userVerification: 'preferred' },
    fields: [
      { name: 'authenticatorData', children: [{ name: 'flags', value: '0x05', note: 'UP UV', children: [{ name: 'UP', value: '1' }] }] },
      { name: 'signature', value: '3045' },
    ],
    explanation: undefined,
    ...rest,
  });

  test('differ in what differs, but not in what is fresh in every ceremony', () => {
    const other = side(
      { state: 'rejected', code: 'origin_mismatch', step: FAILED },
      {
        options: { challenge: 'BAUG', timeout: 60_000, userVerification: 'required', extensions: { prf: {} } },
        fields: [
          { name: 'authenticatorData', children: [{ name: 'flags', value: '0x01', note: 'UP' }] },
          { name: 'signature', value: '3046' },
        ],
      },
    );
    const rows = compare(side({}), other).filter(({ differs, always }) => differs && !always);
    expect(rows.map(({ group, name, left, right }) => [group, name, left, right])).toStrictEqual([
      ['Verdict', 'verdict', 'verified', 'refused'],
      ['Verdict', 'code', undefined, 'origin_mismatch'],
      ['Verdict', 'failed step', undefined, '12 The origin is not the expected one'],
      ['Options', 'userVerification', '"preferred"', '"required"'],
      ['Options', 'extensions.prf', undefined, '{}'],
      ['Response', 'authenticatorData.flags', '0x05 UP UV', '0x01 UP'],
    ]);
    const fresh = compare(side({}), other).filter(({ differs, always }) => differs && always);
    expect(fresh.map(({ name }) => name)).toStrictEqual(['challenge', 'signature']);
  });

  test('a new passkey is fresh in registrations, another passkey is a difference of logins', () => {
    const fields = (id: string, member: string) => [
      { name: 'id', value: id },
      { name: member, children: [] },
    ];
    const differing = (member: string) =>
      compare(side({}, { fields: fields('01', member) }), side({}, { fields: fields('02', member) }))
        .filter(({ differs, always }) => differs && !always)
        .map(({ name }) => name);
    expect(differing('attestationObject')).toStrictEqual([]);
    expect(differing('authenticatorData')).toStrictEqual(['id']);
  });

  test('all are listed, with what the explanation and the authenticator say', () => {
    const told = explained({
      steps: [step(1, 'pass'), step(12, 'fail', { title: 'The origin' })],
      library: { verdict: 'rejected', reason: null },
      attestation: Object({ type: 'self' }),
    });
    const fields = [
      { name: 'aaguid', value: '00', note: 'none' },
      { name: 'other', value: '01', note: 'unsaid' },
      { name: 'x5c[0]', value: '02' },
      { name: 'copies', collapsed: true, children: [{ name: 'rawId', value: '03' }] },
    ];
    const one = side(
      { software: { persona: 'titan', tamper: 'login.broken' }, code: 'x' },
      { explanation: told, fields, options: { list: [{ a: 1 }, []], none: {} } },
    );
    expect(
      compare(one, one).map(({ group, name, left, right, differs, always }) => [group, name, left, left === right, differs, always]),
    ).toEqual([
      ['Verdict', 'verdict', 'verified', true, false, false],
      ['Verdict', 'code', 'x', true, false, false],
      ['Verdict', 'failed step', '12 The origin', true, false, false],
      ['Verdict', 'library', 'rejected', true, false, false],
      ['Verdict', 'attestation type', 'self', true, false, false],
      ['Verdict', 'user', 'ada@example.com', true, false, false],
      ['Verdict', 'passkey', 'Laptop', true, false, false],
      ['Verdict', 'from', 'curl/8.5.0', true, false, false],
      ['Verdict', 'answered by', 'software authenticator as titan', true, false, false],
      ['Verdict', 'broken on purpose', 'login.broken', true, false, false],
      ['Options', 'list[0].a', '1', true, false, false],
      ['Options', 'list[1]', '[]', true, false, false],
      ['Options', 'none', '{}', true, false, false],
      ['Response', 'aaguid', '00 none', true, false, false],
      ['Response', 'other', '01', true, false, false],
    ]);
    expect(
      compare(side({}, { options: undefined, fields: [] }), side({}, { options: {}, fields: [] })).filter(
        ({ group }) => group !== 'Verdict',
      ),
    ).toEqual([]);
  });

  test('the id is fresh only where both are registrations', () => {
    const registration = side(
      {},
      {
        fields: [
          { name: 'id', value: '01' },
          { name: 'attestationObject', children: [] },
        ],
      },
    );
    const login = side({}, { fields: [{ name: 'id', value: '02' }] });
    const ofId = (left: Side, right: Side) => compare(left, right).find(({ name }) => name === 'id')?.always;
    expect([ofId(registration, registration), ofId(registration, login), ofId(login, registration)]).toEqual([true, false, false]);
  });

  test('the RP ID and the user are not fresh', () => {
    const options = (id: string) => ({ options: { rp: { id }, user: { id } } });
    const rows = compare(side({}, options('a')), side({}, options('b'))).filter(({ differs, always }) => differs && !always);
    expect(rows.map(({ name }) => name)).toStrictEqual(['rp.id', 'user.id']);
  });

  test('do not differ from themselves', () => {
    expect(compare(side({}), side({})).filter(({ differs }) => differs)).toStrictEqual([]);
  });

  test('the one before of the same kind is offered first, and nothing that is no ceremony', () => {
    const at = (minute: number) => `2026-01-15T10:0${minute}:00.000Z`;
    const stream: StreamEntry[] = [
      streamEntry('later', { at: at(4) }),
      streamEntry('shown', { at: at(3) }),
      streamEntry('registration', { at: at(2), kind: 'registration' }),
      streamEntry('before', { at: at(1) }),
      streamEntry('request', { at: at(0), kind: 'request', state: 'refused' }),
    ];
    const items = listItems({ runs: [], stream, pasted: [] });
    const shown = items.find(({ key }) => key === 'shown');
    expect(shown && candidatesFor(shown, items).map(({ key }) => key)).toStrictEqual(['before', 'later', 'registration']);
    const [first, second] = listItems({
      runs: [],
      stream: [streamEntry('a'), streamEntry('b'), streamEntry('c', { at: at(0) })],
      pasted: [],
    });
    expect(
      [first, second].map(
        (one) =>
          one &&
          candidatesFor(
            one,
            listItems({ runs: [], stream: [streamEntry('a'), streamEntry('b'), streamEntry('c', { at: at(0) })], pasted: [] }),
          ).map(({ key }) => key),
      ),
    ).toStrictEqual([
      ['c', 'b'],
      ['c', 'a'],
    ]);
    const document = { ...NOTHING_EXPLAINED, source: '-' };
    const pasted = [
      { id: 1, at: 0, document, options: undefined, response: { id: 'AQ' } },
      { id: 2, at: 0, document, options: {}, response: undefined },
    ];
    expect(listItems({ runs: [], stream: [], pasted }).map(isComparable)).toEqual([true, false]);
  });
});
