import { readFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { explain } from '../../src/explain/library.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import type { BrowserError, Run, SignalOffer } from '../../src/page/run.js';
import type { AppState, Pasted } from '../../src/page/state.js';
import type { StreamDetail } from '../../src/server/schemas/stream.js';
import { until } from '../until.js';
import { AT, drawPage, NOW, shows, stopClock } from './drawing.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamDetail, streamEntry } from './stream-entries.js';
import { GONE, SERVER } from './tab.js';

stopClock();

const readRecorded = async (name: string): Promise<NonNullable<StreamDetail['fixture']>> =>
  JSON.parse(await readFile(new URL(`../../fixtures/recorded/${name}.json`, import.meta.url), 'utf8'));
const login = await readRecorded('login-discoverable');
const packed = await readRecorded('registration-packed');

const EXPLANATION = { title: 'Ended', causes: ['The user pressed `Cancel`.', 'It took too long.'], next: 'Try `again`.' };
const thrown = (name: string, message: string, causes: readonly string[] = EXPLANATION.causes): BrowserError => ({
  name,
  message,
  explanation: { ...EXPLANATION, causes },
});

const OFFER: SignalOffer = {
  method: 'signalUnknownCredential',
  options: { rpId: 'localhost', credentialId: 'AQ' },
  button: 'Hide it',
  warning: 'It may be deleted.',
  mayHide: ['AQ'],
};

/** The ceremony whole, of what was kept of it at the server. */
async function drawEntry(
  id: string,
  change: Parameters<typeof streamEntry>[1],
  detail: Partial<StreamDetail>,
  state: Partial<AppState> = {},
) {
  const entry = streamEntry(id, { at: AT.first, finished_at: AT.first, ...change });
  const details = new Map([[id, { status: 'loaded', detail: streamDetail(entry, detail) } as const]]);
  return await drawPage({ stream: [entry], details, selected: id, ...state });
}

async function drawRun(change: Partial<Run>, state: Partial<AppState> = {}) {
  return await drawPage({ runs: [loginRun({ id: 4, startedAt: NOW, ...change })], selected: 'run-4', ...state });
}

async function drawPasted(document: Partial<ExplainDocument>, change: Partial<Pasted> = {}, state: Partial<AppState> = {}) {
  const pasted = {
    id: 2,
    at: NOW,
    document: { ...NOTHING_EXPLAINED, source: '-', ...document },
    options: undefined,
    response: undefined,
    from: { given: { input: 'x' }, index: 0, expected: { texts: {}, wrong: {} } },
    ...change,
  };
  return await drawPage({ pasted: [pasted], selected: 'pasted-2', ...state });
}

const plain = (value: object): ExplainDocument => JSON.parse(JSON.stringify(value));
const EXPLAINED = {
  login: plain(await explain(JSON.stringify(login))),
  refused: plain(await explain(JSON.stringify(login), { origin: 'https://elsewhere.example', requireUserVerification: true })),
  packed: plain(await explain(JSON.stringify(packed))),
  open: plain(await explain(JSON.stringify({ ...login.response, id: login.response.id }))),
};

describe('a ceremony', () => {
  test('that was verified: its steps, its bytes and what was sent', async () => {
    const page = await drawEntry(
      'e1',
      {},
      { explanation: EXPLAINED.login, response: login.response, options: { rpId: 'localhost', challenge: 'AQ' } },
    );
    await shows(page.outline('article', '.bytes'), 'ceremony-verified');
    await page.click('.steps-line');
    await shows(page.outline('.checklist'), 'ceremony-verified-steps');
  });

  test('that was refused: the step that fails, and its bytes first', async () => {
    const step = {
      section: '7.2',
      number: 12,
      slug: 'origin',
      title: 'The origin',
      expected: 'a',
      received: 'b',
      hint: 'Serve it.',
    } as const;
    const page = await drawEntry(
      'e1',
      { state: 'rejected', status: 401, code: 'origin_mismatch', step },
      { explanation: EXPLAINED.refused, response: login.response, fixture: login },
      { answerWith: 'browser' },
    );
    await shows(page.outline('article'), 'ceremony-refused');
  });

  test('that was refused says nothing of open steps, and one that was not names them', async () => {
    const explanation = plain(await explain(JSON.stringify(login.response), { origin: 'https://elsewhere.example' }));
    expect(explanation.steps.filter(({ status }) => status === 'fail')).toHaveLength(1);
    const openIn = async (one: ExplainDocument) =>
      (await drawEntry('e1', { state: 'undecided' }, { explanation: one, response: login.response })).body.querySelectorAll(
        '.open-steps li',
      ).length;
    const undecided = explanation.steps.map((step) => (step.status === 'fail' ? { ...step, status: 'pass' as const } : step));
    const number = explanation.steps.filter(({ open }) => open).length;
    expect(number).toBeGreaterThan(1);
    expect([await openIn(explanation), await openIn({ ...explanation, steps: undecided })]).toEqual([0, number]);
  });

  test('that registered with an attestation', async () => {
    const page = await drawEntry('e1', { kind: 'registration' }, { explanation: EXPLAINED.packed, response: packed.response });
    await shows(page.outline('article'), 'ceremony-attested');
  });

  test.each<[string, Parameters<typeof streamEntry>[1], Partial<StreamDetail>]>([
    ['a request', { kind: 'request', state: 'refused', status: 422, code: 'validation_failed', message: 'No.', passkey: null }, {}],
    [
      'another origin',
      {
        kind: 'request',
        state: 'refused',
        message: 'A page called.',
        foreign: { origin: 'http://localhost:1', requests: 2, command: 'passkey serve --origin http://localhost:1' },
      },
      {},
    ],
    ['a change', { kind: 'change', state: 'changed', message: 'Passkey 1 was revoked.' }, { change: { type: 'revoked', reason: 'lost' } }],
    [
      'a site',
      { site: 'https://shop.example', state: 'undecided', status: 302, software: { persona: 'titan', tamper: 'login.signature-bit' } },
      {},
    ],
    [
      'an error of the browser',
      { state: 'expired', passkey: null, browser: { error: 'NotAllowedError', message: 'Timed out.', milliseconds: 90_000 } },
      { browser_explanation: EXPLANATION },
    ],
  ])('of %s', async (name, entry, detail) => {
    const page = await drawEntry('e1', entry, detail);
    await shows(page.outline('article'), `ceremony-of-${name.replaceAll(' ', '-')}`);
  });

  test('whose details could not be loaded', async () => {
    const details = new Map([['e1', { status: 'failed', why: 'The server has forgotten it.' } as const]]);
    const page = await drawPage({ stream: [streamEntry('e1', { at: AT.first })], details, selected: 'e1' });
    expect(page.find('article > .hint').textContent).toBe('The server did not answer.');
  });

  test.each<[string, Partial<Run>, Partial<AppState>]>([
    [
      'made here',
      {
        legs: [
          httpLeg({ path: '/api/passkeys/login/options', milliseconds: 8, body: { user: 1 } }),
          browserLeg({ milliseconds: 1_250, mediation: 'conditional', response: login.response, options: { rpId: 'localhost' } }),
          httpLeg({
            status: 401,
            milliseconds: 20,
            answer: { code: 'passkey_not_found', detail: 'It is not stored.', errors: [{ pointer: '/id', detail: 'wrong' }] },
          }),
          {
            kind: 'signal',
            method: 'signalUnknownCredential',
            options: { rpId: 'localhost' },
            outcome: 'not supported',
            detail: 'It cannot.',
          },
        ],
        outcome: 'rejected',
        summary: '401 passkey_not_found: No passkey.',
        offer: OFFER,
      },
      {},
    ],
    [
      'ended by the user',
      {
        legs: [
          httpLeg(),
          browserLeg({ response: undefined, error: thrown('AbortError', 'Aborted.'), software: { persona: 'plain', tamper: undefined } }),
        ],
        outcome: 'cancelled',
        summary: 'Cancelled.',
      },
      { answerWith: 'browser' },
    ],
    [
      'refused by the browser',
      {
        legs: [browserLeg({ call: 'create', response: undefined, error: thrown('InvalidStateError', '') })],
        kind: 'registration',
        outcome: 'browser-error',
        summary: 'InvalidStateError: No.',
      },
      {},
    ],
    [
      'refused with one cause',
      {
        legs: [browserLeg({ response: undefined, error: thrown('NotAllowedError', 'Only this.', ['Only this.']) })],
        outcome: 'browser-error',
        summary: 'NotAllowedError: Only this.',
      },
      {},
    ],
    [
      'not answered',
      {
        legs: [httpLeg({ status: undefined, answer: undefined, failure: 'It did not answer.' })],
        outcome: 'unanswered',
        summary: 'No answer.',
      },
      {},
    ],
    [
      'running',
      { outcome: 'running', legs: [] },
      { waiting: { run: 4, title: 'Log in', phase: 'server', since: NOW - 2_000, until: undefined, silent: false }, list: 'passkeys' },
    ],
    [
      'broken on purpose',
      {
        legs: [
          httpLeg({ path: '/api/passkeys/verify' }),
          browserLeg({
            response: { ...login.response, id: 'changed' },
            honest: login.response,
            software: { persona: undefined, tamper: 'login.signature-bit' },
          }),
          httpLeg({ status: 401, answer: { code: 'origin_mismatch', detail: 'Other origin.', step: { number: 12 } } }),
        ],
        outcome: 'rejected',
        summary: '401 origin_mismatch: Other origin.',
      },
      {},
    ],
  ])('that was %s', async (name, run, state) => {
    const page = await drawRun(run, state);
    await shows(page.outline('article', '.bytes'), `run-${name.replaceAll(' ', '-')}`);
  });

  test('its messages are drawn once they are opened, and stay so', async () => {
    const value = { text: 'a "b": 1', count: -1.5e3, list: [true, null], inner: { 'key:': false } };
    const page = await drawRun({ legs: [httpLeg({ body: value })] });
    const [request] = page.body.querySelectorAll('.leg details');
    expect(request?.querySelector('pre')).toBeNull();
    await page.happen(() => {
      Object.assign(request ?? {}, { open: true });
      request?.fire('toggle');
    });
    await shows(page.outline('.leg details'), 'message');
  });

  test('is compared with another one', async () => {
    const other = streamEntry('before', {
      at: AT.before,
      finished_at: AT.before,
      user: 'grace@example.com',
      status: 401,
      state: 'rejected',
      code: 'sign_count',
    });
    const entry = streamEntry('e1', { at: AT.first, finished_at: AT.first });
    const details = new Map([
      [
        'e1',
        { status: 'loaded', detail: streamDetail(entry, { options: { timeout: 5, challenge: 'AQ' }, response: login.response }) } as const,
      ],
      ['before', { status: 'loaded', detail: streamDetail(other, { options: { timeout: 6, challenge: 'Ag' } }) } as const],
    ]);
    const page = await drawPage({ stream: [entry, other], details, selected: 'e1' });
    await shows(page.outline('.ceremony-actions'), 'compare-with');
    await page.enter('.compare-with', 'before', 'change');
    expect(page.store.get().compared).toBe('before');
    await shows(page.outline('.comparison'), 'comparison');
    await page.enter('.comparison input', true, 'change');
    expect(page.outline('.comparison')).toContain('challenge');
    await page.press('Close the comparison');
    expect([page.store.get().compared, page.body.querySelector('.comparison')]).toEqual([undefined, null]);
  });

  test.each<[string, Partial<Run>]>([
    ['a run with a response', { legs: [httpLeg(), browserLeg({ response: login.response })] }],
    ['a run without', { legs: [httpLeg()] }],
  ])('%s can be shared', async (name, run) => {
    const page = await drawRun(run);
    await page.press('Share “Log in”');
    await shows(page.outline('.share'), `share-${name.replaceAll(' ', '-')}`);
  });

  test.each([
    ['file', 'Saved as passkey-authentication-verified-run-4.passkey.json.', 'saved'],
    ['json', 'Copied as JSON.', 'copied'],
    ['curl', 'Copied as curl.', 'copied'],
    ['download', 'Saved as passkey-authentication-verified-run-4.json.', 'saved'],
  ] as const)('it leaves as %s', async (way, status, where) => {
    const page = await drawRun({ legs: [httpLeg(), browserLeg({ response: login.response })] });
    await page.press('Share “Log in”');
    await page.click(`[data-export=${way}]`);
    expect(page.body.querySelector('#run-4-share')).toBeNull();
    const { status: said, statusFailed } = page.store.get();
    expect([said, statusFailed]).toEqual([status, false]);
    expect([page.page.saved.length, page.page.copied.length]).toEqual([Number(where === 'saved'), Number(where === 'copied')]);
  });

  test.each([
    ['copied, with its fixture', login, 'Copied as fixture.', false, 1],
    ['refused, with the reason', null, 'It was not finished.', true, 0],
  ] as const)('the fixture of another program is %s', async (_, fixture, status, statusFailed, copied) => {
    const page = await drawEntry(
      'e1',
      {},
      { fixture, why_no_fixture: fixture === null ? 'It was not finished.' : null, response: login.response },
    );
    await page.press('Share “Log in”');
    await page.click('[data-export=fixture]');
    expect(page.store.get()).toMatchObject({ status, statusFailed });
    expect(page.page.copied).toHaveLength(copied);
  });

  test('what is too long for a link says so, with a button that saves it', async () => {
    const digits = Array.from({ length: 4_000 }, (_, index) => ((index * 7_919) % 65_521).toString(36)).join('');
    const page = await drawRun({ legs: [httpLeg({ answer: { digits } })] });
    const press = async (selectors: string, status: string) => {
      await page.click(selectors);
      await until(() => page.store.get().status === status);
      await page.happen(() => {});
    };
    await page.press('Share “Log in”');
    await press('[data-export=link]', 'It is too long for a link.');
    expect([page.page.saved, page.page.copied]).toEqual([[], []]);
    expect(page.find('.status').getAttribute('class')).toBe('status failed');
    const name = 'passkey-authentication-verified-run-4.passkey.json';
    await press('.status.failed button', `Saved as ${name}.`);
    expect([page.page.saved, page.body.querySelector('.status button')]).toEqual([[name], null]);
  });

  test('it is saved where the browser does not let the page copy', async () => {
    const page = await drawPage({ runs: [loginRun({ id: 4, startedAt: NOW, legs: [httpLeg()] })], selected: 'run-4' }, { navigator: {} });
    await page.press('Share “Log in”');
    await page.click('[data-export=curl]');
    expect(page.page.saved).toHaveLength(1);
    expect(page.store.get().status).toBe(`The browser does not let this page copy, so it was saved as ${String(page.page.saved[0])}.`);
  });
});

describe('the head of a ceremony', () => {
  const pastedWith = async (headline: string) => await drawPasted({ headline }, { from: undefined });

  test.each([
    [30, 'verdict-word'],
    [31, 'verdict-word long'],
  ])('has a verdict of %i letters in the class %s', async (length, kind) => {
    const page = await pastedWith('x'.repeat(length));
    expect(page.find('.verdict-word').getAttribute('class')).toBe(kind);
  });

  test.each([
    [600, 600],
    [601, 601],
  ])('has a sentence of %i letters, up to 600', async (length) => {
    const page = await drawRun({ summary: 'x'.repeat(length) });
    expect(page.find('.run-summary bdi').textContent).toBe(length > 600 ? `${'x'.repeat(600)}…` : 'x'.repeat(600));
  });

  test('has the line of its waiting only where the list does not show it', async () => {
    const waiting = { run: 4, title: 'Log in', phase: 'server', since: NOW, until: undefined, silent: false } as const;
    const running = { outcome: 'running', legs: [] } as const;
    const found = [];
    for (const state of [
      { waiting, list: 'passkeys' },
      { waiting, list: 'ceremonies' },
      { waiting: { ...waiting, run: 5 }, list: 'passkeys' },
      { list: 'passkeys' },
    ] as const) {
      found.push((await drawRun(running, state)).body.querySelector('#cancel-here') !== null);
    }
    expect(found).toEqual([true, false, false, false]);
  });
});

describe('why there is no answer', () => {
  test.each([
    [thrown('SecurityError', 'It says: No.', ['Yes.', 'No.']), null],
    [thrown('SecurityError', 'No. It says.', ['Yes.', 'No.']), 'The browser says: No. It says.'],
    [thrown('SecurityError', '', ['Yes.']), null],
    [thrown('AbortError', 'Aborted.', ['Yes.']), undefined],
  ])('the message of %j is shown unless a cause has it: %s', async (error, text) => {
    const page = await drawRun({ legs: [browserLeg({ response: undefined, error })], outcome: 'browser-error' });
    const explained = page.body.querySelector('section.explanation');
    expect(explained === null ? undefined : (explained.querySelector('p q')?.parentElement?.textContent ?? null)).toBe(text);
  });

  test.each<[string, object, string, readonly (readonly string[])[]]>([
    ['its detail', { detail: 'Why.' }, 'Refused.', [['Detail', 'Why.']]],
    ['not its detail, which the sentence has', { detail: 'Why.' }, '401: Why.', []],
    ['not its detail, of which a step fails', { detail: 'Why.', step: {} }, 'Refused.', []],
    [
      'its mistakes',
      { detail: 'Why.', errors: [{ pointer: '/id', detail: 'None.' }, { detail: 'Odd.' }, { pointer: '/x' }] },
      '401: Why.',
      [
        ['/id', 'None.'],
        ['', 'Odd.'],
      ],
    ],
    [
      'all of it',
      { detail: 'Why.', errors: [{ pointer: '/id', detail: 'None.' }] },
      'Refused.',
      [
        ['Detail', 'Why.'],
        ['/id', 'None.'],
      ],
    ],
    ['nothing', {}, 'Refused.', []],
  ])('a refusal shows %s', async (_, answer, summary, pairs) => {
    const page = await drawRun({ legs: [httpLeg({ status: 401, answer })], outcome: 'rejected', summary });
    const found = page.body.querySelectorAll('article > .padded > div').map((pair) => pair.children.map(({ textContent }) => textContent));
    expect(found).toEqual(pairs);
  });

  test.each([
    ['accepted', 'It is.', 'body', 'note good', 'Your server answered 200: It is.'],
    ['refused', null, 'body', 'note bad', 'Your server answered 200: body'],
    ['refused', null, '', undefined, undefined],
  ] as const)('what another server answered (%s, %s, “%s”) is a note', async (verdict, message, body, kind, text) => {
    const page = await drawPasted({
      verdict: 'undecided',
      ceremony: 'authentication',
      server: { status: 200, verdict, message, body, agrees: null },
    });
    const note = page.body.querySelectorAll('article > .note').find((each) => each.textContent.startsWith('Your server'));
    expect([note?.getAttribute('class'), note?.textContent]).toEqual([kind, text]);
  });

  test('the command that another origin needs is copied', async () => {
    const command = 'passkey serve --origin http://localhost:1';
    const foreign = { origin: 'http://localhost:1', requests: 2, command };
    const page = await drawEntry('e1', { kind: 'request', state: 'refused', foreign }, {});
    await page.press('Copy the command');
    expect([page.page.copied, page.store.get().status]).toEqual([[command], 'Copied as a command.']);
  });

  test('a signal is sent from its run, and says how it went', async () => {
    const page = await drawRun({ legs: [httpLeg()], outcome: 'rejected', offer: OFFER });
    await page.click('#run-4-signal');
    expect(page.store.get().runs[0]?.legs.at(-1)).toMatchObject({
      kind: 'signal',
      method: OFFER.method,
      options: OFFER.options,
      outcome: 'not supported',
    });
    expect(page.find('.signal .badge').textContent).toBe('not supported');
  });
});

describe('the steps', () => {
  const [first] = EXPLAINED.login.steps;
  const steps = (...change: readonly Partial<ExplainDocument['steps'][number]>[]) =>
    change.flatMap((each, index) =>
      first === undefined ? [] : [{ ...first, status: 'pass' as const, number: index + 1, slug: `s${index}`, ...each }],
    );

  test.each<[string, ReturnType<typeof steps>, readonly (string | undefined)[]]>([
    ['pass', steps({}), ['good', '1 step passes']],
    ['open', steps({}, { status: 'skip', open: true, reason: 'No key.' }), ['warn', '1 step passes, 1 open']],
    ['fail', steps({ status: 'fail' }, { status: 'skip', open: true }), ['bad', '1 step fails, 0 pass, 1 open']],
    ['there are none', [], [undefined, undefined]],
  ])('%s', async (_, all, shown) => {
    const page = await drawEntry('e1', {}, { explanation: { ...EXPLAINED.login, steps: all, library: null } });
    const tick = page.body.querySelector('.steps-line .tick');
    expect([tick?.getAttribute('class')?.split(' ').at(-1), page.body.querySelector('.steps-line b')?.textContent]).toEqual(shown);
    expect(page.body.querySelector('.open-steps') !== null).toBe(shown[0] === 'warn');
    expect(page.body.querySelector('.checklist') !== null).toBe(all.length > 0);
  });

  test('that are awaited keep their place', async () => {
    const page = await drawPage({
      stream: [streamEntry('e1', { at: AT.first })],
      details: new Map([['e1', { status: 'loading' }]]),
      selected: 'e1',
    });
    expect([page.find('.steps-line').textContent, page.find('.library').textContent]).toEqual(['Checking the steps…', '…']);
    const open = await drawEntry('e1', { state: 'open' }, {});
    expect(open.body.querySelector('.checklist')).toBeNull();
  });

  test('of an attestation that fail or warn are not folded', async () => {
    const check = (slug: string, status: string, hint: string | null = null) => ({
      slug,
      status,
      reference: '§8',
      expected: 'e',
      received: 'r',
      hint,
    });
    const of = async (...checks: readonly object[]) => {
      const attestation = { format: 'packed', type: 'basic', verdict: 'accepted', trust: 'not-checked', checks };
      const page = await drawEntry(
        'e1',
        { kind: 'registration' },
        { explanation: { ...EXPLAINED.login, attestation: Object(attestation) } },
      );
      const section = page.find('[aria-labelledby=attestation-heading]');
      const lines = (selectors: string) =>
        section.querySelectorAll(selectors).map((line) => [line.getAttribute('class')?.trim(), line.querySelector('b')?.textContent]);
      return [lines('section > ol .step-line'), lines('details .step-line'), section.querySelector('summary')?.textContent];
    };
    expect(
      await of(check('a', 'fail', 'Mend it.'), check('b', 'pass', 'Not shown.'), check('c', 'warn'), check('d', 'skip', 'Try it.')),
    ).toEqual([
      [
        ['step-line bad check-line', ' Mend it.'],
        ['step-line warn check-line', undefined],
      ],
      [
        ['step-line good check-line', undefined],
        ['step-line plain check-line', ' Try it.'],
      ],
      '1 check passes, 1 skipped',
    ]);
    expect(await of(check('a', 'fail'))).toEqual([[['step-line bad check-line', undefined]], [], undefined]);
    expect(await of(check('a', 'pass'))).toEqual([[], [['step-line good check-line', undefined]], '1 check passes']);
  });
});

describe('the comparison', () => {
  const entry = (id: string, change: Parameters<typeof streamEntry>[1] = {}) =>
    streamEntry(id, { at: AT.first, finished_at: AT.first, ...change });
  const load = (of: ReturnType<typeof streamEntry>, change: Partial<StreamDetail> = {}) =>
    [of.id, { status: 'loaded', detail: streamDetail(of, change) } as const] as const;

  test('offers forty of the others, and none while it waits', async () => {
    const stream = Array.from({ length: 42 }, (_, index) => entry(`e${index}`));
    const page = await drawPage({ stream, selected: 'e0', details: new Map([load(entry('e0'))]) });
    expect(page.body.querySelectorAll('.compare-with option')).toHaveLength(41);
    expect(page.find('.compare-with option').textContent).toBe('Compare with…');
    const waiting = await drawPage({ runs: [loginRun({ id: 4, startedAt: NOW, outcome: 'running' })], stream, selected: 'run-4' });
    expect(waiting.body.querySelector('.compare-with')).toBeNull();
    const alone = await drawPage({ stream: [entry('e0')], selected: 'e0' });
    expect(alone.body.querySelector('.compare-with')).toBeNull();
  });

  test('is chosen, and put away', async () => {
    const [one, other] = [entry('e1'), entry('e2')];
    const state = { stream: [one, other], details: new Map([load(one), load(other)]), selected: 'e1' };
    const page = await drawPage({ ...state, compared: 'e2' });
    expect([Reflect.get(page.find('.compare-with'), 'value'), page.find('.compare-with option').textContent]).toEqual([
      'e2',
      'Do not compare',
    ]);
    expect(page.find('#comparison-heading').textContent).toBe('No difference');
    expect(page.body.querySelector('.comparison .hint')).toBeNull();
    await page.enter('.compare-with', '', 'change');
    expect(page.store.get().compared).toBeUndefined();
    for (const compared of ['e1', 'gone']) {
      const none = await drawPage({ ...state, compared });
      expect([none.body.querySelector('.comparison'), Reflect.get(none.find('.compare-with'), 'value')]).toEqual([null, '']);
    }
  });

  test('says how many values differ, and how many are fresh', async () => {
    const [one, other] = [entry('e1', { code: 'a' }), entry('e2', { code: 'b' })];
    const details = new Map([
      load(one, { options: { challenge: 'AA', timeout: 5 } }),
      load(other, { options: { challenge: 'BB', timeout: 5 } }),
    ]);
    const page = await drawPage({ stream: [one, other], details, selected: 'e1', compared: 'e2' });
    const rows = () => page.body.querySelectorAll('.comparison tbody tr').map((row) => [row.getAttribute('class'), row.textContent]);
    expect(page.find('#comparison-heading').textContent).toBe('1 difference');
    expect(page.find('.comparison .hint').textContent).toBe('1 value more is fresh in every ceremony, such as challenge and signature.');
    expect(rows()).toEqual([
      ['group', 'Verdict'],
      ['differs', 'codeab'],
    ]);
    await page.enter('.comparison input', true, 'change');
    expect(page.body.querySelector('.comparison .hint')).toBeNull();
    expect(rows().slice(-3)).toEqual([
      ['group', 'Options'],
      ['', 'challenge"AA""BB"'],
      ['', 'timeout55'],
    ]);
  });

  test('loads the other one', async () => {
    const page = await drawPage({
      stream: [entry('e1'), entry('e2')],
      details: new Map([load(entry('e1'))]),
      selected: 'e1',
      compared: 'e2',
    });
    expect(page.sent).toContain('GET /dev/stream/e2');
    const none = await drawPage({ stream: [entry('e1'), entry('e2')], details: new Map([load(entry('e1'))]), selected: 'e1' });
    expect(none.sent.filter((request) => request.startsWith('GET /dev/stream'))).toEqual([]);
  });
});

describe('the pane', () => {
  test('names in the address what it shows, and loads it', async () => {
    const stream = [streamEntry('e1', { at: AT.first }), streamEntry('e2', { at: AT.first, request_ids: ['r-1'] })];
    const page = await drawPage({
      stream,
      runs: [loginRun({ id: 4, startedAt: NOW, requestIds: ['r-1'] }), loginRun({ id: 5, startedAt: NOW })],
    });
    expect([page.store.get().addressed, page.sent.filter((request) => request.includes('/dev/stream/'))]).toEqual([undefined, []]);
    const found = [];
    for (const selected of ['e1', 'run-4', 'run-5', 'later', undefined]) {
      await page.happen(() => page.store.set({ selected }));
      found.push(page.store.get().addressed);
    }
    expect(found).toEqual(['ceremony=e1', 'ceremony=e2', undefined, 'ceremony=later', undefined]);
    expect(page.sent.filter((request) => request.includes('/dev/stream/'))).toEqual(['GET /dev/stream/e1', 'GET /dev/stream/e2']);
  });

  test('has the example of the server on the first visit', async () => {
    const document = { ...EXPLAINED.refused, kind_name: 'A login', options: null, response: null };
    const answer = (path: string) => (path === '/dev/example' ? { status: 200, answer: { documents: [document] } } : GONE);
    const page = await drawPage({}, {}, answer);
    const example = page.find('.example');
    expect([example.querySelector('h2')?.textContent, example.querySelector('article')?.dataset['key']]).toEqual([
      expect.stringMatching(/Log in$/),
      'pasted-0',
    ]);
    expect(example.querySelector('.facts')?.textContent).toContain('an example of this page');
    expect([example.querySelector('.share'), example.querySelector('.compare-with'), page.store.get().pasted]).toEqual([null, null, []]);
    const none = await drawPage({}, {}, () => GONE);
    expect(none.body.querySelector('.example')).toBeNull();
    const later = await drawPage({ stream: [streamEntry('e1', { at: AT.first })] }, {}, answer);
    expect([later.body.querySelector('.example'), later.sent.includes('GET /dev/example')]).toEqual([null, false]);
  });
});

test('expectations are sent again a quarter of a second after the last key', async () => {
  const page = await drawPasted(EXPLAINED.open, { response: login.response });
  const sent = () => page.asked.filter(({ path }) => path === '/dev/explain').map(({ body }) => body?.['expectations']);
  await page.enter('#expect-origin', 'https://a.example');
  await page.happen(() => vi.advanceTimersByTime(249));
  await page.enter('#expect-origin', 'https://b.example');
  await page.happen(() => vi.advanceTimersByTime(249));
  expect(sent()).toEqual([]);
  await page.happen(() => vi.advanceTimersByTime(1));
  expect(sent()).toEqual([{ origin: 'https://b.example' }]);
  for (const change of [{ from: undefined }, { document: { ...EXPLAINED.open, ceremony: null } }]) {
    const none = await drawPasted(EXPLAINED.open, { response: login.response, ...change });
    expect(none.body.querySelector('#expectations')).toBeNull();
  }
});

describe('the bytes', () => {
  const draw = async () => await drawEntry('e1', {}, { explanation: EXPLAINED.packed, response: packed.response }, {});

  test('the arrow keys go from field to field, and light up the line of the tree', async () => {
    const page = await draw();
    const options = () => page.body.querySelectorAll('.hex')[0]?.querySelectorAll('[role=option]') ?? [];
    const focusable = () => options().findIndex(({ tabIndex }) => tabIndex === 0);
    expect(focusable()).toBe(0);
    const first = options()[0];
    await page.happen(() => first?.fire('keydown', { key: 'ArrowDown' }));
    expect([focusable(), page.focused()]).toEqual([1, options()[1]]);
    expect(
      options()
        .map((each) => each.getAttribute('aria-selected'))
        .indexOf('true'),
    ).toBe(1);
    await page.happen(() => options()[1]?.fire('keydown', { key: 'ArrowLeft' }));
    expect(focusable()).toBe(0);
    await page.happen(() => options()[0]?.fire('keydown', { key: 'ArrowRight' }));
    await page.happen(() => options()[1]?.fire('keydown', { key: 'End' }));
    expect(focusable()).toBe(options().length - 1);
    const event = options()[0]?.fire('keydown', { key: 'x' });
    expect(event?.defaultPrevented).toBe(false);
  });

  test('the pointer lights up both sides, and leaves them', async () => {
    const page = await draw();
    const lit = () => page.body.querySelectorAll('.lit').map((each) => each.localName);
    const run = page.body.querySelectorAll('.hex .run')[0];
    await page.happen(() => run?.fire('mouseenter'));
    expect(lit()).toEqual(expect.arrayContaining(['span']));
    await page.happen(() => page.body.querySelectorAll('.hex')[0]?.fire('mouseleave'));
    expect(lit()).toEqual([]);
    const line = page.body.querySelectorAll('.structure-parts .tree .field')[1];
    await page.happen(() => line?.fire('mouseenter'));
    expect(lit()).toContain('li');
    await page.happen(() => page.body.querySelectorAll('.structure-parts .tree')[0]?.fire('mouseleave'));
    expect(lit()).toEqual([]);
    await page.happen(() => line?.focus());
    expect(lit()).toContain('li');
    await page.happen(() => page.find('#to-list').focus());
    expect(lit()).toEqual([]);
  });

  test('the tree opens, closes, and is walked through by keys', async () => {
    const page = await draw();
    const lines = () => page.body.querySelectorAll('.structure-parts .tree')[0]?.querySelectorAll('.field') ?? [];
    const current = () => lines().findIndex(({ tabIndex }) => tabIndex === 0);
    const press = async (key: string) => {
      let event: { readonly defaultPrevented: boolean } | undefined;
      await page.happen(() => {
        event = lines()[current()]?.fire('keydown', { key });
      });
      return event?.defaultPrevented;
    };
    const folder = () => lines().findIndex((line) => line.getAttribute('aria-expanded') !== null);
    const all = lines().length;
    for (let step = 0; step < folder(); step += 1) await press('ArrowDown');
    const at = current();
    expect(lines()[at]?.getAttribute('aria-expanded')).toBe('true');
    expect(await press('ArrowRight')).toBe(true);
    expect(current()).toBe(at + 1);
    await press('ArrowLeft');
    expect(current()).toBe(at);
    await press('ArrowLeft');
    expect([lines()[at]?.getAttribute('aria-expanded'), lines().length < all, current()]).toEqual(['false', true, at]);
    await press('ArrowRight');
    expect([lines()[at]?.getAttribute('aria-expanded'), lines().length, current()]).toEqual(['true', all, at]);
    await press('Enter');
    await press(' ');
    expect(lines().length).toBe(all);
    await page.happen(() => lines()[at]?.fire('click'));
    expect(lines()[at]?.getAttribute('aria-expanded')).toBe('false');
    await press('End');
    expect(current()).toBe(lines().length - 1);
    expect(page.focused()).toBe(lines()[current()]);
    await press('Home');
    expect([current(), await press('x')]).toEqual([0, false]);
  });

  test('long ones are folded until asked for', async () => {
    const page = await draw();
    const rows = () => page.body.querySelectorAll('.hex-row').length;
    const before = rows();
    const [button] = page.body.querySelectorAll('.unfold');
    expect(button?.textContent).toMatch(/^Show all \d+ bytes of /);
    await page.happen(() => button?.fire('click'));
    expect(rows()).toBeGreaterThan(before);
    expect(page.body.querySelectorAll('.unfold').some((other) => other === button)).toBe(false);
  });
});

describe('what was pasted', () => {
  test.each<[string, Partial<ExplainDocument>, Partial<Pasted>, Partial<AppState>]>([
    ['a response', EXPLAINED.open, { response: login.response }, {}],
    [
      'a refusal of another server',
      {
        ...EXPLAINED.refused,
        server: { status: 400, verdict: 'refused', body: '{"error":"no"}', message: 'no', agrees: false },
        known_errors: [
          {
            from: 'SimpleWebAuthn',
            title: 'Unexpected origin',
            causes: ['The `origin` differs.'],
            next: 'Set it.',
            step: 'origin',
            expectations: [
              { member: 'origin', flag: '--origin', value: 'https://suggested.example' },
              { member: 'requireUv', flag: '--require-uv', value: 'true' },
            ],
            source: null,
          },
        ],
      },
      { response: login.response },
      { expected: { texts: { origin: 'https://given.example' }, wrong: { origin: 'It is none.' } } },
    ],
    [
      'no response',
      {
        input: { kind: 'certificate', encodings: [] },
        tree: { label: 'Certificate', offset: null, length: null, value: 'x', note: null, error: null, children: [] },
      },
      { kindName: 'a certificate', from: undefined },
      {},
    ],
    [
      'options with advice',
      {
        ceremony: 'registration',
        advice: [
          { pointer: '/challenge', message: 'Short.', severity: 'error' },
          { pointer: '/timeout', message: 'Long.', severity: 'warning' },
          { pointer: '/hints', message: 'None.', severity: 'info' },
        ] as ExplainDocument['advice'],
        encoding: [{ pointer: '/id', message: 'base64' }] as ExplainDocument['encoding'],
        observations: [{ slug: 'o', message: 'Seen.' }],
      },
      { options: { challenge: 'AQ' } },
      {},
    ],
  ])('%s', async (name, document, pasted, state) => {
    const page = await drawPasted(document, pasted, state);
    await shows(page.outline('.subject-pane', '.bytes'), `pasted-${name.replaceAll(' ', '-')}`);
  });

  test('a suggestion of the error is taken, and what was given is cleared', async () => {
    const error = { from: 'x', title: 't', causes: ['c'], next: 'n', step: null, source: null };
    const expectations = [{ member: 'origin', flag: '--origin', value: 'https://suggested.example' }];
    const page = await drawPasted({ ...EXPLAINED.open, known_errors: [{ ...error, expectations }] }, { response: login.response });
    const nothingToClear = () => page.find('#expectations-clear').getAttribute('disabled') !== null;
    expect(nothingToClear()).toBe(true);
    await page.press('Use https://suggested.example, as its error says');
    expect(nothingToClear()).toBe(false);
    expect(page.store.get().expected.texts).toEqual({ origin: 'https://suggested.example' });
    expect(page.outline('#expectations')).not.toContain('as its error says');
    await page.enter('#expect-requireUv', 'true', 'change');
    expect(page.store.get().expected.texts).toEqual({ origin: 'https://suggested.example', requireUv: 'true' });
    await page.click('#expectations-clear');
    expect(page.store.get().expected.texts).toEqual({});
    expect(nothingToClear()).toBe(true);
  });

  test('leaves the list on request', async () => {
    const page = await drawPasted(EXPLAINED.open, { response: login.response });
    await page.click('#paste-clear');
    expect(page.store.get()).toMatchObject({ pasted: [], selected: undefined, status: 'What was pasted is gone from the list.' });
    expect(page.focused()?.id).toBe('paste-box');
  });

  test('what cannot be explained stays in the field, with the reason', async () => {
    const page = await drawPage({ unexplained: { given: { input: 'what?' }, problem: 'It is none.' }, server: SERVER });
    await shows(page.outline('#paste'), 'paste-problem');
  });

  test('what a file breaks is said in its place', async () => {
    const page = await drawPasted({ ...EXPLAINED.open, attestation: Object({ checks: [] }) }, { response: login.response });
    expect(page.find('[role=alert].explanation').textContent).toMatch(
      /^This page cannot draw it: .* The file was changed, or another version of this page saved it\.$/,
    );
  });
});
