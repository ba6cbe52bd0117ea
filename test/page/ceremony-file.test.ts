import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { explain } from '../../src/explain/library.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { MAX_DOCUMENT_BYTES } from '../../src/kernel/limits.js';
import { type Ceremony, ceremonyFromFile, ceremonyToFile, detailToRun, runToJson } from '../../src/page/ceremony-file.js';
import { explainFile, explain as explainGiven, explainTyped } from '../../src/page/flow/explain.js';
import { listItems } from '../../src/page/items.js';
import type { Run } from '../../src/page/run.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamDetail, streamEntry } from './stream-entries.js';
import { GONE, tab } from './tab.js';

const ORIGIN = 'http://localhost:7277';
const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

/** A registration with everything beside it that the page can show. */
async function ceremony(): Promise<Ceremony & { readonly item: Ceremony['item'] & { readonly run: Run } }> {
  const options = {
    rp: { id: 'localhost', name: 'Test' },
    user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
    challenge: 'AAECAwQFBgcICQoLDA0ODw',
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  };
  const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
  const response = plain(await client.create({ publicKey: options }));
  const request = { path: '/api/passkeys/register/options', body: { app_name: 'Test' }, bearer: true, answer: plain(options) };
  const call = { call: 'create', options: plain(options), response, software: { persona: 'yubikey-5', tamper: undefined } } as const;
  const run = loginRun({
    id: 7,
    kind: 'registration',
    startedAt: Date.UTC(2026, 0, 15),
    legs: [httpLeg(request), browserLeg(call)],
    outcome: 'rejected',
    summary: 'It was refused.',
  });
  const explanation = await explain(JSON.stringify(runToJson(run, ORIGIN, 'Test/1.0')));
  const item = {
    kind: 'registration',
    title: run.title,
    verdict: 'rejected',
    source: 'this tab',
    user: 'ada@example.com',
    passkey: undefined,
    code: 'origin_mismatch',
    changed: ['attestation'],
    software: { persona: 'yubikey-5', tamper: undefined },
    run,
  } as const;
  return { item, options: plain(options), response, explanation, fixture: undefined };
}

describe('a ceremony as one file', () => {
  test('comes back as it left, with its run, its options, its response and its explanation', async () => {
    const left = await ceremony();
    const back = ceremonyFromFile(JSON.stringify(ceremonyToFile(left, ORIGIN, 'Test/1.0')));
    // Ids count the runs of one tab.
    const run = { ...left.item.run, id: 0 };
    expect(back).toEqual({ ...left, explanation: { ...plain(left.explanation), tree: null }, item: { ...left.item, run } });
  });

  test('has each member under its name, and null for what there is not', async () => {
    const left = await ceremony();
    const item = { ...left.item, passkey: 'Laptop' };
    const { kind, title, outcome, summary, legs } = item.run;
    const fixture = { format: 'passkey-fixture' };
    const common = {
      format: 'passkey-ceremony',
      version: 1,
      title,
      kind,
      outcome,
      summary,
      started_at: '2026-01-15T00:00:00.000Z',
      origin: ORIGIN,
      user_agent: 'Test/1.0',
      legs: plain(legs),
    };
    const { run: _, ...facts } = item;
    const { title: _title, ...shown } = facts;
    expect(plain(ceremonyToFile({ ...left, item, fixture }, ORIGIN, 'Test/1.0'))).toEqual({
      ...common,
      item: plain(shown),
      options: left.options,
      response: left.response,
      explanation: { ...plain(left.explanation), tree: null },
      fixture,
    });
    const tree = { label: 'x', offset: null, length: null, value: null, note: null, error: null, children: [] };
    const explanation = { ...NOTHING_EXPLAINED, source: '-', tree };
    expect(
      plain(ceremonyToFile({ item, options: undefined, response: undefined, explanation, fixture: undefined }, ORIGIN, 'Test/1.0')),
    ).toEqual({
      ...common,
      item: plain(shown),
      options: null,
      response: null,
      explanation: plain(explanation),
      fixture: null,
    });
    const bare = { item, options: undefined, response: undefined, explanation: undefined, fixture: undefined };
    expect(ceremonyToFile(bare, ORIGIN, 'Test/1.0')['explanation']).toBeNull();
  });

  test('comes back with every kind of leg, its fixture and its names', () => {
    const error = { name: 'SecurityError', message: 'No.', explanation: { title: 't', causes: ['a', 1, 'b'], next: 'n' } };
    const read = ceremonyFromFile(
      JSON.stringify({
        format: 'passkey-ceremony',
        title: 'Own',
        kind: 'authentication',
        started_at: '2026-01-15T00:00:00.000Z',
        summary: 'Ended.',
        fixture: { name: 'f' },
        item: {
          kind: 'change',
          verdict: 'waiting',
          source: 'curl',
          user: 'u',
          passkey: 'p',
          code: 'c',
          changed: ['a', 1, 'b'],
          software: { tamper: 't' },
        },
        legs: [
          httpLeg({ failure: 'Gone.', status: undefined, answer: undefined, bearer: true, body: { a: 1 }, milliseconds: 4 }),
          { ...browserLeg({ call: 'create', mediation: 'conditional', options: { b: 2 }, response: { c: 3 }, milliseconds: 5 }), error },
          { kind: 'browser', mediation: 'silent', software: 'x', error: 'x' },
          { kind: 'signal', method: 'signalCurrentUserDetails', outcome: 'not supported', options: { d: 4 }, detail: 'None.' },
        ],
      }),
    );
    expect(read).toEqual({
      item: {
        kind: 'change',
        title: 'Own',
        verdict: 'open',
        source: 'curl',
        user: 'u',
        passkey: 'p',
        code: 'c',
        changed: ['a', 'b'],
        software: { persona: undefined, tamper: 't' },
        run: {
          id: 0,
          title: 'Own',
          kind: 'authentication',
          startedAt: Date.UTC(2026, 0, 15),
          outcome: 'failed',
          summary: 'Ended.',
          offer: undefined,
          legs: [
            httpLeg({ failure: 'Gone.', status: undefined, answer: undefined, bearer: true, body: { a: 1 }, milliseconds: 4 }),
            browserLeg({
              call: 'create',
              mediation: 'conditional',
              options: { b: 2 },
              response: { c: 3 },
              milliseconds: 5,
              error: { ...error, explanation: { ...error.explanation, causes: ['a', 'b'] } },
            }),
            browserLeg({ response: undefined, milliseconds: 0 }),
            { kind: 'signal', method: 'signalCurrentUserDetails', outcome: 'not supported', options: { d: 4 }, detail: 'None.' },
          ],
        },
      },
      options: undefined,
      response: undefined,
      explanation: undefined,
      fixture: { name: 'f' },
    });
  });

  test('without names has names of its own', () => {
    const back = ceremonyFromFile('{"format":"passkey-ceremony","item":{}}');
    expect(back?.item).toMatchObject({ title: 'A ceremony', source: 'unknown', user: undefined, passkey: undefined, code: undefined });
    expect(back).toMatchObject({ options: undefined, response: undefined, fixture: undefined });
  });

  test('is taken by passkey explain', async () => {
    const file = JSON.stringify(ceremonyToFile(await ceremony(), ORIGIN, 'Test/1.0'));
    expect(await explain(file)).toMatchObject({ input: { kind: 'page-run' }, ceremony: 'registration', verdict: 'undecided', error: null });
  });

  test('is explained by its fixture where it has one, which knows more', async () => {
    const left = await ceremony();
    const fixture = { format: 'passkey-fixture', version: 1 };
    await expect(explain(JSON.stringify(ceremonyToFile({ ...left, fixture }, ORIGIN, 'Test/1.0')))).rejects.toMatchObject({
      code: 'fixture_invalid',
    });
  });

  test('shows in the list what the page showed that saved it', async () => {
    const { item, options, response, explanation } = await ceremony();
    if (explanation === undefined) throw new Error('It was explained above.');
    const pasted = { id: 3, at: 5, document: explanation, options, response, shared: item };
    expect(listItems({ runs: [], stream: [], pasted: [pasted] })).toEqual([
      { ...item, key: 'pasted-3', at: 5, mine: true, source: 'a file, this tab', entry: undefined, pasted },
    ]);
  });

  test('is drawn without the server when it is pasted, and a file of base64 is not one', async () => {
    const saved = JSON.stringify(ceremonyToFile(await ceremony(), ORIGIN, 'Test/1.0'));
    const { app, asked, store } = tab({ answer: () => GONE });
    expect(await explainGiven(app, { input: saved, name: 'mine.json' })).toBe(true);
    expect([asked, store.get().selected, store.get().drawer]).toEqual([[], 'pasted-1', undefined]);
    expect(store.get().pasted).toMatchObject([{ shared: { title: 'Log in', source: 'this tab', code: 'origin_mismatch' } }]);
    expect(await explainGiven(app, { input: saved, encoding: 'base64' })).toBe(false);
    expect(asked).toMatchObject([{ path: '/dev/explain', body: { input: saved, encoding: 'base64' } }]);
    expect(store.get()).toMatchObject({ selected: undefined, unexplained: { problem: 'The server did not answer.' } });
  });

  test('that was not explained is shown, with where it is from', async () => {
    const { explanation: _, ...left } = await ceremony();
    const saved = JSON.stringify(ceremonyToFile({ ...left, explanation: undefined }, ORIGIN, 'Test/1.0'));
    for (const [given, source] of [
      [{ input: saved, name: 'mine.json' }, 'mine.json'],
      [{ input: saved }, 'a saved ceremony'],
    ] as const) {
      const { app, store } = tab({ answer: () => GONE });
      expect(await explainGiven(app, given)).toBe(true);
      const { options, response, item } = left;
      expect(store.get().pasted).toMatchObject([
        { document: { ...NOTHING_EXPLAINED, source, ceremony: 'registration' }, options, response, shared: { title: item.title } },
      ]);
    }
  });

  test('is explained while it is typed: what is out of date is dropped, and nothing typed shows nothing', async () => {
    const document = { ...NOTHING_EXPLAINED, kind_name: 'A login', headline: 'It is one.', options: null, response: null };
    const answers = new Map<unknown, (answer: object) => void>();
    const { app, store } = tab({
      answer: (_path, _method, _signal, body) =>
        new Promise((resolve) => {
          answers.set(body?.['input'], (answer) => resolve({ status: 200, answer }));
        }),
    });
    const [first, second] = [{ input: 'a' }, { input: 'ab' }];
    const early = explainTyped(app, first, undefined);
    const late = explainTyped(app, second, first);
    answers.get('ab')?.({ documents: [document] });
    await late;
    answers.get('a')?.({ documents: [document, document] });
    await early;
    expect(store.get()).toMatchObject({ selected: 'pasted-1', status: 'It is one.', pasted: [{ id: 1, kindName: 'A login' }] });
    const third = explainTyped(app, { input: 'abc' }, second);
    answers.get('abc')?.({ documents: [], detail: 'It is none.' });
    await third;
    expect(store.get()).toMatchObject({
      pasted: [],
      selected: undefined,
      unexplained: { given: { input: 'abc' }, problem: 'It is none.' },
    });
    await explainTyped(app, undefined, undefined);
    expect(store.get().unexplained).toBeUndefined();
  });

  test.each<[string, Uint8Array<ArrayBuffer>, object]>([
    ['text', new TextEncoder().encode('a text'), { input: 'a text' }],
    ['text with a NUL', Uint8Array.of(97, 0), { input: 'YQA', encoding: 'base64' }],
    ['no UTF-8', Uint8Array.of(0xff, 1), { input: '_wE', encoding: 'base64' }],
  ])('is read from a file of %s', async (_, bytes, body) => {
    const { app, asked } = tab({ answer: () => GONE });
    expect(await explainFile(app, new File([bytes], 'mine.bin'))).toBe(false);
    expect(asked).toMatchObject([{ path: '/dev/explain', body: { ...body, name: 'mine.bin', expectations: {} } }]);
  });

  test('is read from a file up to the limit, and from no longer one', async () => {
    const { app, asked, store } = tab({ answer: () => GONE });
    for (const [size, requests] of [
      [MAX_DOCUMENT_BYTES, 1],
      [MAX_DOCUMENT_BYTES + 1, 1],
    ] as const) {
      const file = Object.defineProperty(new File(['x'], 'long.json'), 'size', { value: size });
      expect(await explainFile(app, file)).toBe(false);
      expect(asked).toHaveLength(requests);
    }
    expect(store.get().unexplained).toEqual({
      given: { input: '' },
      problem: `“long.json” has ${MAX_DOCUMENT_BYTES + 1} bytes; at most ${MAX_DOCUMENT_BYTES} can be explained here.`,
    });
  });

  test.each(['', 'null', '[]', '{}', '{"format":"passkey-fixture"}', '{"format":"passkey-ceremony"'])('is not %j', (text) => {
    expect(ceremonyFromFile(text)).toBeUndefined();
  });

  test('of which members are missing or wrong is read as far as it goes', () => {
    const file = {
      format: 'passkey-ceremony',
      legs: [
        1,
        {},
        { kind: 'browser', error: {} },
        { kind: 'signal' },
        { kind: 'signal', method: 'signalOther', outcome: 'sent' },
        { kind: 'signal', method: 'signalUnknownCredential', outcome: 'lost' },
        { kind: 'signal', method: 'signalUnknownCredential', outcome: 'failed' },
        { kind: 'http' },
      ],
      explanation: { steps: [1] },
    };
    const back = ceremonyFromFile(JSON.stringify({ ...file, item: { verdict: 'toString', kind: 3, changed: 'x' } }));
    expect(back).toMatchObject({
      item: {
        kind: 'other',
        verdict: 'undecided',
        changed: [],
        run: {
          id: 0,
          title: '',
          kind: 'other',
          startedAt: 0,
          summary: '',
          offer: undefined,
          legs: [
            {
              kind: 'browser',
              call: 'get',
              mediation: undefined,
              options: {},
              response: undefined,
              error: { name: 'Error', message: '', explanation: { title: '', causes: [], next: '' } },
              milliseconds: 0,
              software: undefined,
            },
            { kind: 'signal', method: 'signalUnknownCredential', outcome: 'failed', options: {}, detail: undefined },
            {
              kind: 'http',
              requestId: '',
              method: '',
              path: '',
              body: undefined,
              bearer: false,
              status: undefined,
              answer: undefined,
              failure: undefined,
              milliseconds: 0,
            },
          ],
        },
      },
      explanation: undefined,
      options: undefined,
    });
  });
});

describe('what leaves the page', () => {
  test('has no tokens, no key material and no user data, wherever they stand', async () => {
    const left = await ceremony();
    const secret = {
      prf: { enabled: true, results: { first: 'SECRET' } },
      largeBlob: { blob: 'SECRET' },
      hmacGetSecret: { output1: 'SECRET' },
    };
    const response = { ...left.response, clientExtensionResults: secret };
    const legs = left.item.run.legs.map((leg) =>
      leg.kind === 'browser' ? { ...leg, response } : { ...leg, body: response, answer: { nested: [{ access_token: 'SECRET' }] } },
    );
    const run = { ...left.item.run, legs };
    const file = ceremonyToFile({ ...left, item: { ...left.item, run }, response }, ORIGIN, 'Test/1.0');
    expect(JSON.stringify(file).includes('SECRET')).toBe(false);
    expect(JSON.stringify(file).includes('"prf":{"enabled":true}')).toBe(true);
  });
});

describe('an entry of the stream', () => {
  const refused = streamEntry('x', {
    finished_at: null,
    state: 'rejected',
    request_ids: ['a', 'b'],
    code: 'origin_mismatch',
    message: 'Another origin.',
    status: 422,
  });
  const given = {
    method: 'POST',
    path: '/api/passkeys/login',
    title: 'Origin mismatch',
    options: { challenge: 'AQ' },
    response: { id: 'AQ' },
  };
  const ENTRY = streamDetail(refused, given);
  const ITEM = { title: 'Log in', verdict: 'rejected', software: undefined } as const;

  test('leaves as a run: what the browser was asked, and the last request', () => {
    const run = detailToRun(ENTRY, ITEM);
    expect(run).toMatchObject({
      title: 'Log in',
      kind: 'authentication',
      outcome: 'rejected',
      summary: 'Another origin.',
      legs: [
        { kind: 'browser', call: 'get', options: { challenge: 'AQ' }, response: { id: 'AQ' }, error: undefined },
        { kind: 'http', requestId: 'b', method: 'POST', path: '/api/passkeys/login', body: { id: 'AQ' }, status: 422 },
      ],
    });
    const [, request] = run.legs;
    const answer = { title: 'Origin mismatch', status: 422, code: 'origin_mismatch', detail: 'Another origin.', step: null };
    expect(request).toEqual(httpLeg({ requestId: 'b', body: { id: 'AQ' }, status: 422, answer, milliseconds: 0 }));
  });

  test('leaves as a run whole, with the error of its browser', () => {
    const browser = { error: 'NotAllowedError', message: 'Timed out.', milliseconds: 90 };
    const software = { persona: 'titan', tamper: undefined };
    const entry = { ...ENTRY, kind: 'registration', response: null, browser, status: null, code: null, message: null } as const;
    expect(detailToRun(entry, { ...ITEM, software })).toEqual({
      id: 0,
      title: 'Log in',
      kind: 'registration',
      startedAt: Date.parse(ENTRY.at),
      outcome: 'rejected',
      summary: '',
      offer: undefined,
      legs: [
        {
          kind: 'browser',
          call: 'create',
          mediation: undefined,
          options: { challenge: 'AQ' },
          response: undefined,
          error: { name: 'NotAllowedError', message: 'Timed out.', explanation: { title: '', causes: [], next: '' } },
          milliseconds: 90,
          software,
        },
        {
          kind: 'http',
          requestId: 'b',
          method: 'POST',
          path: '/api/passkeys/login',
          body: undefined,
          bearer: false,
          status: undefined,
          answer: undefined,
          failure: undefined,
          milliseconds: 0,
        },
      ],
    });
    const unknown = detailToRun({ ...entry, browser: { ...browser, error: null, milliseconds: 7 }, request_ids: [] }, ITEM);
    expect(unknown.legs).toMatchObject([{ error: undefined, milliseconds: 7 }, { requestId: '' }]);
    expect(detailToRun({ ...entry, browser: null }, ITEM).legs).toMatchObject([{ error: undefined, milliseconds: 0 }, {}]);
    expect(detailToRun({ ...entry, kind: 'change' }, ITEM)).toMatchObject({ kind: 'other', legs: [{ kind: 'http' }] });
    const silent = detailToRun({ ...entry, browser: { ...browser, message: null } }, ITEM).legs[0];
    expect(silent?.kind === 'browser' && silent.error?.message).toBe('');
    expect(detailToRun({ ...ENTRY, options: null, path: null }, ITEM).legs).toEqual([]);
    expect(detailToRun({ ...ENTRY, kind: 'request', path: null }, ITEM).legs).toEqual([]);
  });

  test('that was a refused request by itself has no call of a browser', () => {
    expect(detailToRun({ ...ENTRY, kind: 'request', options: null }, ITEM).legs.map(({ kind }) => kind)).toEqual(['http']);
    expect(detailToRun({ ...ENTRY, kind: 'change', options: null, method: null }, ITEM).legs).toEqual([]);
  });
});

/** Makes sure that the guard of explanations lets ours through: a type alone would not. */
test('an explanation of ours is one that the page can draw', async () => {
  const { item, explanation } = await ceremony();
  const read = (one: ExplainDocument | JsonObject | undefined) =>
    ceremonyFromFile(JSON.stringify({ format: 'passkey-ceremony', item, explanation: one }))?.explanation;
  expect(read(explanation)).toBeDefined();
  expect(read(undefined)).toBeUndefined();
  expect(Object.keys(DRAWN).filter((member) => read({ ...explanation, [member]: 'x' }) !== undefined)).toEqual(['source']);
  const known = { title: 't', next: 'n', causes: [], expectations: [{ flag: '--origin' }] };
  const check = { slug: 's', status: 'pass', received: 'r' };
  const whole = { ...NOTHING_EXPLAINED, ...DRAWN, known_errors: [known], attestation: { checks: [check] } };
  expect(read(whole)).toEqual(whole);
  for (const member of ['server', 'library', 'error', 'attestation']) expect(read({ ...whole, [member]: null })).toBeDefined();
  const { source: _, ...unnamed } = whole;
  const broken: JsonObject[] = [unnamed];
  for (const [member, value] of Object.entries(DRAWN)) {
    const [one] = Array.isArray(value) ? value : [value];
    if (!isObject(one)) continue;
    for (const name of Object.keys(one)) {
      const without = { ...one, [name]: undefined };
      broken.push({ ...whole, [member]: Array.isArray(value) ? [without] : without });
    }
  }
  for (const name of Object.keys(known)) broken.push({ ...whole, known_errors: [known, { ...known, [name]: undefined }] });
  for (const name of Object.keys(check)) broken.push({ ...whole, attestation: { checks: [{ ...check, [name]: undefined }] } });
  broken.push({ ...whole, known_errors: [{ ...known, expectations: [{}] }] }, { ...whole, attestation: [] });
  expect(broken.length).toBeGreaterThan(20);
  expect(broken.filter((one) => read(one) !== undefined)).toEqual([]);
});

/** The members that the page reads of an explanation, with those that it reads of each. */
const DRAWN = {
  source: 's',
  server: { verdict: 'v', body: 'b' },
  steps: [{ slug: 's', title: 't', status: 'x', section: '7.1' }],
  library: { verdict: 'v' },
  error: { code: 'c', message: 'm' },
  observations: [{ slug: 's', message: 'm' }],
  encoding: [{ message: 'm' }],
  advice: [{ severity: 's', message: 'm' }],
};
