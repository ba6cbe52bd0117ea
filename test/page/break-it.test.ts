import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { personaRows } from '../../src/cli/serve/personas.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import {
  answererText,
  attestationText,
  groupPersonas,
  type MutationRow,
  type Persona,
  readRows,
  THIS_BROWSER,
} from '../../src/page/catalogue.js';
import { ask, softwarePasskeys } from '../../src/page/flow/ask.js';
import { describeTried, findNewest, firstMistakes, searchMutations, tryMutation, tryMutations } from '../../src/page/flow/break-it.js';
import type { Software } from '../../src/page/run.js';
import type { AppState, PasskeyRow } from '../../src/page/state.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { listMutations } from '../../src/simulate/mutations/mutation.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

const row = (id: string, more: Partial<MutationRow> = {}): MutationRow => ({
  id,
  ceremony: 'authentication',
  title: id,
  expected: 'refused',
  code: 'origin_mismatch',
  tests: null,
  why: null,
  requires: [],
  signed_again: false,
  in_browser: true,
  asks: { options: {}, login: null, endpoint: 'login', persona: null, algorithms: null },
  ...more,
});

describe('the mistakes that are tried often', () => {
  test('are in the catalogue', () => {
    const rows = listMutations().map(({ id }) => row(id));
    // Of another list: it takes a second ceremony.
    rows.push(row('login.challenge-used'));
    expect(firstMistakes(rows).map(({ id }) => id)).toStrictEqual([
      'login.origin-other-site',
      'login.origin-other-port',
      'login.challenge-used',
      'login.signature-bit',
      'login.user-not-verified',
      'login.backup-eligibility-gained',
      'verify.counter-zero',
      'login.user-handle-foreign',
    ]);
  });

  test('those that the server lacks are left out', () => {
    expect(firstMistakes([row('login.signature-bit')]).map(({ id }) => id)).toStrictEqual(['login.signature-bit']);
    expect(firstMistakes([row('login.counter-zero')]).map(({ id }) => id)).toStrictEqual(['login.counter-zero']);
  });
});

test('finds by id, title, code and step', () => {
  const rows = [
    row('login.origin-other-port', { title: 'a page on another port' }),
    row('login.signature-bit', { code: 'signature_invalid', tests: { section: '7.2', number: 21, title: 'Signature' } }),
  ];
  const found = (wanted: string) => searchMutations(rows, wanted).map(({ id }) => id);
  expect(found(' ')).toHaveLength(2);
  expect(found('PORT page')).toStrictEqual(['login.origin-other-port']);
  expect(found('signature_invalid')).toStrictEqual(['login.signature-bit']);
  expect(found('port signature')).toStrictEqual([]);
});

test.each([
  ['refused', 'rejected', 'origin_mismatch', 'refused, as it should be', 'good'],
  ['refused', 'rejected', 'challenge_used', 'refused, by another step: challenge_used', 'good'],
  ['refused', 'verified', undefined, 'accepted!', 'bad'],
  ['accepted', 'verified', undefined, 'accepted, as it should be', 'good'],
  ['accepted', 'rejected', 'signature_invalid', 'refused: signature_invalid', 'bad'],
  ['refused', 'browser-error', 'not_applicable', 'does not fit here', 'plain'],
  ['refused', 'cancelled', 'AbortError', 'cancelled', 'plain'],
  ['refused', 'unanswered', undefined, 'the server did not answer', 'plain'],
  ['refused', 'failed', undefined, 'not begun', 'plain'],
  ['refused', 'running', undefined, 'under way', 'plain'],
  ['refused', 'browser-error', 'NotAllowedError', 'not answered', 'plain'],
  ['refused', 'rejected', undefined, 'refused, by another step: no code', 'good'],
  ['accepted', 'rejected', undefined, 'refused: no code', 'bad'],
] as const)('expected to be %s, ended %s with %s: %s', (expected, outcome, code, text, tone) => {
  expect(describeTried({ expected, code: 'origin_mismatch' }, { outcome, code })).toStrictEqual({ text, tone });
});

const registered = (id: number, software: Software | undefined) =>
  loginRun({ id, kind: 'registration', legs: [browserLeg({ software }), httpLeg({ answer: { passkey: { id } } })] });

const passkey = (id: number): PasskeyRow => ({ id, label: `Key ${id}`, credential_id: `id-${id}`, created_at: '', revoked_at: null });

describe('passkeys of the software authenticator', () => {
  const runs = [
    registered(5, { persona: 'plain', tamper: 'register.packed-intermediate-missing' }),
    registered(4, { persona: undefined, tamper: 'register.standard-base64' }),
    registered(3, { persona: 'yubikey-5', tamper: undefined }),
    registered(2, undefined),
  ];
  const state = {
    runs,
    stream: [],
    passkeys: [2, 3, 4, 5].map(passkey),
    user: { owner: '', name: '', email: '' },
    signalled: [],
  } satisfies Partial<AppState>;

  test('are those that a persona answered for, not those that a browser made, nor those broken on purpose', () => {
    expect([...softwarePasskeys(state)]).toStrictEqual([
      [5, undefined],
      [4, undefined],
      [3, 'yubikey-5'],
    ]);
  });

  test('are told by the server too, as far as this tab knows no better', () => {
    const told = (id: number, software: { persona: string | null; tamper: string | null } | null, change: Partial<StreamEntry> = {}) =>
      streamEntry(`e${id}`, { kind: 'registration', software, passkey: { id, label: 'x' }, ...change });
    const stream = [
      told(10, { persona: 'titan', tamper: null }),
      told(11, { persona: null, tamper: null }),
      told(12, { persona: 'titan', tamper: 'register.broken' }),
      told(13, null),
      told(14, { persona: 'titan', tamper: null }, { kind: 'authentication' }),
      told(15, { persona: 'titan', tamper: null }, { state: 'rejected' }),
      told(16, { persona: 'titan', tamper: null }, { passkey: null }),
      told(3, { persona: 'titan', tamper: null }),
    ];
    expect([...softwarePasskeys({ runs, stream })]).toStrictEqual([
      [10, 'titan'],
      [11, 'plain'],
      [12, undefined],
      [3, 'yubikey-5'],
      [5, undefined],
      [4, undefined],
    ]);
    expect([...softwarePasskeys({ runs: [loginRun({ ...runs[2], kind: 'authentication' })], stream: [] })]).toEqual([]);
  });

  test('the newest of either kind; none that the browser was asked to hide', () => {
    const whole = state as Partial<AppState> as AppState;
    expect(findNewest(whole)?.id).toBe(3);
    expect(findNewest(whole, 'yubikey-5')?.id).toBe(3);
    expect(findNewest(whole, 'titan')).toBeUndefined();
    expect(findNewest(whole, THIS_BROWSER)?.id).toBe(2);
    expect(findNewest({ ...whole, signalled: ['id-2'] }, THIS_BROWSER)).toBeUndefined();
    expect(findNewest({ ...whole, user: undefined })).toBeUndefined();
  });

  test('another persona is another device: its credentials exclude nothing', async () => {
    vi.stubGlobal('location', { origin: 'http://localhost:7277' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const excludeCredentials = state.passkeys.map(({ credential_id: id }) => ({ type: 'public-key', id }));
    const optionsFor = async (answerWith: string, options: JsonObject) => {
      const { app, asked } = tab({ answer: () => ({ status: 200, answer: { response: {} } }), state: { ...state, answerWith } });
      await ask(app, app.runs.begin('Register', 'registration'), { call: 'create', options });
      return asked[0]?.body?.['options'];
    };
    expect(await optionsFor('yubikey-5', { excludeCredentials })).toStrictEqual({ excludeCredentials: excludeCredentials.slice(0, 2) });
    expect(await optionsFor('titan', { excludeCredentials })).toStrictEqual({ excludeCredentials: excludeCredentials.slice(0, 1) });
    expect(await optionsFor('titan', { challenge: 'AA' })).toStrictEqual({ challenge: 'AA' });
    const odd = [{ type: 'public-key' }, 'id-3', { type: 'public-key', id: 'id-3' }];
    expect(await optionsFor('titan', { challenge: 'AA', excludeCredentials: odd })).toStrictEqual({
      challenge: 'AA',
      excludeCredentials: odd.slice(0, 2),
    });
  });
});

describe('the personas of the server', () => {
  const rows = readRows<Persona>(personaRows(), 'id') ?? [];

  test('are grouped: each stands in one group', () => {
    const groups = groupPersonas(rows);
    expect(groups.map(({ heading }) => heading)).toStrictEqual(['Synced passkeys', 'Bound to one device', 'Security keys']);
    expect(groups.flatMap(({ personas }) => personas)).toHaveLength(rows.length);
    const groupOf = (id: string) => groups.find(({ personas }) => personas.some((persona) => persona.id === id))?.heading;
    expect(['icloud-keychain', 'windows-hello', 'titan'].map(groupOf)).toStrictEqual(groups.map(({ heading }) => heading));
  });

  test('are called by their titles, once they are known', () => {
    const listed = { status: 'loaded', rows } as const;
    expect(answererText('titan', listed)).toBe(rows.find(({ id }) => id === 'titan')?.title);
    expect(answererText('titan')).toBe('titan');
    expect(answererText('browser', listed)).toBe('this browser');
    expect(answererText('plain', listed)).toBe('software authenticator');
  });

  test('say how they attest', () => {
    const textOf = (id: string) => rows.filter((row) => row.id === id).map(attestationText);
    expect(textOf('yubikey-5')).toStrictEqual(['attests by `packed-x5c`']);
    expect(textOf('1password')).toStrictEqual(['']);
  });
});

test('takes only lists of rows with a name', () => {
  expect(readRows<{ name: string }>([{ name: 'titan' }], 'name')).toStrictEqual([{ name: 'titan' }]);
  for (const answer of [undefined, {}, [{ id: 'titan' }], ['titan']]) expect(readRows<{ name: string }>(answer, 'name')).toBeUndefined();
});

test('a mistake without a code is refused as it should be by any step', () => {
  const refused = describeTried({ expected: 'refused', code: null }, { outcome: 'rejected', code: 'challenge_used' });
  expect(refused).toStrictEqual({ text: 'refused, as it should be', tone: 'good' });
});

describe('a mistake that is tried', () => {
  const USER = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };
  const made = (id: number): PasskeyRow => ({ ...passkey(id), credential_id: Buffer.from(`made ${id}`).toString('base64url') });

  /** A server at which the given answers to `/dev/answer` come one after the other; all else goes well. */
  function open(answers: readonly Answer[] = [], state: Partial<AppState> = {}, site: Answer = { status: 200, answer: {} }) {
    vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' });
    onTestFinished(() => void vi.unstubAllGlobals());
    let answered = 0;
    let registrations = 0;
    const stored = [...(state.passkeys ?? [])];
    const opened = tab({
      state: { user: USER, token: 'pk_x', passkeys: [], ...state },
      answer(path) {
        if (path === '/dev/site') return site;
        if (path === '/dev/answer') return answers[answered++] ?? { status: 200, answer: { response: { id: `r${answered}` } } };
        if (path.endsWith('/register')) {
          stored.push(made(9 + registrations));
          registrations += 1;
          return { status: 200, answer: { passkey: stored.at(-1) } };
        }
        if (path.endsWith('/options')) return { status: 200, answer: { challenge: 'AA' } };
        if (path === '/dev/state') {
          return {
            status: 200,
            answer: { signIn: true, policy: {}, verifiable: {}, users: [], passkeys: 1, user: { type: 'User', id: 1 } },
          };
        }
        if (path.startsWith('/dev/passkeys')) return { status: 200, answer: stored };
        if (path === '/dev/browser-error') return { status: 200, answer: { title: 't', causes: ['c'], next: 'n' } };
        return { status: 200, answer: {} };
      },
    });
    const paths = () =>
      opened.asked
        .map(({ path, body }) => [path, body?.['tamper'] ?? body?.['persona'] ?? null])
        .filter(([path]) => /answer|options|site/.test(String(path)));
    return { ...opened, paths };
  }

  test('of a registration excludes nothing, and is kept with its outcome', async () => {
    const asks = { options: { timeout: 5 }, login: null, endpoint: 'login', persona: null, algorithms: null } as const;
    const mistake = row('register.origin', { ceremony: 'registration', title: 'another origin', asks });
    const { app, store, asked, paths } = open();
    await tryMutation(app, mistake, 'titan');
    expect(paths()).toEqual([
      ['/dev/register/options', null],
      ['/dev/answer', 'register.origin'],
    ]);
    expect(asked[0]?.body?.['options']).toMatchObject({ excludeCredentials: [], timeout: 5 });
    expect(asked.find(({ path }) => path === '/api/passkeys/register')?.body).toEqual({ label: 'another origin', id: 'r1' });
    expect(store.get().runs.map(({ title, outcome }) => [title, outcome])).toEqual([['Break it: another origin', 'verified']]);
    expect(store.get().tried).toEqual(new Map([['register.origin', { key: 'run-1', outcome: 'verified', code: undefined }]]));
  });

  test.each([
    ['login', null, '/api/passkeys/verify/options', '/api/passkeys/login'],
    ['verify', null, '/api/passkeys/verify/options', '/api/passkeys/verify'],
    ['login', 'discoverable', '/api/passkeys/login/options', '/api/passkeys/login'],
  ] as const)('at %s (%s) first gets its passkey', async (endpoint, login, options, path) => {
    const asks = { options: {}, login, endpoint, persona: 'titan', algorithms: [-8] } as const;
    const { app, store, asked } = open();
    await tryMutation(app, row('login.broken', { asks }), 'yubikey-5');
    expect(store.get().runs.map(({ title, outcome }) => [title, outcome])).toEqual([
      ['Break it: login.broken', 'verified'],
      ['First register a software passkey to break', 'verified'],
    ]);
    const bodyOf = (wanted: string) => asked.filter((one) => one.path === wanted).map(({ body }) => body);
    expect(bodyOf('/dev/register/options')[0]?.['options']).toMatchObject({
      pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
      authenticatorSelection: { residentKey: 'required' },
      excludeCredentials: [],
    });
    expect(bodyOf('/dev/answer')).toMatchObject([
      { persona: 'titan' },
      { persona: 'titan', tamper: 'login.broken', credential_id: made(9).credential_id },
    ]);
    expect(bodyOf(options)).toHaveLength(1);
    expect(bodyOf(path)).toEqual([{ id: 'r2' }]);
  });

  test('is made by this browser where it has a passkey and can, and by a software authenticator elsewhere', async () => {
    const own = made(3);
    const begun: unknown[] = [];
    const attempt = async (mistake: MutationRow, chosen: string, passkeys: readonly PasskeyRow[]) => {
      const { app, asked, store } = open([], { passkeys, answerWith: 'browser' });
      const calls = { ...app.calls, run: async () => ({ leg: browserLeg({ response: { id: 'own' } }), aborted: false }) };
      await tryMutation({ ...app, calls }, mistake, chosen);
      begun.push(
        store
          .get()
          .runs.map(({ title }) => title)
          .toReversed(),
      );
      return asked
        .filter(({ path }) => /answer|tamper/.test(path))
        .map(({ path, body }) => [path, body?.['tamper'] ?? body?.['id'] ?? body?.['persona']]);
    };
    const login = row('login.broken');
    expect(await attempt(login, THIS_BROWSER, [own])).toEqual([['/dev/tamper', 'login.broken']]);
    expect(await attempt({ ...login, in_browser: false }, THIS_BROWSER, [own])).toEqual([
      ['/dev/answer', undefined],
      ['/dev/answer', 'login.broken'],
    ]);
    expect(await attempt(login, 'titan', [own])).toEqual([
      ['/dev/answer', 'titan'],
      ['/dev/answer', 'login.broken'],
    ]);
    expect(await attempt({ ...login, ceremony: 'registration' }, THIS_BROWSER, [own])).toEqual([['/dev/answer', 'login.broken']]);
    const first = 'First register a software passkey to break';
    expect(begun).toEqual([
      ['Break it: login.broken'],
      [first, 'Break it: login.broken'],
      [first, 'Break it: login.broken'],
      ['Break it: login.broken'],
    ]);
  });

  test('by the plain authenticator takes no passkey of a persona; by a persona it takes that of another', async () => {
    const held = { ...made(5), revoked_at: null };
    const runs = [registered(5, { persona: 'yubikey-5', tamper: undefined })];
    const attempt = async (chosen: string, mistake = row('login.broken')) => {
      const { app, asked } = open([], { passkeys: [held], runs });
      await tryMutation(app, mistake, chosen);
      return asked.filter(({ path }) => path === '/dev/answer').map(({ body }) => [body?.['persona'], body?.['credential_id']]);
    };
    expect(await attempt('titan')).toEqual([['titan', held.credential_id]]);
    expect(await attempt('yubikey-5')).toEqual([['yubikey-5', held.credential_id]]);
    expect(await attempt('plain')).toEqual([
      [undefined, undefined],
      [undefined, made(9).credential_id],
    ]);
    const titan = row('login.broken', { asks: { ...row('x').asks, persona: 'titan' } });
    expect(await attempt('yubikey-5', titan)).toEqual([
      ['titan', undefined],
      ['titan', made(9).credential_id],
    ]);
  });

  test('that does not fit is tried again after what it needs', async () => {
    const refused = { status: 422, answer: { code: 'not_applicable', title: 'No.', detail: 'It needs an earlier login.' } };
    const { app, store } = open([{ status: 200, answer: { response: { id: 'first' } } }, refused]);
    await tryMutation(app, row('login.challenge-used'), 'titan');
    expect(store.get().runs.map(({ title, outcome }) => [title, outcome])).toEqual([
      ['Break it: login.challenge-used', 'verified'],
      ['First verify without a mistake, for one that needs an earlier ceremony', 'verified'],
      ['First register a software passkey to break', 'verified'],
      ['Break it: login.challenge-used', 'browser-error'],
      ['First register a software passkey to break', 'verified'],
    ]);
    expect(store.get().tried.get('login.challenge-used')).toMatchObject({ key: 'run-5', outcome: 'verified' });
  });

  test.each([
    [
      'that needs an algorithm, with a new passkey',
      { algorithms: [-8] },
      ['First register a software passkey to break', 'First verify without a mistake, for one that needs an earlier ceremony'],
    ],
    [
      'otherwise with the passkey that there is',
      { algorithms: null },
      ['First verify without a mistake, for one that needs an earlier ceremony'],
    ],
  ])('again: a login %s', async (_, { algorithms }, between) => {
    const refused = { status: 422, answer: { code: 'not_applicable', title: 'No.', detail: 'It needs another.' } };
    const held = { ...made(5), revoked_at: null };
    const runs = [{ ...registered(5, { persona: 'plain', tamper: undefined }), id: 0 }];
    const { app, store, asked } = open([refused], { passkeys: [held], runs });
    await tryMutation(app, row('login.broken', { asks: { ...row('x').asks, algorithms } }), 'plain');
    const broken = 'Break it: login.broken';
    expect(
      store
        .get()
        .runs.slice(0, -1)
        .map(({ title }) => title)
        .toReversed(),
    ).toEqual([broken, ...between, broken]);
    const earlier = asked.findIndex(({ path }) => path === '/api/passkeys/verify');
    const { credential_id: id } = algorithms === null ? held : made(9);
    expect(asked[earlier - 1]).toEqual({ path: '/dev/answer', body: { options: { challenge: 'AA' }, credential_id: id } });
    expect(asked.find(({ path, body }) => path === '/api/passkeys/verify/options' && body?.['credential_id'] === id)).toBeDefined();
  });

  test('a registration that does not fit is tried again with a new passkey alone', async () => {
    const refused = { status: 422, answer: { code: 'not_applicable', title: 'No.', detail: 'It needs another.' } };
    const { app, store } = open([refused]);
    await tryMutation(app, row('register.broken', { ceremony: 'registration' }), 'titan');
    expect(store.get().runs.map(({ title }) => title)).toEqual([
      'Break it: register.broken',
      'First register a software passkey to break',
      'Break it: register.broken',
    ]);
  });

  test('waits for nothing: another ceremony, one that is unfit, no user', async () => {
    const waiting = { run: 4, title: 'Log in', phase: 'server', since: 0, until: undefined, silent: false } as const;
    for (const [mistake, state] of [
      [row('a'), { waiting }],
      [row('a', { unfit: 'it has no RSA' }), {}],
    ] as const) {
      const { app, asked, store } = open([], state);
      await tryMutations(app, [mistake]);
      expect([asked, store.get().tried.size, store.get().drawer]).toEqual([[], 0, 'break']);
    }
  });

  test('of which the options cannot be used is not tried, whatever was tried before', async () => {
    const runs = [2, 1].map((id) => loginRun({ id, kind: 'registration' }));
    const { app, asked, store } = open([], { runs, invalid: { registration: { text: '{', problem: 'It ends.' } } });
    await tryMutation(app, row('a', { ceremony: 'registration' }));
    expect([asked, store.get().tried.size, store.get().drawer]).toEqual([[], 0, 'options']);
  });

  test('many are tried until one is cancelled', async () => {
    const { app, store } = open();
    await tryMutations(app, [row('a'), row('b')]);
    expect([...store.get().tried.keys()]).toEqual(['a', 'b']);
    const cancelling = open([GONE]);
    cancelling.store.watch(({ waiting }) => waiting !== undefined && cancelling.app.runs.cancel(), ['waiting']);
    await tryMutations(cancelling.app, [row('a', { ceremony: 'registration' }), row('b')]);
    expect([...cancelling.store.get().tried]).toEqual([['a', { key: 'run-1', outcome: 'cancelled', code: 'AbortError' }]]);
  });

  test('at a site is that of its next ceremony', async () => {
    const site = { url: 'https://shop.example', persona: 'titan', tamper: null };
    const { app, store, asked } = open([], { server: { ...SERVER, site } });
    await tryMutation(app, row('login.broken', { title: 'a bit' }));
    expect(asked[0]).toEqual({ path: '/dev/site', body: { tamper: 'login.broken' } });
    expect(store.get()).toMatchObject({ status: 'The next login at https://shop.example is broken: a bit.', statusFailed: false });
    // The state comes after it, and says nothing by itself.
    const refusing = open([], { server: { ...SERVER, site } }, { status: 422, answer: { code: 'usage', title: 'No.', detail: 'Not so.' } });
    await tryMutation(refusing.app, row('login.broken'));
    expect(refusing.store.get()).toMatchObject({ status: expect.stringContaining('Not so.'), statusFailed: true });
  });
});
