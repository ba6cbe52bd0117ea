import { h } from 'preact';
import { describe, expect, test, vi } from 'vitest';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState, Pasted } from '../../src/page/state.js';
import { Pairs, Text } from '../../src/page/view/text.js';
import { draw } from './dom.js';
import { AT, CREATED, drawPage, mutation, NOW, PASSKEYS, passkey, stopClock, USER } from './drawing.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { GONE, SERVER, tab } from './tab.js';

stopClock();

type Drawn = Awaited<ReturnType<typeof drawPage>>;

describe('a text from outside', () => {
  const shown = async (view: Parameters<typeof draw>[1]) => {
    const { app } = tab({ answer: () => GONE });
    return await draw(app, view);
  };

  test.each([
    [160, undefined, false],
    [161, undefined, true],
    [5, 5, false],
    [6, 5, true],
  ])('of %i characters, of which %s are shown: is cut: %s', async (length, most, cut) => {
    const text = 'x'.repeat(length);
    const { find, body, press } = await shown(h(Text, { text, ...(most !== undefined && { most }) }));
    expect(find('bdi').textContent).toBe(cut ? `${text.slice(0, most ?? 160)}…` : text);
    expect(body.querySelector('button') !== null).toBe(cut);
    if (!cut) return;
    expect(find('button').getAttribute('aria-expanded')).toBe('false');
    await press('all of it');
    expect([find('bdi').textContent, find('button').getAttribute('aria-expanded')]).toEqual([text, 'true']);
    await press('less');
    expect(find('bdi').textContent).toBe(`${text.slice(0, most ?? 160)}…`);
  });

  test('of a pair is shown up to 600 characters', async () => {
    const pairs = [600, 601].map((length) => ({ name: String(length), value: 'x'.repeat(length) }));
    const { body } = await shown(h(Pairs, { pairs: [...pairs, { name: 'none', value: null }] }));
    expect(body.querySelectorAll('dd').map(({ textContent }) => textContent.length)).toEqual([600, `${'x'.repeat(600)}…all of it`.length]);
  });
});

describe('the field for pasting', () => {
  const given = { input: 'typed' };
  const pasted = (change: Partial<Pasted> = {}): Pasted => ({
    id: 2,
    at: NOW,
    document: { ...NOTHING_EXPLAINED, source: '-' },
    options: undefined,
    response: undefined,
    from: { given, index: 0, expected: { texts: {}, wrong: {} } },
    ...change,
  });
  const asked = (page: Drawn) => page.asked.filter(({ path }) => path === '/dev/explain').map(({ body }) => body?.['input']);
  const value = (page: Drawn) => Reflect.get(page.find('#paste-box'), 'value');

  test('asks a quarter of a second after the last key, at once for what is pasted, and for nothing where it is empty', async () => {
    const page = await drawPage(CREATED);
    const enter = async (text: string, inputType?: string) => {
      await page.happen(() => {
        Object.assign(page.find('#paste-box'), { value: text });
        page.find('#paste-box').fire('input', { inputType });
      });
    };
    await enter('a');
    await page.happen(() => vi.advanceTimersByTime(249));
    await enter('ab');
    await page.happen(() => vi.advanceTimersByTime(249));
    expect(asked(page)).toEqual([]);
    await page.happen(() => vi.advanceTimersByTime(1));
    expect(asked(page)).toEqual(['ab']);
    expect(page.find('#paste-problem').textContent).toBe('The server did not answer.');
    await enter('abc', 'insertFromPaste');
    await page.happen(() => vi.advanceTimersByTime(0));
    expect([asked(page), value(page)]).toEqual([['ab', 'abc'], 'abc']);
    await enter('  ');
    await page.happen(() => vi.advanceTimersByTime(250));
    expect([asked(page).length, page.store.get().unexplained]).toEqual([2, undefined]);
  });

  test('takes what it has explained out of the list as the user types on, but not what came from a file', async () => {
    for (const [from, left] of [
      [given, []],
      [{ ...given, name: 'mine.json' }, [2]],
    ] as const) {
      const page = await drawPage({
        ...CREATED,
        pasted: [pasted({ from: { given: from, index: 0, expected: { texts: {}, wrong: {} } } })],
        selected: 'pasted-2',
      });
      expect(value(page)).toBe(left.length === 0 ? 'typed' : '');
      await page.happen(() => {
        Object.assign(page.find('#paste-box'), { value: 'typed on' });
        page.find('#paste-box').fire('input', { inputType: 'insertFromPaste' });
        vi.advanceTimersByTime(0);
      });
      expect(page.store.get().pasted.map(({ id }) => id)).toEqual(left);
    }
  });

  test.each([
    [100_000, true],
    [100_001, false],
  ])('shows %i characters again: %s', async (length, shows) => {
    const page = await drawPage({ ...CREATED, unexplained: { given: { input: 'x'.repeat(length) }, problem: 'It is none.' } });
    expect(String(value(page)).length).toBe(shows ? length : 0);
  });

  test('shows what is selected, in fewer lines, and follows the selection', async () => {
    const page = await drawPage({ ...CREATED, pasted: [pasted()] });
    expect([value(page), page.find('#paste-box').getAttribute('rows'), page.find('#paste h2').textContent]).toEqual([
      '',
      '8',
      'Why was my passkey refused?',
    ]);
    await page.happen(() => page.store.set({ selected: 'pasted-2' }));
    expect([value(page), page.find('#paste-box').getAttribute('rows'), page.body.querySelector('#paste h2')]).toEqual(['typed', '3', null]);
    await page.press('Remove what was pasted (1)');
    expect(page.store.get()).toMatchObject({ pasted: [], selected: undefined, status: 'What was pasted is gone from the list.' });
    const other = await drawPage({ ...CREATED, pasted: [pasted()], unexplained: { given, problem: 'x' } });
    await other.press('Remove what was pasted (1)');
    expect(other.store.get()).toMatchObject({ pasted: [], unexplained: undefined });
  });

  test('a field that goes away asks for nothing any more', async () => {
    const page = await drawPage({ ...CREATED, stream: [streamEntry('e1', { at: AT.first })] });
    await page.enter('#paste-box', 'a');
    await page.happen(() => page.store.set({ selected: 'e1' }));
    await page.happen(() => vi.advanceTimersByTime(250));
    expect(asked(page)).toEqual([]);
  });
});

describe('who is signed in', () => {
  const users = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `U${index}`, email: `u${index}@x.org`, owner: `User:${index}` }));
  const open = async (state: Partial<AppState>) => {
    const page = await drawPage({ ...CREATED, ...state });
    await page.click('#switcher');
    return page;
  };

  test.each([
    [8, undefined],
    [9, '1 more: type a part of the name or e-mail.'],
  ])('of %i users eight have a button', async (count, more) => {
    const page = await open({ server: { ...SERVER, users: users(count) } });
    expect(page.body.querySelectorAll('.person')).toHaveLength(8);
    expect(page.body.querySelectorAll('#sign-in > .hint')[0]?.textContent).toBe(
      more ?? 'Development sign-in: no proof needed. An unknown address becomes a new user.',
    );
  });

  test('the one who is signed in has none, and a switch', async () => {
    const [own, other] = users(2);
    const page = await open({ server: { ...SERVER, users: users(2) }, user: own });
    expect(page.body.querySelectorAll('.person').map((button) => button.getAttribute('title'))).toEqual([
      `${other?.email} ${other?.owner}`,
    ]);
    expect(page.find('#sign-in-button').textContent).toBe('Switch to this user');
    await page.enter('#email', 'nobody@x.org');
    expect([page.body.querySelectorAll('.person').length, page.body.querySelector('.known')]).toEqual([0, null]);
  });

  const STATE = { signIn: true, policy: SERVER.policy, verifiable: SERVER.verifiable, users: [], passkeys: 0, user: null };
  test.each<[string, (page: Drawn) => Promise<unknown>, string]>([
    ['a user', async (page) => await page.happen(() => page.find('#sign-in').fire('submit')), 'POST /dev/sign-in'],
    [
      'a token',
      async (page) => {
        await page.enter('#token', 'pk_x');
        await page.happen(() => page.find('#use-token').fire('submit'));
      },
      'GET /api/passkeys with pk_x',
    ],
    ['nobody', async (page) => await page.click('#sign-out'), 'DELETE /api/session'],
  ])('closes when %s is, with the focus at its button', async (_, act, request) => {
    const page = await drawPage({ ...CREATED, user: USER }, {}, (path) => ({
      status: 200,
      answer: path === '/dev/state' ? STATE : { token: 'pk_new' },
    }));
    await page.click('#switcher');
    await act(page);
    expect(page.sent.filter((sent) => !sent.startsWith('GET /dev/'))[0]).toBe(request);
    expect([page.body.querySelector('#people'), page.focused()?.id]).toEqual([null, 'switcher']);
  });

  test('Escape is of the panel alone, and only while it is open', async () => {
    const page = await open({ drawer: 'break' });
    const press = async (key: string) => {
      const escape = await page.key('#switcher', key, { ctrlKey: false, metaKey: false, altKey: false });
      return [page.body.querySelector('#people') !== null, page.store.get().drawer, escape?.defaultPrevented];
    };
    expect(await press('x')).toEqual([true, 'break', false]);
    expect(await press('Escape')).toEqual([false, 'break', false]);
    expect(await press('Escape')).toEqual([false, undefined, false]);
  });
});

describe('the passkeys', () => {
  const LIST = { list: 'passkeys', user: USER } as const;
  const many = (count: number) => Array.from({ length: count }, (_, index) => passkey(index + 1));

  test.each([
    [8, false, 8, undefined],
    [9, true, 9, undefined],
    [50, true, 50, undefined],
    [51, true, 50, 'Show 1 more of 51'],
    [151, true, 50, 'Show 100 more of 151'],
  ])('of %i can be searched: %s; %i are shown at once', async (count, searched, shown, more) => {
    const page = await drawPage({ ...LIST, passkeys: many(count) });
    expect(page.body.querySelector('#passkey-find') !== null).toBe(searched);
    expect(page.body.querySelectorAll('.passkey')).toHaveLength(shown);
    expect(page.body.querySelector('#show-more')?.textContent).toBe(more);
    if (count !== 151) return;
    await page.click('#show-more');
    expect(page.body.querySelectorAll('.passkey')).toHaveLength(150);
    await page.enter('#passkey-find', 'Key');
    expect(page.body.querySelectorAll('.passkey')).toHaveLength(50);
  });

  test('a search of none says so; one without passkeys has nothing to search', async () => {
    const page = await drawPage({ ...LIST, passkeys: [passkey(1, { revoked_at: AT.second })] });
    expect(page.find('#passkeys .remark').textContent).toBe('None yet. Register one above.');
    const before = await drawPage({ ...LIST, user: undefined, server: { ...SERVER, stored: 0 }, passkeys: [passkey(1)] });
    expect(before.find('#passkeys .remark').textContent).toBe('Passkeys of the user who was signed in before.');
  });

  test.each([
    ['login', '/api/passkeys/verify/options'],
    ['verify', '/api/passkeys/verify/options'],
  ])('an action begins a ceremony with its passkey: %s', async (action, path) => {
    const page = await drawPage({ ...LIST, passkeys: PASSKEYS });
    await page.click('#passkey-1-menu');
    const before = page.asked.length;
    await page.click(`#passkey-1-${action}`);
    expect(page.asked.slice(before)[0]).toEqual({ path, body: { credential_id: 'credential-1' } });
    expect(page.store.get().runs[0]?.title).toBe(action === 'login' ? 'Log in with “Laptop”' : 'Verify with “Laptop”');
  });

  test('a form has the focus at its safe end: the name is selected, and the button that revokes is not', async () => {
    const page = await drawPage({ ...LIST, passkeys: PASSKEYS });
    await page.click('#passkey-1-menu');
    await page.click('#passkey-1-rename');
    expect(page.focused()?.getAttribute('aria-label')).toBe('New name');
    await page.click('#passkey-1-revoke');
    expect(page.focused()?.textContent).toBe('Cancel');
    expect(page.find('#passkey-1-rename').getAttribute('aria-expanded')).toBe('false');
  });

  test.each([
    ['accepted', 204, 'passkey-1-restore'],
    ['refused', 409, 'passkey-1-revoke'],
  ])('a revocation that is %s leaves the focus where it can be undone or tried again', async (_, status, focused) => {
    const page = await drawPage({ ...LIST, passkeys: PASSKEYS }, {}, (path) =>
      path === '/api/passkeys/1' ? { status, answer: {} } : GONE,
    );
    await page.click('#passkey-1-menu');
    await page.click('#passkey-1-revoke');
    await page.happen(() => page.find('#passkey-1 form').fire('submit'));
    expect([page.body.querySelector('#passkey-1 form'), page.focused()?.id]).toEqual([null, focused]);
  });

  test('a passkey that is restored gives the focus to what revokes it', async () => {
    const state = { ...LIST, passkeys: PASSKEYS, showRevoked: true };
    const page = await drawPage(state, {}, (path) => (path === '/dev/passkeys/2/restore' ? { status: 200, answer: {} } : GONE));
    await page.click('#passkey-2-menu');
    await page.click('#passkey-2-restore');
    expect(page.focused()?.id).toBe('passkey-2-revoke');
  });

  test('Escape closes the actions of a passkey, and nothing else', async () => {
    const page = await drawPage({ ...LIST, passkeys: PASSKEYS, drawer: 'break' });
    await page.click('#passkey-1-menu');
    const press = async () => {
      await page.key('#passkey-1-menu', 'Escape', { ctrlKey: false, metaKey: false, altKey: false });
      return [page.find('#passkey-1-menu').getAttribute('aria-expanded'), page.store.get().drawer];
    };
    expect(await press()).toEqual(['false', 'break']);
    expect(await press()).toEqual(['false', undefined]);
  });

  test('one of a user who is not signed in has signals without the names of the user', async () => {
    const page = await drawPage({ ...LIST, passkeys: PASSKEYS });
    await page.click('#passkey-1-menu');
    expect(page.body.querySelectorAll('.signal button').map(({ id }) => id)).toEqual([
      'passkey-1-signalUnknownCredential',
      'passkey-1-signalAllAcceptedCredentials',
      'passkey-1-signalCurrentUserDetails',
    ]);
  });
});

describe('the bar', () => {
  const VERIFIED = (path: string) => ({
    status: 200,
    answer:
      path === '/dev/answer'
        ? { response: { id: 'AQ' } }
        : path === '/dev/state'
          ? 'x'
          : { challenge: 'AA', passkey: { id: 1, label: 'x' } },
  });

  test('empties the name of a passkey that is registered, unless another one has been typed', async () => {
    for (const next of [undefined, 'next']) {
      const page = await drawPage({ ...CREATED, token: 'pk_x', user: USER }, {}, VERIFIED);
      await page.enter('#label', ' Phone ');
      await page.happen(() => {
        page.find('#register').fire('submit');
        if (next !== undefined) Object.assign(page.find('#label'), { value: next });
      });
      expect(page.asked.find(({ path }) => path === '/api/passkeys/register')?.body?.['label']).toBe('Phone');
      expect(Reflect.get(page.find('#label'), 'value')).toBe(next ?? '');
    }
  });

  test('says that options cannot be used, of either ceremony', async () => {
    for (const kind of ['registration', 'authentication']) {
      const page = await drawPage({ ...CREATED, invalid: { [kind]: { text: '{', problem: 'It ends.' } } });
      expect(page.find('#open-options').textContent).toContain('cannot be used');
    }
    const page = await drawPage({ setup: { ...PLAIN_SETUP, appUrl: 'https://shop.example' } });
    expect(page.find('#open-options').textContent).toBe('Options1 changed');
  });

  test('says since when autofill waits, and how the last one ended', async () => {
    const runs = [
      loginRun({ id: 4, title: 'Log in by autofill', outcome: 'running', startedAt: NOW }),
      loginRun({ id: 3, title: 'Log in', summary: 'Another.', startedAt: NOW }),
      loginRun({ id: 2, title: 'Log in by autofill', summary: 'Own.', startedAt: NOW }),
    ];
    const page = await drawPage({ ...CREATED, runs, setup: { ...PLAIN_SETUP, autofill: true } });
    expect(page.find('.autofill-end').textContent).toBe('Last: Own.');
    await page.happen(() => page.store.set({ autofill: 'armed' }));
    expect(page.find('#autofill-state').textContent).toMatch(/^Focus the field and pick a passkey\. Armed at .+\.$/);
    await page.happen(() => page.store.set({ autofill: 'off' }));
    expect(page.find('#autofill-state').textContent.trim()).toBe('Not waiting. Focus the field to start again.');
  });
});

describe('the list', () => {
  test('tells the waiting row from the others, and how long it waits, second by second', async () => {
    const waiting = { run: 4, title: 'Log in', phase: 'browser', since: NOW, until: NOW + 9_000, silent: false } as const;
    const runs = [loginRun({ id: 5, startedAt: NOW }), loginRun({ id: 4, startedAt: NOW, outcome: 'running' })];
    const page = await drawPage({ ...CREATED, runs, waiting });
    expect(page.body.querySelectorAll('.waits').map((row) => row.dataset['key'])).toEqual(['run-4']);
    const time = () => [
      page.find('.waiting-line .mono').textContent,
      page.find('progress').getAttribute('value'),
      page.find('progress').getAttribute('max'),
    ];
    expect(time()).toEqual(['0 s, 9 s left', '0', '9000']);
    await page.happen(() => vi.advanceTimersByTime(1_000));
    expect(time()).toEqual(['1 s, 8 s left', '1000', '9000']);
    await page.happen(() => vi.advanceTimersByTime(10_000));
    expect(time()).toEqual(['11 s, 0 s left', '9000', '9000']);
    await page.happen(() => page.store.set({ waiting: { ...waiting, since: NOW + 11_000, until: undefined } }));
    expect([page.find('.waiting-line .mono').textContent, page.body.querySelector('progress')]).toEqual(['0 s', null]);
  });

  test('names two changed options of a ceremony, and counts the rest', async () => {
    const texts = [];
    for (const count of [2, 3, 4]) {
      const changed_options = ['hints', 'timeout', 'rpId', 'extensions'].slice(0, count);
      const page = await drawPage({ stream: [streamEntry('e1', { at: AT.first, changed_options })] });
      texts.push(page.find('.row-facts').children.at(-1)?.textContent);
    }
    expect(texts).toEqual(['≠ hints, timeout', '≠ hints, timeout +1', '≠ hints, timeout +2']);
  });

  test('has a heading for each day but the newest, and lays out forty of the hundred that it shows', async () => {
    const stream = Array.from({ length: 104 }, (_, index) => streamEntry(`e${index}`, { at: index < 3 ? AT.first : AT.before }));
    const page = await drawPage({ stream });
    const headed = () => page.body.querySelectorAll('.divider').map((heading) => heading.closest('li')?.dataset['key']);
    expect(headed()).toEqual(['e3']);
    const far = page.body.querySelectorAll('li.item').findIndex((row) => row.matches('.far'));
    expect([far, page.body.querySelectorAll('li.item').length, page.find('#show-older').textContent]).toEqual([40, 100, 'Show older (4)']);
  });

  test('shows ceremonies or passkeys, and counts those', async () => {
    const page = await drawPage({ ...CREATED, passkeys: PASSKEYS, user: USER });
    expect([page.find('#show-passkeys').textContent, page.find('#show-ceremonies').textContent]).toEqual(['Passkeys4', 'Ceremonies']);
    await page.click('#show-passkeys');
    expect(page.store.get().list).toBe('passkeys');
    await page.click('#show-ceremonies');
    expect(page.store.get().list).toBe('ceremonies');
  });
});

describe('the catalogue', () => {
  test.each([
    ['unasked', 'Asking the server for its catalogue…'],
    ['loading', 'Asking the server for its catalogue…'],
  ] as const)('that is %s is asked for', async (status, text) => {
    const page = await drawPage({ ...CREATED, drawer: 'break', mutations: { status } }, {}, () => new Promise(() => {}));
    expect(page.find('.drawer .hint').textContent).toBe(text);
  });

  test('says why it is not here', async () => {
    const page = await drawPage({ ...CREATED, drawer: 'break', server: undefined });
    expect(page.find('.drawer .hint').textContent).toBe('Not here: the server has not answered.');
  });

  test('shows forty of a kind, and has no card before the first is tried', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => mutation(`login.it-${index}`, { requires: index === 0 ? ['it counts'] : [] }));
    const page = await drawPage({ ...CREATED, drawer: 'break', mutations: { status: 'loaded', rows } });
    expect(page.body.querySelectorAll('.mistake')).toHaveLength(40);
    expect(page.body.querySelectorAll('#break-authentication').length + page.body.querySelectorAll('.fared').length).toBe(1);
    expect([page.find('#scorecard').getAttribute('class'), page.find('#scorecard').textContent]).toEqual(['unseen', '']);
    expect(page.outline('.drawer')).not.toContain('more');
  });
});

test('who answers: why there is no software authenticator while the server is unknown', async () => {
  const page = await drawPage({ ...CREATED, server: undefined });
  await page.click('#answerer');
  expect(page.find('#answerers .remark').textContent).toBe('No software authenticator here: The server has not answered.');
});

describe('the tab', () => {
  test('has the result of the newest ceremony', async () => {
    const page = await drawPage({ ...CREATED, runs: [loginRun({ startedAt: NOW, outcome: 'rejected', legs: [httpLeg(), browserLeg()] })] });
    expect(page.page.title).toBe('✗ Log in · passkey');
    await page.happen(() => page.store.set({ runs: [], stream: [] }));
    expect(page.page.title).toBe('passkey');
  });
});

test('the button for the browser opens its drawer, and closes it', async () => {
  const page = await drawPage(CREATED);
  await page.press('This browser and keys');
  expect(page.store.get().drawer).toBe('browser');
  await page.press('This browser and keys');
  expect(page.store.get().drawer).toBeUndefined();
});

test('the focus goes back from a drawer to where it was, unless the user has gone elsewhere', async () => {
  for (const [elsewhere, focused] of [
    [undefined, 'open-break'],
    ['#list-search', 'list-search'],
  ] as const) {
    const page = await drawPage(CREATED);
    await page.happen(() => page.find('#open-break').focus());
    await page.click('#open-break');
    expect(page.focused()?.id).toBe('break-heading');
    if (elsewhere !== undefined) await page.happen(() => page.find(elsewhere).focus());
    await page.happen(() => page.store.set({ drawer: undefined }));
    expect(page.focused()?.id).toBe(focused);
  }
});
