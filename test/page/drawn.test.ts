import { describe, expect, test, vi } from 'vitest';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState, Drawer } from '../../src/page/state.js';
import { AT, CREATED, drawPage, mutation, NOW, PASSKEYS, passkey, shows, stopClock, USER } from './drawing.js';
import { loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { SERVER } from './tab.js';

stopClock();

describe('the frame of the page', () => {
  test.each<[string, Partial<AppState>]>([
    ['first visit', {}],
    ['first visit after a change', { stream: [streamEntry('c', { kind: 'change', passkey: null, state: 'changed', at: AT.first })] }],
    ['first visit, by a browser', { answerWith: 'browser', capabilities: { passkeyPlatformAuthenticator: true, conditionalCreate: true } }],
    ['first visit, without users', { server: { ...SERVER, users: [] }, answerWith: 'titan' }],
    [
      'first visit, without an authenticator',
      { answerWith: 'browser', capabilities: { passkeyPlatformAuthenticator: false, hybridTransport: false } },
    ],
    ['before the server has answered', { mode: 'unknown', server: undefined }],
    ['without a server', { mode: 'unreachable', server: undefined, status: 'The server did not answer.', statusFailed: true }],
    [
      'not on the machine of the server',
      { server: { ...SERVER, local: false, refusal: 'This address is not local.' }, answerWith: 'browser' },
    ],
    [
      'signed in with a token',
      {
        server: { ...SERVER, local: false },
        user: USER,
        token: 'secret',
        answerWith: 'browser',
        capabilities: { conditionalCreate: true },
      },
    ],
    [
      'beside a site',
      {
        server: {
          ...SERVER,
          site: {
            url: 'https://shop.example',
            persona: 'titan',
            tamper: { id: 'login.signature-bit', title: 'one bit of the signature flipped', kind: 'authentication' },
          },
        },
        answerWith: 'titan',
        live: true,
      },
    ],
    [
      'beside a site that is only watched',
      { server: { ...SERVER, site: { url: 'https://shop.example', persona: null, tamper: null } }, live: true, stream: CREATED.stream },
    ],
    [
      'with notices',
      {
        notices: [
          { severity: 'error', title: 'No WebAuthn.', detail: 'The page is not secure.', link: 'http://localhost:7277/' },
          { severity: 'warning', title: 'Framed.', detail: 'It may be blocked.', link: undefined },
        ] as AppState['notices'],
        stream: CREATED.stream,
        setup: { ...PLAIN_SETUP, autofill: true, appName: 'Shop', appUrl: 'https://shop.example' },
        autofill: 'armed',
        selected: 'elsewhere',
      },
    ],
  ])('%s', async (name, state) => {
    const page = await drawPage(state);
    await shows(page.outline(), name.replaceAll(/[^a-z]+/g, '-'));
  });

  test.each<[Drawer, string, Partial<AppState>]>([
    [
      'options',
      'changed',
      {
        setup: {
          ...PLAIN_SETUP,
          registration: { attestation: 'direct', hints: ['hybrid'] },
          authentication: { timeout: 5 },
          appName: 'Shop',
        },
      },
    ],
    [
      'options',
      'unusable',
      { invalid: { authentication: { text: '{', problem: 'It ends too early.' } }, server: { ...SERVER, local: false } },
    ],
    [
      'break',
      'tried',
      { answerWith: 'browser', tried: new Map([['login.signature-bit', { key: 'e1', outcome: 'rejected', code: 'signature_invalid' }]]) },
    ],
    ['break', 'failed', { mutations: { status: 'failed', why: 'The server said: `no`.' } }],
    ['break', 'elsewhere', { server: { ...SERVER, local: false, refusal: 'This address is not local.' } }],
    ['break', 'site', { server: { ...SERVER, site: { url: 'https://shop.example', persona: 'titan', tamper: null } } }],
    ['browser', 'known', { capabilities: { signalUnknownCredential: true, hybridTransport: false } }],
    ['browser', 'unknown', {}],
  ])('drawer %s: %s', async (drawer, name, state) => {
    const page = await drawPage({ ...CREATED, drawer, ...state });
    await shows(page.outline('.drawer'), `drawer-${drawer}-${name}`);
    expect(page.focused()).toBe(page.find(`#${drawer}-heading`));
    await page.press(page.find('.drawer button').getAttribute('aria-label') ?? '');
    expect(page.store.get().drawer).toBeUndefined();
  });
});

test('the catalogue comes in parts, is searched, and tells how the server fared', async () => {
  const rows = Array.from({ length: 43 }, (_, index) => mutation(`login.more-${index}`));
  const page = await drawPage({ ...CREATED, drawer: 'break', mutations: { status: 'loaded', rows }, answerWith: 'browser' });
  const shown = () => page.body.querySelectorAll('#break-authentication .mistake').length;
  expect([shown(), page.find('#break-authentication-heading .count').textContent]).toEqual([40, '43']);
  await page.press('Show 3 more');
  expect(shown()).toBe(43);
  expect(page.focused()?.closest('li')?.dataset['mutation']).toBe('login.more-40');
  await page.enter('#break-find', 'more-42');
  expect(shown()).toBe(1);
  await page.enter('#break-find', 'nothing');
  expect(page.outline('.drawer')).toContain('Nothing in the catalogue matches.');
  await page.enter('#break-find', '');
  await page.click('#break-by-software');
  expect(page.store.get().answerWith).toBe('plain');
});

test.each([
  [{ outcome: 'rejected', code: 'origin_mismatch' }, '1 of 1 so far', 'badge good'],
  [{ outcome: 'verified', code: undefined }, '0 of 1 so far', 'badge bad'],
] as const)('of a mistake that was %j the catalogue says how it ended: %s', async (result, text, tone) => {
  const tried = new Map([['login.origin-other-port', { key: 'e1', ...result }]]);
  const page = await drawPage({ ...CREATED, drawer: 'break', tried });
  const card = page.find('#scorecard');
  expect([card.textContent, card.getAttribute('class')]).toEqual([text, tone]);
  await page.click('.fared');
  expect(page.store.get().selected).toBe('e1');
});

describe('the list of ceremonies', () => {
  const STREAM = [
    streamEntry('open', { at: AT.second, state: 'open', finished_at: null, status: null, passkey: null, user: null }),
    streamEntry('refused', {
      at: AT.first,
      state: 'rejected',
      status: 401,
      code: 'origin_mismatch',
      software: { persona: 'titan', tamper: 'login.origin-other-port' },
      changed_options: ['hints', 'timeout', 'rpId', 'extensions'],
      user: null,
    }),
    streamEntry('software', {
      at: AT.first,
      kind: 'registration',
      software: { persona: 'plain', tamper: null },
      changed_options: ['hints'],
    }),
    streamEntry('change', { at: AT.before, kind: 'change', state: 'changed', message: 'Passkey 1 “Laptop” was revoked.' }),
    streamEntry('gone', { at: AT.before, state: 'expired', browser: { error: 'AbortError', message: null, milliseconds: 3 }, page: true }),
  ];

  test('has a line for each, under its day', async () => {
    const waiting = { run: 7, title: 'Log in', phase: 'browser', since: NOW - 3_000, until: NOW + 60_000, silent: false } as const;
    const runs = [
      loginRun({ id: 7, startedAt: NOW, outcome: 'running' }),
      loginRun({ id: 6, startedAt: Date.parse(AT.second), outcome: 'cancelled' }),
    ];
    const page = await drawPage({ stream: STREAM, runs, waiting, selected: 'refused' });
    await shows(page.outline('.list-pane'), 'list-of-ceremonies');
  });

  test('shows an hour of ceremonies at once, and then more', async () => {
    const stream = Array.from({ length: 130 }, (_, index) => streamEntry(`e${index}`, { at: AT.first }));
    const page = await drawPage({ stream });
    const rows = () => page.body.querySelectorAll('li.item').map((row) => (row.matches('.far') ? 'far' : 'near'));
    const first = rows();
    expect([first.length, first.filter((place) => place === 'far').length]).toMatchInlineSnapshot(`
      [
        100,
        60,
      ]
    `);
    await page.click('#show-older');
    expect(rows()).toHaveLength(130);
    expect(page.focused()?.closest('li')?.dataset['key']).toBe(`e${first.length}`);
  });

  test.each([
    ['Mine: ceremonies of this tab', 'mine', 'No ceremony matches.'],
    ['Failed ceremonies', 'failed', 'No failed ceremony matches.'],
    ['All ceremonies', 'all', undefined],
  ])('filter %s', async (name, which, empty) => {
    const page = await drawPage({ stream: [streamEntry('e1', { at: AT.first })], filter: { which: 'all', search: '' } });
    await page.press(name);
    expect(page.store.get().filter).toEqual({ which, search: '' });
    expect(page.button(name).getAttribute('aria-pressed')).toBe('true');
    expect(page.body.querySelector('.nothing')?.textContent).toBe(empty);
    await page.enter('#list-search', 'grace');
    expect(page.store.get().filter).toEqual({ which, search: 'grace' });
    expect(page.find('.nothing').textContent).toBe(empty ?? 'No ceremony matches.');
  });

  test('is walked through by keys, from its heading, its search, and from row to row', async () => {
    const page = await drawPage({ stream: STREAM.slice(0, 3) });
    const selected = () => page.store.get().selected;
    const down = await page.key('#list-search', 'ArrowDown');
    expect([selected(), down?.defaultPrevented]).toEqual(['open', true]);
    await page.key('[data-key=open] .row', 'ArrowDown');
    expect(selected()).toBe('refused');
    await page.key('#list-heading', 'ArrowDown');
    expect(selected()).toBe('refused');
    await page.key('[data-key=refused] .row', 'ArrowUp');
    expect(selected()).toBe('open');
    const other = await page.key('[data-key=open] .row', 'ArrowUp');
    await page.key('[data-key=open] .row', 'Home');
    await page.key('#clear', 'ArrowDown');
    expect([selected(), other?.defaultPrevented]).toEqual(['open', false]);
    await page.key('#list-search', 'ArrowUp');
    expect(page.focused()?.closest('li')?.dataset['key']).toBe('open');
  });

  test('a press selects; one of a key goes to the ceremony, and so does any where that is below the list', async () => {
    const page = await drawPage({ stream: STREAM });
    await page.click('[data-key=refused] .row', 1);
    expect([page.store.get().selected, page.focused()?.id]).toEqual(['refused', '']);
    await page.click('[data-key=software] .row', 0);
    expect([page.store.get().selected, page.focused()?.id]).toEqual(['software', 'subject']);
  });

  test('a press goes to the ceremony where that is below the list', async () => {
    const small = await drawPage({ stream: STREAM }, { matchMedia: (query: string) => ({ matches: query === '(max-width: 599px)' }) });
    await small.click('[data-key=open] .row', 1);
    expect(small.focused()?.id).toBe('subject');
    await small.click('#to-list');
    expect(small.focused()?.id).toBe('list-heading');
  });

  test.each([
    [{ persona: 'titan', tamper: null }, true, ['/dev/personas']],
    [{ persona: 'titan', tamper: null }, false, []],
    [{ persona: 'plain', tamper: null }, true, []],
    [null, true, []],
  ])('of %j (the server is this machine: %s) loads the names of personas that it shows', async (software, local, paths) => {
    const stream = [streamEntry('e1', { at: AT.first, software })];
    const page = await drawPage({ stream, personas: { status: 'unasked' }, answerWith: 'browser', server: { ...SERVER, local } });
    expect(page.asked.map(({ path }) => path).filter((path) => path === '/dev/personas')).toEqual(paths);
  });

  test('is emptied once that was confirmed', async () => {
    const page = await drawPage({ stream: STREAM });
    expect(page.button('Empty…').getAttribute('disabled')).toBeNull();
    await page.press('Empty…');
    expect(page.outline('.tools')).toContain('Empty the list, here and at the server?');
    expect(page.focused()?.textContent).toBe('Keep it');
    await page.press('Keep it');
    expect(page.store.get().stream).toBe(STREAM);
    await page.press('Empty…');
    const before = page.asked.length;
    await page.press('Empty it');
    expect(page.asked.slice(before).map(({ path }) => path)).toEqual(['/dev/stream']);
    expect(page.body.querySelector('#clear-confirm')).toBeNull();
  });
});

describe('the passkeys', () => {
  const LIST = { list: 'passkeys', passkeys: PASSKEYS, user: USER, signalled: ['credential-3'] } as const;

  test('each is a line with what the server knows', async () => {
    const page = await drawPage(LIST);
    await shows(page.outline('.list-pane'), 'list-of-passkeys');
    await page.enter('#show-revoked', true, 'change');
    expect(page.store.get().showRevoked).toBe(true);
    expect(page.body.querySelectorAll('.passkey.revoked').map(({ id }) => id)).toEqual(['passkey-2']);
  });

  test.each<[string, Partial<AppState>]>([
    ['None yet. Register one above.', { user: USER }],
    ['None yet. Sign in as a test user and register one.', {}],
    ['The store holds 2 passkeys. Sign in to see yours.', { server: { ...SERVER, stored: 2 } }],
    ['The store holds 1 passkey. Sign in to see yours.', { server: { ...SERVER, stored: 1 } }],
  ])('says %s', async (text, state) => {
    const page = await drawPage({ list: 'passkeys', stream: CREATED.stream, ...state });
    expect(page.find('#passkeys .remark').textContent).toBe(text);
  });

  test('the time since the last use goes on by the minute', async () => {
    const page = await drawPage(LIST);
    const ago = () => page.find('#passkey-1 time').textContent;
    const before = ago();
    await page.happen(() => vi.advanceTimersByTime(60 * 60_000));
    expect(ago()).not.toBe(before);
  });

  test('those of the one who was signed in stay, and say so', async () => {
    const page = await drawPage({ ...LIST, user: undefined });
    expect(page.find('#passkeys .remark').textContent).toBe('Passkeys of the user who was signed in before.');
  });

  test('many can be searched, and come in parts', async () => {
    const many = Array.from({ length: 130 }, (_, index) => passkey(index + 1));
    const page = await drawPage({ ...LIST, passkeys: many });
    const shown = page.body.querySelectorAll('.passkey').length;
    expect(page.find('#show-more').textContent).toMatchInlineSnapshot(`"Show 80 more of 130"`);
    await page.click('#show-more');
    expect(page.body.querySelectorAll('.passkey').length).toBeGreaterThan(shown);
    await page.enter('#passkey-find', 'Key 129');
    expect(page.body.querySelectorAll('.passkey').map(({ id }) => id)).toEqual(['passkey-129']);
    await page.enter('#passkey-find', 'nothing');
    expect(page.find('#passkeys .remark').textContent).toBe('No passkey matches.');
  });

  test.each<[string, number, Partial<AppState>]>([
    ['own', 1, {}],
    ['revoked here', 2, { showRevoked: true, revokedHere: [2] }],
    ['revoked elsewhere', 2, { showRevoked: true }],
    ['of another user', 5, {}],
    [
      'not known in full',
      4,
      {
        server: { ...SERVER, local: false },
        passkeys: PASSKEYS.map(({ id, label, credential_id, created_at, passkeeable_id, passkeeable_type }) => ({
          id,
          label,
          credential_id,
          created_at,
          passkeeable_id: passkeeable_id ?? 0,
          passkeeable_type: passkeeable_type ?? '',
        })),
      },
    ],
    ['while another ceremony waits', 3, { waiting: { run: 1, title: 'x', phase: 'server', since: NOW, until: undefined, silent: true } }],
  ])('one that is %s opens its actions', async (name, id, state) => {
    const page = await drawPage({ ...LIST, ...state });
    await page.click(`#passkey-${id}-menu`);
    await shows(page.outline(`#passkey-${id}`), `passkey-${name.replaceAll(' ', '-')}`);
    const escape = await page.key(`#passkey-${id}`, 'Escape');
    expect(page.find(`#passkey-${id}-menu`).getAttribute('aria-expanded')).toBe('false');
    expect(escape?.target).toBe(page.find(`#passkey-${id}`));
  });

  test.each(['rename', 'revoke'])('Escape in the form to %s it leaves the form, and the actions stay', async (action) => {
    const page = await drawPage(LIST);
    await page.click('#passkey-1-menu');
    await page.click(`#passkey-1-${action}`);
    expect(page.body.querySelector('#passkey-1 form')).not.toBeNull();
    await page.key('#passkey-1 form', 'x');
    expect(page.body.querySelector('#passkey-1 form')).not.toBeNull();
    await page.key('#passkey-1 form', 'Escape');
    expect(page.body.querySelector('#passkey-1 form')).toBeNull();
    expect(page.find('#passkey-1-menu').getAttribute('aria-expanded')).toBe('true');
  });

  test('a name is changed to what was typed, unless nothing was', async () => {
    const page = await drawPage(LIST);
    await page.click('#passkey-1-menu');
    const rename = async (label: string) => {
      await page.click('#passkey-1-rename');
      await page.enter('#passkey-1 form input', label);
      const before = page.asked.length;
      await page.happen(() => page.find('#passkey-1 form').fire('submit'));
      expect(page.body.querySelector('#passkey-1 form')).toBeNull();
      return page.asked.slice(before).filter(({ body }) => body !== undefined);
    };
    expect(await rename(' Phone ')).toEqual([{ path: '/api/passkeys/1', body: { label: 'Phone' } }]);
    expect(await rename('  ')).toEqual([]);
    expect(await rename('Laptop')).toEqual([]);
    expect(page.focused()?.id).toBe('passkey-1-rename');
  });

  test('revoking asks first, and says what can be undone', async () => {
    const page = await drawPage(LIST);
    await page.click('#passkey-1-menu');
    await page.click('#passkey-1-revoke');
    await shows(page.outline('#passkey-1 form'), 'passkey-revoke');
    await page.press('Cancel');
    expect([page.body.querySelector('#passkey-1 form'), page.focused()?.id]).toEqual([null, 'passkey-1-revoke']);
    await page.click('#passkey-1-revoke');
    const before = page.asked.length;
    await page.happen(() => page.find('#passkey-1 form').fire('submit'));
    expect(page.asked.slice(before)[0]?.path).toBe('/api/passkeys/1');
  });
});

describe('the popups', () => {
  test('who answers: every authenticator that the server imitates', async () => {
    const page = await drawPage({ ...CREATED, answerWith: 'titan' });
    await page.click('#answerer');
    await shows(page.outline('#answerers'), 'answerers');
    await page.enter('#answer-with-yubikey-5', true, 'change');
    expect(page.store.get().answerWith).toBe('yubikey-5');
    const escape = await page.key('#answerers', 'Escape');
    expect([page.body.querySelector('#answerers'), page.focused()?.id, escape?.defaultPrevented]).toEqual([null, 'answerer', false]);
  });

  test.each<[string, Partial<AppState>]>([
    ['elsewhere', { server: { ...SERVER, local: false, refusal: 'This address is not local.' } }],
    ['failed', { personas: { status: 'failed', why: 'The server said no.' } }],
    [
      'loading',
      {
        personas: { status: 'loading' },
        answerWith: 'browser',
        capabilities: { passkeyPlatformAuthenticator: false, hybridTransport: false },
      },
    ],
  ])('who answers: %s', async (name, state) => {
    const page = await drawPage({ ...CREATED, ...state });
    await page.click('#answerer');
    await shows(page.outline('.answerer'), `answerers-${name}`);
  });

  test.each<[string, Partial<AppState>]>([
    ['nobody', {}],
    ['a user', { user: USER }],
    ['a token', { user: { ...USER, email: '', owner: '' }, token: 'secret' }],
    ['no users', { server: SERVER }],
    [
      'many users',
      {
        server: {
          ...SERVER,
          users: Array.from({ length: 12 }, (_, index) => ({ name: `U${index}`, email: `u${index}@x.org`, owner: `User:${index}` })),
        },
      },
    ],
    ['elsewhere', { server: { ...SERVER, local: false, refusal: 'This address is not local.' } }],
    ['unknown', { mode: 'unknown' }],
    ['unreachable', { mode: 'unreachable' }],
  ])('who is signed in: %s', async (name, state) => {
    const page = await drawPage({ ...CREATED, ...state });
    await page.click('#switcher');
    await shows(page.outline('.switcher'), `switcher-${name.replaceAll(' ', '-')}`);
  });

  test('a press or the focus elsewhere closes one, and one within does not', async () => {
    const page = await drawPage(CREATED);
    await page.click('#switcher');
    await page.happen(() => page.find('#people').fire('pointerdown'));
    expect(page.body.querySelector('#people')).not.toBeNull();
    await page.happen(() => page.find('#subject').fire('pointerdown'));
    expect(page.body.querySelector('#people')).toBeNull();
    await page.click('#switcher');
    await page.happen(() => page.find('#to-list').focus());
    expect(page.body.querySelector('#people')).toBeNull();
  });

  test.each([
    ['a user of the list', async (page: Awaited<ReturnType<typeof drawPage>>) => await page.click('.person'), { owner: 'Admin:3' }],
    [
      'a new one',
      async (page: Awaited<ReturnType<typeof drawPage>>) => {
        await page.enter('#email', ' new@example.com ');
        await page.enter('#name', ' New ');
        await page.happen(() => page.find('#sign-in').fire('submit'));
      },
      { email: 'new@example.com', name: 'New' },
    ],
    [
      'one without a name',
      async (page: Awaited<ReturnType<typeof drawPage>>) => {
        await page.enter('#email', 'new@example.com');
        await page.happen(() => page.find('#sign-in').fire('submit'));
      },
      { email: 'new@example.com' },
    ],
  ])('signs in %s', async (_, act, who) => {
    const page = await drawPage(CREATED);
    await page.click('#switcher');
    await act(page);
    expect(page.asked.at(-1)?.body ?? page.asked.find(({ body }) => body !== undefined)?.body).toMatchObject(who);
    // It failed, and the form stays.
    expect(page.body.querySelector('#people')).not.toBeNull();
  });
});
