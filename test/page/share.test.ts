import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ExplainDocument } from '../../src/explain/document-schema.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { ceremonyFromFile } from '../../src/page/ceremony-file.js';
import { readShared } from '../../src/page/flow/link.js';
import { addressPasted, copyOrDownload, listShapes, shared } from '../../src/page/flow/share.js';
import { type Item, listItems } from '../../src/page/items.js';
import type { AppState, Pasted } from '../../src/page/state.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamDetail, streamEntry } from './stream-entries.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://localhost:7277' });
  vi.stubGlobal('navigator', { userAgent: 'Test/1.0' });
});
afterAll(() => void vi.unstubAllGlobals());

const AT = Date.UTC(2026, 0, 15);

/** The only item of a tab, whose server answers like this. */
function open(state: Partial<AppState>, answer: Answer = GONE) {
  const opened = tab({ answer: () => answer, state });
  const [item] = listItems(opened.store.get());
  return { ...opened, item: item ?? expect.fail('Expected an item.') };
}
const pastedOf = (document: Partial<ExplainDocument>, change: Partial<Pasted> = {}): Pasted => ({
  id: 2,
  at: AT,
  document: { ...NOTHING_EXPLAINED, source: '-', ...document },
  options: { challenge: 'AA' },
  response: { id: 'AQ' },
  ...change,
});
const read = (found: Awaited<ReturnType<typeof shared>>): unknown =>
  'text' in found ? [found.name, JSON.parse(found.text)] : found.problem;

describe('what was pasted leaves as JSON', () => {
  const common = {
    title: '-',
    outcome: 'failed',
    summary: '',
    started_at: new Date(AT).toISOString(),
    origin: 'http://localhost:7277',
    user_agent: 'Test/1.0',
  };

  test.each([
    ['registration', 'create'],
    ['authentication', 'get'],
  ] as const)('of a %s', async (ceremony, call) => {
    const { app, item } = open({ pasted: [pastedOf({ ceremony })] });
    const leg = { kind: 'browser', call, options: { challenge: 'AA' }, response: { id: 'AQ' }, milliseconds: 0 };
    const name = 'passkey-pasted-browser-error-pasted-2.json';
    expect(read(await shared(app, item, 'json'))).toEqual([name, { ...common, kind: ceremony, legs: [leg] }]);
    const bare = open({ pasted: [pastedOf({ ceremony }, { options: undefined, response: undefined })] });
    const nothing = { kind: 'browser', call, options: {}, milliseconds: 0 };
    expect(read(await shared(bare.app, bare.item, 'json'))).toEqual([name, { ...common, kind: ceremony, legs: [nothing] }]);
  });

  test('of none', async () => {
    const { app, item } = open({ pasted: [pastedOf({})] });
    const name = 'passkey-pasted-explained-pasted-2.json';
    expect(read(await shared(app, item, 'json'))).toEqual([name, { ...common, kind: 'other', legs: [] }]);
  });
});

const ENTRY = streamEntry('a/b:1', { state: 'verified', origins: ['https://shop.example', 'https://other.example'] });
const FIXTURE = { format: 'passkey-fixture', name: 'login' };

test('an entry of the server leaves as one file, with its explanation and its fixture, and as a link', async () => {
  const explanation = { ...NOTHING_EXPLAINED, source: 'server', ceremony: 'authentication' };
  const given = { options: { challenge: 'AA' }, response: { id: 'AQ' }, explanation, fixture: FIXTURE };
  const { app, item } = open({ stream: [ENTRY] }, { status: 200, answer: streamDetail(ENTRY, Object(given)) });
  const file = await shared(app, item, 'file');
  const text = 'text' in file ? file.text : '';
  expect([Reflect.get(file, 'name'), text.startsWith('{\n  "format"'), text.endsWith('}\n')]).toEqual([
    'passkey-authentication-verified-a-b-1.passkey.json',
    true,
    true,
  ]);
  expect(JSON.parse(text)).toMatchObject({ origin: 'https://shop.example', user_agent: 'Test/1.0' });
  expect(ceremonyFromFile(text)).toMatchObject({ ...given, item: { kind: 'authentication', verdict: 'verified', source: 'curl/8.5.0' } });
  const link = await shared(app, item, 'link');
  const [, fragment = ''] = 'text' in link ? link.text.split('http://localhost:7277/') : [];
  expect(await readShared(fragment)).toBe(JSON.stringify(JSON.parse(text)));
  const json = await shared(app, item, 'json');
  expect(read(json)).toMatchObject(['passkey-authentication-verified-a-b-1.json', { origin: 'https://shop.example' }]);
  expect(await shared(app, item, 'curl')).toEqual({ name: 'passkey-authentication-verified-a-b-1.sh', text: '\n' });
});

test('an entry without an origin, an explanation or a fixture leaves without', async () => {
  const entry = { ...ENTRY, origins: [] };
  const { app, item } = open({ stream: [entry] }, { status: 200, answer: streamDetail(entry, { options: { challenge: 'AA' } }) });
  expect(read(await shared(app, item, 'file'))).toMatchObject([
    'passkey-authentication-verified-a-b-1.passkey.json',
    { origin: 'http://localhost:7277', explanation: null, fixture: null, response: null, item: { source: 'curl/8.5.0' } },
  ]);
});

test('what was opened from a file leaves as it was saved', async () => {
  const run = loginRun({ title: 'Saved', legs: [httpLeg()] });
  const saved = {
    kind: 'authentication',
    title: 'Saved',
    verdict: 'verified',
    source: 'another tab',
    user: 'ada@example.com',
    passkey: 'Laptop',
    code: undefined,
    changed: ['hints'],
    software: undefined,
    run,
  } as const;
  const { app, item } = open({ pasted: [pastedOf({ headline: 'Own.' }, { shared: saved })] });
  const file = await shared(app, item, 'file');
  const back = ceremonyFromFile('text' in file ? file.text : '');
  expect(back?.item).toEqual({ ...saved, run: { ...run, id: 0 } });
  expect(back?.explanation?.headline).toBe('Own.');
});

test.each<[string, Answer, Partial<AppState>, string]>([
  ['failed', { status: 404, answer: { code: 'stream_entry_not_found', detail: 'Gone.' } }, {}, '404 stream_entry_not_found: Gone.'],
  ['is under way', GONE, { details: new Map([[ENTRY.id, { status: 'loading' }]]) }, 'The server has not sent it yet. Try again.'],
])('an entry whose loading %s cannot be shared', async (_, answer, state, problem) => {
  const { app, item } = open({ stream: [ENTRY], ...state }, answer);
  expect(await shared(app, item, 'json')).toEqual({ problem });
});

describe('a fixture', () => {
  const run = loginRun({ id: 4, legs: [browserLeg({ options: { challenge: 'AQ' } }), httpLeg()] });

  test.each<[string, Answer, unknown, Partial<AppState>, readonly string[]]>([
    ['under its name', { status: 200, answer: FIXTURE }, ['login.json', FIXTURE], {}, ['GET /dev/fixtures/AQ']],
    ['without a name', { status: 200, answer: { a: 1 } }, ['fixture.json', { a: 1 }], {}, ['GET /dev/fixtures/AQ']],
    ['refused', { status: 404, answer: { code: 'x', detail: 'No.' } }, '404 x: No.', {}, ['GET /dev/fixtures/AQ']],
    ['that is none', { status: 200, answer: 'x' }, '200: The server gave no reason.', {}, ['GET /dev/fixtures/AQ']],
    ['at a server that has none', GONE, 'The server has no fixture of it.', { server: { ...SERVER, local: false } }, []],
    ['without a response', GONE, 'The server has no fixture of it.', { runs: [loginRun({ legs: [httpLeg()] })] }, []],
  ])('of a run is asked for: %s', async (_, answer, expected, state, requests) => {
    const { app, item, sent } = open({ runs: [run], ...state }, answer);
    expect(read(await shared(app, item, 'fixture'))).toEqual(expected);
    expect(sent).toEqual(requests);
  });

  test('of a file that was opened is not asked for', async () => {
    const { item: saved } = open({ runs: [run] });
    const { app, item, sent } = open({ pasted: [pastedOf({}, { shared: saved })] });
    expect(read(await shared(app, item, 'fixture'))).toBe('The server has no fixture of it.');
    expect(sent).toEqual([]);
  });

  test.each([
    [{ fixture: FIXTURE }, ['login.json', FIXTURE]],
    [{ why_no_fixture: 'It was not finished.' }, 'It was not finished.'],
    [{}, 'The server has no fixture of it.'],
  ])('of an entry comes with its details: %j', async (detail, expected) => {
    const { app, item } = open({ stream: [ENTRY] }, { status: 200, answer: streamDetail(ENTRY, Object(detail)) });
    expect(read(await shared(app, item, 'fixture'))).toEqual(expected);
  });
});

test.each<[string, Partial<AppState>, readonly string[]]>([
  ['a run with a response', { runs: [loginRun({ legs: [browserLeg({ options: { challenge: 'AQ' } }), httpLeg()] })] }, ['curl', 'fixture']],
  ['a run whose response was not sent', { runs: [loginRun({ legs: [httpLeg(), browserLeg()] })] }, ['curl']],
  ['a run without requests', { runs: [loginRun({ legs: [browserLeg()] })] }, []],
  ['an entry', { stream: [ENTRY] }, ['curl', 'fixture']],
  ['a refused request', { stream: [{ ...ENTRY, kind: 'request' }] }, ['curl']],
  ['a change', { stream: [{ ...ENTRY, kind: 'change' }] }, []],
  ['a pasted ceremony', { pasted: [pastedOf({ ceremony: 'authentication' })] }, []],
])('%s can be shared in its shapes', (_, state, more) => {
  expect(listShapes(open(state).item)).toEqual(['link', 'file', 'json', ...more]);
});

test.each<[string, Partial<AppState>, (item: Item) => Item, boolean]>([
  ['it is shown', { selected: 'pasted-2' }, (item) => item, true],
  ['another one is shown', { selected: 'pasted-1' }, (item) => item, false],
  [
    'it is too long',
    { selected: 'pasted-2' },
    (item) => ({ ...item, title: Array.from({ length: 4_000 }, (__, index) => ((index * 7_919) % 65_521).toString(36)).join('') }),
    false,
  ],
])('the address has what was pasted: %s', async (_, state, change, expected) => {
  const { app, item, store } = open({ pasted: [pastedOf({})], ...state });
  await addressPasted(app, change(item));
  const { addressed } = store.get();
  expect(addressed?.startsWith('shared=') === true).toBe(expected);
  if (expected) expect(await readShared(`#${addressed}`)).toContain('"title":"-"');
});

test.each([
  ['a.json', 'application/json'],
  ['.json.sh', 'text/plain'],
])('what cannot be copied is saved as %s, of the type %s, and the address of it is given back', async (name, type) => {
  const urls: unknown[] = [];
  const clicked: unknown[] = [];
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.stubGlobal('document', undefined);
  });
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    urls.push(Object(blob));
    return 'blob:1';
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.push(url));
  const link = { href: '', download: '', click: () => void clicked.push([link.href, link.download, urls.length]) };
  vi.stubGlobal('document', { createElement: (element: string) => (element === 'a' ? link : undefined) });
  const { app, store } = tab({ answer: () => GONE });
  await copyOrDownload(app, 'JSON', name, 'text');
  expect(clicked).toEqual([['blob:1', name, 1]]);
  const [blob, revoked] = urls;
  expect([blob instanceof Blob && blob.type, blob instanceof Blob && (await blob.text()), revoked]).toEqual([type, 'text', 'blob:1']);
  expect(store.get().status).toBe(`The browser does not let this page copy, so it was saved as ${name}.`);
});
