import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clickElement, type FlowPage, playFlow } from '../../src/browse/flow-player.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Flow } from '../../src/testing/page/flow.js';
import {
  CONTROLS,
  type Command,
  connectScripted,
  inTurn,
  QUAD,
  type Replies,
  type Reply,
  refuse,
  replyWith,
  time,
} from './scripted-browser.js';

const BASE = 'https://shop.example/start?from=1';
const URL_AFTER = 'https://shop.example/account';
const HINDRANCE = expect.stringContaining('document.elementFromPoint(x, y)');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const evaluate =
  (values: JsonObject): ((command: Command) => Reply) =>
  ({ params }) => ({ result: { result: { value: values[String(params['expression'])] } } });

function openPage(replies: Replies = {}) {
  const table = { ...CONTROLS, 'Runtime.evaluate': evaluate({ 'location.href': URL_AFTER, 'frames.length': 0 }), ...replies };
  const browser = connectScripted((command) => {
    const reply = replyWith(table)(command);
    if (command.method === 'Page.navigate' && !('Page.navigate' in replies)) browser.tell('Page.loadEventFired', {}, command.sessionId);
    return reply;
  });
  const page: FlowPage = { devtools: browser.devtools, session: 'shop', base: BASE };
  return { ...browser, page };
}

const play = ({ page }: ReturnType<typeof openPage>, flow: Flow, user = 7) => time(playFlow(page, flow, user));

const SUBMIT = { role: 'button', name: 'Log in' };
const NAME = { role: 'textbox', name: 'E-mail' };
const finds = (role: string, accessibleName: string, element: JsonObject = { backendNodeId: 21 }) => [
  ['DOM.getDocument', { depth: 0 }, 'shop'],
  ['Accessibility.queryAXTree', { role, accessibleName, nodeId: 11 }, 'shop'],
  ...locates(element),
];
const locates = (element: JsonObject) => [
  ['DOM.scrollIntoViewIfNeeded', element, 'shop'],
  ['DOM.getContentQuads', element, 'shop'],
];
const asksForHindrance = (objectId: string) => [
  'Runtime.callFunctionOn',
  { objectId, functionDeclaration: HINDRANCE, arguments: [{ value: 22 }, { value: 34 }], returnByValue: true },
  'shop',
];
const mouse = (type: string, clickCount: number) => [
  'Input.dispatchMouseEvent',
  { type, x: 22, y: 34, button: 'left', clickCount },
  'shop',
];

test('plays every kind of step with the mouse and the keyboard', async () => {
  const browser = openPage();
  const flow: Flow = [
    { goto: '/login' },
    { fill: NAME, value: 'ada{n}+{n}@shop.example' },
    { click: SUBMIT },
    { waitFor: { role: 'heading', name: 'Welcome' } },
    { waitFor: { url: '/account' } },
  ];
  expect(await play(browser, flow)).toEqual({ spent: 0 });
  expect(browser.list()).toEqual([
    ['Page.navigate', { url: 'https://shop.example/login' }, 'shop'],
    ...finds('textbox', 'E-mail'),
    ['DOM.focus', { backendNodeId: 21 }, 'shop'],
    ['DOM.resolveNode', { backendNodeId: 21 }, 'shop'],
    ['Runtime.callFunctionOn', { objectId: 'object-21', functionDeclaration: 'function () { this.select?.(); }' }, 'shop'],
    ['Input.insertText', { text: 'ada7+7@shop.example' }, 'shop'],
    ...finds('button', 'Log in'),
    ...locates({ backendNodeId: 21 }),
    ...locates({ backendNodeId: 21 }),
    ['DOM.resolveNode', { backendNodeId: 21 }, 'shop'],
    asksForHindrance('object-21'),
    mouse('mouseMoved', 0),
    mouse('mousePressed', 1),
    mouse('mouseReleased', 1),
    ...finds('heading', 'Welcome'),
    ['Runtime.evaluate', { expression: 'location.href' }, 'shop'],
  ]);
});

/** The one step of a flow that cannot be played, and its reason. */
async function fail(flow: Flow, replies: Replies) {
  const browser = openPage(replies);
  const { spent, ...rest } = await play(browser, flow);
  expect(rest).toMatchObject({ error: { code: 'target_unreachable', cause: expect.any(Error) } });
  return { spent, message: Object(rest).error.message, browser };
}

test('a step that cannot be played is named by its place, and ends the flow', async () => {
  const flow: Flow = [{ waitFor: { url: '/account' } }, { waitFor: { url: 'https://shop' } }, { click: SUBMIT }];
  const { spent, message, browser } = await fail(flow, {});
  expect([spent, message]).toEqual([
    5_000,
    `Step 2 ({"waitFor":{"url":"https://shop"}}): Expected the page to reach an address that ends with https://shop; got ${URL_AFTER}.`,
  ]);
  // One look for the first step; one at once and one in each of a hundred waits for the second.
  expect(browser.sent).toHaveLength(102);
});

test('a command that the browser refuses ends the step', async () => {
  expect(await fail([{ fill: NAME, value: 'x' }], { 'DOM.focus': refuse('Element is not focusable') })).toMatchObject({
    spent: 0,
    message: `Step 1 ({"fill":${JSON.stringify(NAME)},"value":"x"}): The browser refused a command: Element is not focusable.`,
  });
});

describe('going to an address', () => {
  const goTo: Flow = [{ goto: 'next' }];

  test('waits for the load of its own page', async () => {
    const browser = openPage({ 'Page.navigate': {} });
    let isOver = false;
    const playing = playFlow(browser.page, goTo, 1).finally(() => {
      isOver = true;
    });
    browser.tell('Page.loadEventFired', {}, 'frame');
    browser.tell('Page.domContentEventFired', {}, 'shop');
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isOver).toBe(false);
    browser.tell('Page.loadEventFired', {}, 'shop');
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(true);
    await playing;
  });

  test('goes on after five seconds', async () => {
    expect(await play(openPage({ 'Page.navigate': {} }), goTo)).toEqual({ spent: 5_000 });
  });

  test('fails with the reason of the browser', async () => {
    expect(await fail(goTo, { 'Page.navigate': { errorText: 'net::ERR_CONNECTION_REFUSED' } })).toMatchObject({
      spent: 0,
      message: 'Step 1 ({"goto":"next"}): Expected https://shop.example/next to load; the browser reported net::ERR_CONNECTION_REFUSED.',
    });
  });
});

describe('finding a control', () => {
  const waitFor: Flow = [{ waitFor: SUBMIT }];

  test('takes the first that has a place in the window', async () => {
    const quads: Readonly<Record<string, JsonObject>> = { 1: {}, 2: { quads: [] }, 3: { quads: [[1, 2, 3, 4]] }, 4: { quads: [7] } };
    const browser = openPage({
      'Accessibility.queryAXTree': {
        nodes: [{ backendDOMNodeId: 9, ignored: true }, ...[1, 2, 3, 4, 5, 6, 7].map((id) => ({ backendDOMNodeId: id, ignored: false }))],
      },
      'DOM.scrollIntoViewIfNeeded': ({ params }) =>
        params['backendNodeId'] === 5 ? { error: { message: 'Node is detached from document' } } : { result: {} },
      'DOM.getContentQuads': ({ params }) => ({ result: quads[String(params['backendNodeId'])] ?? { quads: [QUAD] } }),
    });
    expect(await play(browser, [{ fill: SUBMIT, value: '' }])).toEqual({ spent: 0 });
    expect(browser.commands('DOM.scrollIntoViewIfNeeded').map(({ params }) => params['backendNodeId'])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(browser.commands('DOM.focus')).toMatchObject([{ params: { backendNodeId: 6 } }]);
  });

  test('looks again every 50 ms, also while another document loads', async () => {
    const nodes = [{ backendDOMNodeId: 21 }];
    const browser = openPage({ 'Accessibility.queryAXTree': inTurn({}, { nodes: [] }, { nodes }) });
    expect(await play(browser, waitFor)).toEqual({ spent: 100 });
    let looks = 0;
    const loading = openPage({
      'DOM.getDocument': () => {
        looks += 1;
        return looks < 3 ? { error: { message: 'Document is not available' } } : { result: { root: { nodeId: 12 } } };
      },
    });
    expect(await play(loading, waitFor)).toEqual({ spent: 100 });
    expect(loading.commands('Accessibility.queryAXTree')).toMatchObject([{ params: { nodeId: 12 } }]);
  });

  const named = (...names: readonly unknown[]) => names.map((name, at) => ({ backendDOMNodeId: at, name: { value: name } }));

  test.each<[string, readonly JsonObject[], unknown, string]>([
    ['no other', [], 0, 'none'],
    ['one other', named('Register'), 0, '"Register"'],
    ['the same name twice', named('Help', 'Register', 'Help'), 0, '"Help", "Register"'],
    ['controls without a name', [{ name: {} }, { name: { value: '' } }, {}], 0, '""'],
    [
      'ten others and more',
      named('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'),
      0,
      [...'abcdefghij'].map((name) => `"${name}"`).join(', '),
    ],
    ['a frame', [], 1, 'none. Controls in its frames cannot be used'],
    ['two frames', named('Help'), 2, '"Help". Controls in its frames cannot be used'],
    ['an address that tells nothing of frames', [], undefined, 'none'],
  ])('says of a page with %s what it has', async (_, nodes, frames, has) => {
    const tree = ({ params }: Command): Reply => ({ result: { nodes: 'accessibleName' in params ? [] : nodes } });
    const { spent, message, browser } = await fail(waitFor, {
      'Accessibility.queryAXTree': tree,
      'Runtime.evaluate': evaluate({ 'frames.length': frames }),
    });
    expect([spent, message]).toEqual([
      5_000,
      `Step 1 ({"waitFor":{"role":"button","name":"Log in"}}): Expected a visible button named "Log in"; the page has ${has}.`,
    ]);
    expect(browser.list().slice(-3)).toEqual([
      ['DOM.getDocument', { depth: 0 }, 'shop'],
      ['Accessibility.queryAXTree', { role: 'button', nodeId: 11 }, 'shop'],
      ['Runtime.evaluate', { expression: 'frames.length' }, 'shop'],
    ]);
  });
});

describe('a click', () => {
  const ELEMENT = { objectId: 'object-5' };

  test('on an element presses as often as it is told', async () => {
    const { page, list } = openPage();
    expect(await time(clickElement(page, ELEMENT, 2))).toEqual({ spent: 0 });
    expect(list()).toEqual([
      ...locates(ELEMENT),
      ...locates(ELEMENT),
      asksForHindrance('object-5'),
      mouse('mouseMoved', 0),
      mouse('mousePressed', 1),
      mouse('mouseReleased', 1),
      mouse('mousePressed', 2),
      mouse('mouseReleased', 2),
    ]);
  });

  const shifted = (x: number, y: number) => ({ quads: [QUAD.map((value, at) => value + (at % 2 === 0 ? x : y))] });
  const still = { quads: [QUAD] };

  test.each<[string, Replies, number]>([
    ['moves to the side', { 'DOM.getContentQuads': inTurn(shifted(1, 0), still) }, 50],
    ['moves up', { 'DOM.getContentQuads': inTurn(shifted(0, 1), still) }, 50],
    ['moves both ways, twice', { 'DOM.getContentQuads': inTurn(shifted(3, 3), shifted(2, 2), shifted(1, 1), still) }, 100],
    ['appears', { 'DOM.getContentQuads': inTurn({}, still) }, 50],
    ['disappears for a moment', { 'DOM.getContentQuads': inTurn(still, {}, still) }, 50],
    [
      'is covered for a moment',
      { 'Runtime.callFunctionOn': inTurn({ result: { value: 'a div covers it' } }, { result: { value: '' } }) },
      50,
    ],
  ])('waits while its element %s', async (_, replies, spent) => {
    const { page, list } = openPage(replies);
    expect(await time(clickElement(page, ELEMENT, 1))).toEqual({ spent });
    expect(list().slice(-3)).toEqual([mouse('mouseMoved', 0), mouse('mousePressed', 1), mouse('mouseReleased', 1)]);
  });

  const moving = (): ((command: Command) => Reply) => {
    let looks = 0;
    return () => {
      looks += 1;
      return { result: shifted(looks, 0) };
    };
  };

  test.each<[string, Replies, { readonly objectId: string } | { readonly backendNodeId: number }, string]>([
    ['has no place', { 'DOM.getContentQuads': {} }, ELEMENT, 'it has no position in the window'],
    ['always moves', { 'DOM.getContentQuads': moving() }, ELEMENT, 'it moves'],
    ['is covered', { 'Runtime.callFunctionOn': { result: { value: 'a div#veil covers it' } } }, ELEMENT, 'a div#veil covers it'],
    ['is gone', { 'DOM.resolveNode': refuse('No node with given id found') }, { backendNodeId: 4 }, 'it is gone'],
    ['is no object', { 'DOM.resolveNode': {} }, { backendNodeId: 4 }, 'it is gone'],
  ])('fails after five seconds if its element %s', async (_, replies, element, hindrance) => {
    const { page, commands } = openPage(replies);
    expect(await time(clickElement(page, element, 1))).toEqual({
      spent: 5_000,
      error: new TypeError(`Expected a control that can be clicked; ${hindrance}.`),
    });
    expect(commands('Input.dispatchMouseEvent')).toEqual([]);
  });
});

describe('the function that looks for what hinders a click', () => {
  /** An element of a page, as far as the function reads it. */
  interface Part {
    readonly localName?: string;
    readonly id?: string;
    readonly className?: unknown;
    readonly control?: Part;
    readonly parentNode?: Part;
    readonly assignedSlot?: Part;
    readonly host?: Part;
    readonly shadowRoot?: { elementFromPoint(x: number, y: number): Part | null };
    matches?(selector: string): boolean;
  }

  const button: Part = { localName: 'button', matches: () => false };
  const shadow = (hit: () => Part | null) => ({ elementFromPoint: (x: number, y: number) => (x === 22 && y === 34 ? hit() : null) });
  const self: Part = { localName: 'my-card', id: 'card', className: 'wide', shadowRoot: shadow(() => self) };

  test.each<[string, Part | null, string]>([
    ['itself', button, ''],
    ['a part of it', { localName: 'span', parentNode: { localName: 'b', parentNode: button } }, ''],
    ['its label', { localName: 'label', control: button }, ''],
    ['a part of its label', { localName: 'span', parentNode: { localName: 'label', control: button } }, ''],
    [
      'what is shown in its slot',
      { localName: 'span', assignedSlot: { localName: 'slot', parentNode: button }, parentNode: { localName: 'p' } },
      '',
    ],
    [
      'a part of its shadow tree',
      { localName: 'my-button', shadowRoot: shadow(() => ({ localName: 'i', parentNode: { host: button } })) },
      '',
    ],
    ['a shadow tree that has nothing there', { localName: 'my-card', shadowRoot: shadow(() => null) }, 'a my-card covers it'],
    ['an element that is its own shadow tree', self, 'a my-card#card covers it'],
    ['the label of another', { localName: 'label', className: '', control: { localName: 'input' } }, 'a label covers it'],
    ['a veil with classes', { localName: 'div', className: '  veil   dark ' }, 'a div.veil.dark covers it'],
    ['a picture, whose class is no text', { localName: 'svg', className: { baseVal: 'icon' } }, 'a svg covers it'],
    ['nothing', null, 'it is outside of the window'],
  ])('knows %s', async (_, hit, hindrance) => {
    const { page, commands } = openPage();
    await clickElement(page, { objectId: 'button' }, 1);
    const document = { elementFromPoint: (x: number, y: number) => (x === 22 && y === 34 ? hit : null) };
    const find = runInNewContext(`(${String(commands('Runtime.callFunctionOn')[0]?.params['functionDeclaration'])})`, { document });
    expect(find.call(button, 22, 34)).toBe(hindrance);
    const disabled = { ...button, matches: (selector: string) => selector === ':disabled' };
    expect(find.call(disabled, 22, 34)).toBe('it is disabled');
  });
});
