import { describe, expect, test } from 'vitest';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState } from '../../src/page/state.js';
import type { PageElement } from './dom.js';
import { AT, CREATED, drawPage, NOW, stopClock } from './drawing.js';
import { loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';
import { SERVER } from './tab.js';

stopClock();

const SITE = { url: 'https://shop.example', persona: 'plain', tamper: null };
const NO_MODIFIER = { ctrlKey: false, metaKey: false, altKey: false };

describe('one key each', () => {
  test.each<[string, Partial<AppState>, string | undefined, Partial<AppState>]>([
    ['r', CREATED, 'register-button', {}],
    ['r', {}, 'create-test-passkey', {}],
    ['l', CREATED, 'login-button', {}],
    ['l', {}, undefined, {}],
    ['s', { ...CREATED, list: 'passkeys' }, 'list-heading', { list: 'ceremonies' }],
    ['c', CREATED, 'subject', {}],
    ['/', { ...CREATED, list: 'passkeys' }, 'list-search', { list: 'ceremonies' }],
    ['o', CREATED, 'options-heading', { drawer: 'options' }],
    ['o', { ...CREATED, drawer: 'options' }, undefined, { drawer: undefined }],
    ['o', { ...CREATED, server: { ...SERVER, site: SITE } }, undefined, { drawer: undefined }],
    ['b', { ...CREATED, drawer: 'options' }, 'break-heading', { drawer: 'break' }],
    ['b', { ...CREATED, server: { ...SERVER, site: SITE } }, 'break-heading', { drawer: 'break' }],
    ['p', { ...CREATED, drawer: 'browser', selected: 'e1' }, 'paste-box', { drawer: undefined, selected: undefined }],
    ['?', CREATED, 'browser-heading', { drawer: 'browser' }],
    ['Escape', { ...CREATED, drawer: 'break' }, undefined, { drawer: undefined }],
    ['x', { ...CREATED, drawer: 'break' }, 'break-heading', { drawer: 'break' }],
  ])('%s (%#)', async (key, state, focused, expected) => {
    const page = await drawPage(state);
    const event = await page.key('#subject', key, NO_MODIFIER);
    expect(page.store.get()).toMatchObject(expected);
    if (focused !== undefined) expect(page.focused()?.id).toBe(focused);
    const acts = key !== 'Escape' && key !== 'x' && !(key === 'o' && state.server?.site !== undefined);
    expect(event?.defaultPrevented).toBe(acts);
  });

  test.each(['ctrlKey', 'metaKey', 'altKey'])('with %s it is the browser’s', async (modifier) => {
    const page = await drawPage(CREATED);
    const event = await page.key('#subject', 'o', { ...NO_MODIFIER, [modifier]: true });
    expect([page.store.get().drawer, event?.defaultPrevented]).toEqual([undefined, false]);
  });

  test('in a field it is text; Escape closes the drawer from a field of its own only', async () => {
    const page = await drawPage({ ...CREATED, drawer: 'break' });
    await page.key('#list-search', 'o', NO_MODIFIER);
    await page.key('#list-search', 'Escape', NO_MODIFIER);
    expect(page.store.get().drawer).toBe('break');
    await page.key('#break-find', 'Escape', NO_MODIFIER);
    expect(page.store.get().drawer).toBeUndefined();
  });
});

/** What is dragged or pasted. */
const data = (text: string, files: readonly object[] = [], types: readonly string[] = ['text/plain']) => ({
  files,
  types,
  getData: (type: string) => (type === 'text/plain' ? text : ''),
});
const FILE = { name: 'mine.har', size: 2, arrayBuffer: async () => new TextEncoder().encode('{}').buffer, text: async () => '{}' };

describe('what is pasted or dropped anywhere', () => {
  const explained = (page: Awaited<ReturnType<typeof drawPage>>) =>
    page.asked.filter(({ path }) => path === '/dev/explain').map(({ body }) => [body?.['input'], body?.['name']]);

  test('text is explained, unless a field takes it, or it is empty', async () => {
    const page = await drawPage(CREATED);
    const paste = async (selectors: string, clipboardData: object | null) => {
      let prevented: boolean | undefined;
      await page.happen(() => {
        prevented = page.find(selectors).fire('paste', { clipboardData }).defaultPrevented;
      });
      return prevented;
    };
    expect(await paste('#list-search', data('in a field'))).toBe(false);
    expect(await paste('#subject', null)).toBe(false);
    expect(await paste('#subject', data('  '))).toBe(true);
    expect(explained(page)).toEqual([]);
    expect(await paste('#subject', data('anywhere'))).toBe(true);
    expect(explained(page)).toEqual([['anywhere', undefined]]);
    expect(page.focused()?.id).toBe('paste-box');
    expect(await paste('#list-search', data('with a file', [FILE]))).toBe(true);
    expect(explained(page)).toHaveLength(2);
    expect(explained(page)[1]?.[1]).toBe('mine.har');
  });

  test('while something is dragged over the page, it says so', async () => {
    const page = await drawPage(CREATED);
    const shows = () => page.body.querySelector('.drop-target') !== null;
    const drag = async (type: string, selectors: string, dataTransfer: object | null, more: object = {}) => {
      let prevented: boolean | undefined;
      await page.happen(() => {
        prevented = page.find(selectors).fire(type, { dataTransfer, ...more }).defaultPrevented;
      });
      return [prevented, shows()];
    };
    expect(await drag('dragover', '#subject', data('x', [], ['text/html']))).toEqual([false, false]);
    expect(await drag('dragover', '#list-search', data('x'))).toEqual([false, false]);
    expect(await drag('dragover', '#subject', null)).toEqual([false, false]);
    expect(await drag('dragover', '#subject', data('x'))).toEqual([true, true]);
    expect(await drag('dragleave', '#subject', data('x'), { relatedTarget: page.find('#list-search') })).toEqual([false, true]);
    expect(await drag('dragleave', '#subject', data('x'), { relatedTarget: null })).toEqual([false, false]);
    expect(await drag('dragover', '#list-search', data('', [FILE], ['Files']))).toEqual([true, true]);
    expect(await drag('drop', '#list-search', data('', [FILE], ['Files']))).toEqual([true, false]);
    expect(explained(page)).toMatchObject([[expect.anything(), 'mine.har']]);
    expect(await drag('drop', '#subject', data('dropped'))).toEqual([true, false]);
    expect(await drag('drop', '#list-search', data('into a field'))).toEqual([false, false]);
    expect(explained(page).map(([input]) => input)).toContain('dropped');
    expect(explained(page)).toHaveLength(2);
  });
});

describe('the focus goes to the result', () => {
  const waiting = { run: 4, title: 'Log in', phase: 'browser', since: NOW, until: undefined, silent: false } as const;
  const running = { ...CREATED, runs: [loginRun({ id: 4, startedAt: NOW, outcome: 'running' as const })], selected: 'run-4' };

  async function begin(
    focus: (page: Awaited<ReturnType<typeof drawPage>>) => PageElement | undefined,
    around: object = {},
    state: Partial<AppState> = {},
  ) {
    const page = await drawPage({ ...running, ...state }, around);
    await page.happen(() => focus(page)?.focus());
    await page.happen(() => page.store.set({ waiting }));
    return page;
  }

  test('of a button that stays where it is', async () => {
    const page = await begin((each) => each.find('#login-button'));
    expect(page.focused()?.id).toBe('login-button');
    await page.happen(() => page.store.set({ waiting: undefined }));
    expect(page.focused()?.id).toBe('run-4-heading');
  });

  test('of one that has gone away, at once', async () => {
    const page = await begin((each) => each.body);
    expect(page.focused()?.id).toBe('run-4-heading');
  });

  test('of one whose view is not loaded yet, when it is', async () => {
    const page = await drawPage(CREATED);
    await page.happen(() => page.store.set({ toFocus: 'run-4-heading' }));
    expect(page.focused()).toBe(page.body);
    await page.happen(() => page.store.set({ ...running, filter: { which: 'failed', search: '' } }));
    expect([page.focused()?.id, page.store.get().toFocus]).toEqual(['run-4-heading', undefined]);
    await page.happen(() => page.find('#login-button').focus());
    await page.happen(() => page.store.set({ selected: undefined }));
    expect(page.focused()?.id).toBe('login-button');
  });

  test('unless another ceremony is shown, and it waits for none', async () => {
    const page = await begin((each) => each.find('#login-button'), {}, { selected: undefined });
    await page.happen(() => page.store.set({ waiting: undefined }));
    expect([page.focused()?.id, page.store.get().toFocus]).toEqual(['login-button', undefined]);
  });

  test('unless the user has gone elsewhere meanwhile; Cancel, which goes away, is not elsewhere', async () => {
    const page = await begin((each) => each.find('#login-button'));
    await page.happen(() => page.find('#list-search').focus());
    await page.happen(() => page.store.set({ waiting: undefined }));
    expect(page.focused()?.id).toBe('list-search');
    const other = await begin((each) => each.find('#login-button'));
    await other.happen(() => other.find('#cancel-button').focus());
    await other.happen(() => other.store.set({ waiting: undefined }));
    expect(other.focused()?.id).toBe('run-4-heading');
  });

  test.each([
    ['static', 'break', 'break-find'],
    ['fixed', undefined, 'run-4-heading'],
  ])('a drawer that is %s over the ceremony', async (position, drawer, focused) => {
    const page = await begin((each) => each.find('#break-find'), { getComputedStyle: () => ({ position }) }, { drawer: 'break' });
    expect([page.store.get().drawer, page.focused()?.id]).toEqual([drawer, focused]);
  });
});

test('autofill is switched on and off, waits for nothing else, and says how it ended', async () => {
  const runs = [loginRun({ id: 3, title: 'Log in by autofill', startedAt: Date.parse(AT.first), summary: 'Logged in as Ada.' })];
  const page = await drawPage({ ...CREATED, runs, setup: { ...PLAIN_SETUP, autofill: false } });
  expect(page.body.querySelector('#autofill')).toBeNull();
  expect(page.find('.autofill-end').textContent).toBe('Last: Logged in as Ada.');
  await page.enter('#autofill-switch', true, 'change');
  expect(page.store.get().setup.autofill).toBe(true);
  expect(page.find('#autofill-state').textContent.trim()).toBe('This browser does not support conditional mediation.');
  await page.click('.autofill-end');
  expect([page.store.get().selected, page.body.querySelector('.autofill-end')]).toEqual(['run-3', null]);
  await page.enter('#autofill-switch', false, 'change');
  expect(page.body.querySelector('#autofill')).toBeNull();
});

test('of a row that waits, Cancel cancels', async () => {
  const waiting = { run: 4, title: 'Log in', phase: 'browser', since: NOW - 1_000, until: NOW + 9_000, silent: true } as const;
  const page = await drawPage({
    stream: [streamEntry('e1', { at: AT.first })],
    runs: [loginRun({ id: 4, startedAt: NOW, outcome: 'running' })],
    waiting,
  });
  expect(page.outline('.waiting-line')).toContain('progress [aria-hidden | max=10000 | value=1000]');
  expect(page.find('.waiting-line .mono').textContent).toBe('1 s, 9 s left');
  expect(page.button('Cancel: Log in').id).toBe('cancel-button');
});

describe('where what has the focus goes away, the focus stays near', () => {
  test('in a panel, which stays open', async () => {
    const page = await drawPage({ server: { ...SERVER, local: false }, user: undefined });
    await page.click('#switcher');
    expect(page.focused()?.id).toBe('token');
    await page.happen(() => page.store.set({ server: SERVER }));
    expect([page.focused()?.id, page.find('#people').contains(page.find('#email'))]).toEqual(['switcher', true]);
  });

  test('while an element that is to get it is not drawn yet, which gets it when it is', async () => {
    const page = await drawPage(CREATED);
    await page.happen(() => page.find('#list-search').focus());
    await page.happen(() => page.store.set({ toFocus: 'run-4-heading' }));
    await page.happen(() => page.find('#list-search').remove());
    expect(page.focused()?.id).toBe('list-heading');
    await page.happen(() => page.store.set({ runs: [loginRun({ id: 4, startedAt: NOW })], selected: 'run-4' }));
    expect(page.focused()?.id).toBe('run-4-heading');
  });

  test('in a drawer, in the list, or else at the ceremony', async () => {
    const page = await drawPage({ ...CREATED, drawer: 'break', selected: 'e1' });
    for (const [selectors, id] of [
      ['#break-find', 'break-heading'],
      ['#list-search', 'list-heading'],
      ['#login-button', 'subject'],
    ] as const) {
      await page.happen(() => page.find(selectors).focus());
      await page.happen(() => page.find(selectors).remove());
      expect(page.focused()?.id, selectors).toBe(id);
    }
    await page.happen(() => page.find('#list-heading').focus());
    await page.happen(() => page.find('.list-pane').remove());
    expect(page.focused()?.id).toBe('subject');
  });
});
