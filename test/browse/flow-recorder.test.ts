import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { addStep, FlowRecorder, SECRET } from '../../src/browse/flow-recorder.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Step } from '../../src/testing/page/flow.js';
import { connectScripted } from './scripted-browser.js';

/** A recorder of two pages, and what it hears, in order. */
async function record() {
  const browser = connectScripted();
  const heard: unknown[] = [];
  const recorder = new FlowRecorder(browser.devtools, {
    onStep: (step) => void heard.push(step),
    onUnplayable: (why) => void heard.push(why),
  });
  await recorder.prepare('shop');
  await recorder.prepare('bank');
  const act = (payload: JsonObject | string, { name = 'recordStep', session = 'shop' } = {}) =>
    browser.tell('Runtime.bindingCalled', { name, payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }, session);
  return { ...browser, recorder, heard, act };
}

const BUTTON = { role: 'button', name: 'Log in', isFrame: false };

test('runs its script in a world of its own, from the first script of each document', async () => {
  const { list } = await record();
  const world = 'passkey browse: recorder';
  const source = expect.stringMatching(/^globalThis\.isRecording \?\?= \(\(\) => \{\n[^]*globalThis\.recordStep\([^]*\}\)\(\) \?\? true;$/);
  expect(list()).toEqual(
    ['shop', 'bank'].flatMap((session) => [
      ['Page.enable', {}, session],
      ['Runtime.enable', {}, session],
      ['Runtime.addBinding', { name: 'recordStep', executionContextName: world }, session],
      ['Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true, worldName: world }, session],
    ]),
  );
});

test.each<[string, JsonObject, unknown]>([
  ['a click', BUTTON, { click: { role: 'button', name: 'Log in' } }],
  [
    'a text',
    { role: 'textbox', name: 'E-mail', value: 'ada', isFrame: false },
    { fill: { role: 'textbox', name: 'E-mail' }, value: 'ada' },
  ],
  ['no text', { role: 'textbox', name: 'E-mail', value: '', isFrame: false }, { fill: { role: 'textbox', name: 'E-mail' }, value: '' }],
  ['a secret', { role: 'textbox', name: 'PIN', value: null, isFrame: false }, { fill: { role: 'textbox', name: 'PIN' }, value: SECRET }],
  ['a control without a name', { ...BUTTON, name: '', isFrame: true }, 'a button without an accessible name'],
  ['a control in a frame', { ...BUTTON, isFrame: true, isList: true }, 'the button "Log in", which is in a frame'],
  ['a list', { role: 'combobox', name: 'Country', isList: true, isFrame: false }, 'the list "Country"'],
  ['a control that says neither', { role: 'link', name: 'Help' }, { click: { role: 'link', name: 'Help' } }],
])('of %s, the step is recorded or the reason why there is none', async (_, payload, expected) => {
  const { heard, act } = await record();
  act(payload);
  expect(heard).toStrictEqual([expected]);
});

test('hears both pages, and no other, until it forgets them', async () => {
  const { heard, act, tell, recorder } = await record();
  const click = (name: string) => ({ ...BUTTON, name });
  act(click('one'));
  act(click('two'), { session: 'bank' });
  act(click('another page'), { session: 'other' });
  tell('Runtime.bindingCalled', { name: 'recordStep', payload: JSON.stringify(click('the browser')) });
  act(click('another function'), { name: 'pickPasskey' });
  tell('Runtime.consoleAPICalled', { name: 'recordStep', payload: JSON.stringify(click('another event')) }, 'shop');
  recorder.forget();
  act(click('forgotten'));
  await recorder.prepare('shop');
  act(click('three'));
  act(click('still forgotten'), { session: 'bank' });
  expect(heard).toEqual(['one', 'two', 'three'].map((name) => ({ click: { role: 'button', name } })));
});

test('the file is told where a secret belongs', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text itself
  expect(SECRET).toBe('${env:FLOW_PASSWORD}');
});

test('a field that is filled again has one step, with its last text', () => {
  const fill = (name: string, value: string, role = 'textbox'): Step => ({ fill: { role, name }, value });
  const click: Step = { click: { role: 'textbox', name: 'a' } };
  const steps = [
    fill('a', '1'),
    fill('a', '2'),
    fill('b', '3'),
    fill('a', '4'),
    fill('a', '5', 'searchbox'),
    click,
    fill('a', '6'),
    click,
    click,
  ];
  const flow = steps.reduce<readonly Step[]>(addStep, []);
  expect(flow).toEqual(steps.slice(1));
  expect(addStep([fill('a', '1'), fill('b', '2')], fill('b', '3'))).toEqual([fill('a', '1'), fill('b', '3')]);
});

describe('the script of a page', () => {
  interface Field {
    readonly tagName: string;
    type?: string;
    readonly autocomplete?: string;
    readonly value?: string;
    /** Role of the control in which it is. */
    readonly within?: Field;
  }

  /** A document in which the script runs, twice as in a document that was open already. */
  async function open({ isFrame = false } = {}) {
    const { commands } = await record();
    const told: unknown[] = [];
    const listeners: (readonly [type: string, listener: (event: object) => void])[] = [];
    const inputs: object[] = [];
    const page = createContext({
      document: { querySelectorAll: (selector: string) => (selector === 'input' ? inputs : []) },
      addEventListener: (type: string, listener: (event: object) => void) => void listeners.push([type, listener]),
      recordStep: (text: string) => void told.push(JSON.parse(text)),
    });
    runInContext(`globalThis.window = globalThis; globalThis.top = ${isFrame ? '{}' : 'globalThis'};`, page);
    const source = String(commands('Page.addScriptToEvaluateOnNewDocument')[0]?.params['source']);
    for (let run = 0; run < 2; run += 1) runInContext(source, page);
    const draw = ({ within, autocomplete, ...field }: Field): object => ({
      ...field,
      computedRole: `role of ${field.tagName}`,
      computedName: `name of ${field.tagName}`,
      getAttribute: (name: string) => (name === 'autocomplete' ? (autocomplete ?? null) : null),
      closest(selector: string) {
        if (within !== undefined) return draw(within);
        return `, ${selector},`.includes(`, ${field.tagName.toLowerCase()},`) ? this : null;
      },
    });
    const act = (type: string, target: object, isTrusted = true) => {
      for (const [heard, listener] of listeners) if (heard === type) listener({ isTrusted, composedPath: () => [target, {}] });
    };
    return { told, inputs, draw, act, listeners };
  }

  const step = (tagName: string, more: object = {}) => ({
    role: `role of ${tagName}`,
    name: `name of ${tagName}`,
    ...more,
    isFrame: false,
  });
  const text = (type: string, autocomplete?: string): Field => ({
    tagName: 'INPUT',
    type,
    value: 'typed',
    ...(autocomplete !== undefined && { autocomplete }),
  });
  const typed = step('INPUT', { value: 'typed' });
  const secret = step('INPUT', { value: null });

  test.each<[string, 'click' | 'change', Field, object | undefined]>([
    ['a button', 'click', { tagName: 'BUTTON' }, step('BUTTON')],
    ['a link', 'click', { tagName: 'A' }, step('A')],
    ['a part of a link', 'click', { tagName: 'SPAN', within: { tagName: 'A' } }, step('A')],
    ['a text', 'click', { tagName: 'P' }, undefined],
    ['a field', 'click', text('email'), undefined],
    ['a box for text', 'click', { tagName: 'TEXTAREA' }, undefined],
    ['a check box', 'click', text('checkbox'), step('INPUT')],
    ['a button of a form', 'click', text('submit'), step('INPUT')],
    ['a list', 'click', { tagName: 'SELECT' }, undefined],
    ['a field', 'change', text('email'), typed],
    ['a box for text', 'change', { tagName: 'TEXTAREA', value: 'long' }, step('TEXTAREA', { value: 'long' })],
    ['a list', 'change', { tagName: 'SELECT', value: 'NL' }, step('SELECT', { isList: true })],
    ['a check box', 'change', text('checkbox'), undefined],
    ['a slider', 'change', text('range'), undefined],
    ['a password', 'change', text('password'), secret],
    ['a new password', 'change', text('text', 'section-a New-Password'), secret],
    ['a current password', 'change', text('text', 'current-password webauthn'), secret],
    ['a code', 'change', text('text', 'one-time-code'), secret],
    ['the number of a card', 'change', text('text', 'cc-number'), secret],
    ['the code of a card', 'change', text('text', 'cc-csc'), secret],
    ['the name on a card', 'change', text('text', 'cc-name'), typed],
    ['a user name', 'change', text('text', 'username webauthn'), typed],
  ])('tells of %s (%s)', async (_, type, field, expected) => {
    const { told, draw, act } = await open();
    act(type, draw(field), false);
    expect(told).toEqual([]);
    act(type, draw(field));
    expect(told).toEqual(expected === undefined ? [] : [expected]);
  });

  test('never tells a password that the page shows', async () => {
    for (const type of ['focusin', 'input', 'pointerdown']) {
      const { told, inputs, draw, act } = await open();
      const field = draw(text('password'));
      inputs.push(field);
      act(type, draw({ tagName: 'BUTTON' }));
      Reflect.set(field, 'type', 'text');
      act('change', field);
      expect(told).toEqual([secret]);
    }
  });

  test('tells of a frame', async () => {
    const { told, draw, act, listeners } = await open({ isFrame: true });
    act('click', draw({ tagName: 'SUMMARY' }));
    act('click', {});
    expect(told).toEqual([{ ...step('SUMMARY'), isFrame: true }]);
    expect(listeners.map(([type]) => type)).toEqual(['focusin', 'input', 'pointerdown', 'change', 'click']);
  });
});
