import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
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
import { SERVER } from './tab.js';

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
