import { expect, test } from 'vitest';
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
