import { expect, test } from 'vitest';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import { CREATED, drawPage, stopClock, USER } from './drawing.js';
import { SERVER } from './tab.js';

stopClock();

const OPEN = { ...CREATED, drawer: 'options', user: USER } as const;
const JSON_FIELD = '#options-registration-json';

test('a setting is written into the options, is marked, and goes back to the server’s own', async () => {
  const page = await drawPage(OPEN);
  await page.enter('#option-registration-attestation', 'direct', 'change');
  expect(page.store.get().setup.registration).toEqual({ attestation: 'direct' });
  expect(page.find('#options-registration-summary').textContent).toBe('1 changed: attestation');
  expect(page.outline('#options-registration-tab')).toContain('1');
  expect(Reflect.get(page.find(JSON_FIELD), 'value')).toContain('"attestation": "direct"');
  expect(page.body.querySelectorAll('pre .changed').map(({ textContent }) => textContent.trim())).toEqual(['"attestation": "direct"']);
  await page.press('Reset attestation');
  expect(page.store.get().setup.registration).toEqual({});
  expect(page.focused()?.id).toBe('option-registration-attestation');
});

test('the JSON is taken as it is typed, and what cannot be used stays with the reason', async () => {
  const page = await drawPage(OPEN);
  const text = String(Reflect.get(page.find(JSON_FIELD), 'value'));
  await page.enter(JSON_FIELD, text.replace('"timeout": 60000', '"timeout": 5'));
  expect(page.store.get().setup.registration).toEqual({ timeout: 5 });
  await page.enter(JSON_FIELD, '{ "timeout": ');
  const invalid = page.store.get().invalid.registration;
  expect(invalid?.text).toBe('{ "timeout": ');
  expect(page.find(`${JSON_FIELD}-problem`).textContent).toBe(invalid?.problem);
  expect(page.find(JSON_FIELD).getAttribute('aria-invalid')).toBe('true');
  expect(page.find('#options-registration-summary').textContent).toBe('The JSON cannot be used.');
  expect(page.outline('#options-registration-tab')).toContain('cannot be used');
  // The settings keep what was usable.
  expect(page.store.get().setup.registration).toEqual({ timeout: 5 });
  await page.enter('#option-registration-attestation', 'direct', 'change');
  expect(page.store.get().invalid.registration).toBeUndefined();
  await page.enter(JSON_FIELD, text.replace(/\s*"timeout": 60000,?/, ''));
  expect(page.find(`${JSON_FIELD}-remarks`).textContent).toContain('timeout: sent by the server even if left out here.');
  await page.happen(() => page.find(JSON_FIELD).fire('blur'));
  expect(page.find(`${JSON_FIELD}-remarks`).textContent).not.toContain('left out here');
});

test('a preset sets both ceremonies; everything can be reset but autofill, and the link can be copied', async () => {
  const page = await drawPage(OPEN);
  const [preset = ''] = page.body
    .querySelectorAll('#options-preset option')
    .slice(1)
    .map(({ textContent }) => textContent);
  await page.enter('#options-preset', preset, 'change');
  expect(page.store.get().status).toBe(`The options are set for: ${preset}.`);
  await page.enter('#option-app_name', ' Shop ');
  expect(page.store.get().setup.appName).toBe('Shop');
  await page.click('#options-link');
  expect(page.page.copied).toEqual([expect.stringMatching(/^http:\/\/localhost:7277\/#.*app_name=Shop/)]);
  expect(page.store.get().status).toBe('Copied the link to these options.');
  await page.click('#options-reset');
  expect(page.store.get()).toMatchObject({
    setup: { appName: '', registration: {}, authentication: {} },
    invalid: {},
    status: 'The options are reset.',
  });
  await page.click('#options-link');
  expect(page.page.copied[1]).toBe('http://localhost:7277/');
});

test('the tabs are walked through by arrow keys; the one with a problem is open first', async () => {
  const page = await drawPage({ ...OPEN, invalid: { authentication: { text: '{', problem: 'It ends.' } } });
  const selected = () => ['registration', 'authentication'].map((kind) => page.find(`#options-${kind}-tab`).getAttribute('aria-selected'));
  expect(selected()).toEqual(['false', 'true']);
  await page.key('#options-authentication-tab', 'ArrowRight');
  expect([selected(), page.focused()?.id]).toEqual([['true', 'false'], 'options-registration-tab']);
  await page.key('#options-registration-tab', 'ArrowLeft');
  expect([selected(), page.focused()?.id]).toEqual([['false', 'true'], 'options-authentication-tab']);
  await page.key('#options-authentication-tab', 'Home');
  expect(selected()).toEqual(['false', 'true']);
  await page.click('#options-registration-tab');
  expect(selected()).toEqual(['true', 'false']);
});

test('a browser that does not let the page copy the link says so', async () => {
  const page = await drawPage(OPEN, { navigator: {} });
  await page.click('#options-link');
  expect(page.store.get()).toMatchObject({
    status: 'The browser does not let this page copy. Copy the address of this page instead.',
    statusFailed: true,
  });
});

test('the first tab is that of the ceremony whose options cannot be used, or else are changed', async () => {
  const found = [];
  for (const state of [
    {},
    { setup: { ...PLAIN_SETUP, authentication: { timeout: 5 } } },
    { setup: { ...PLAIN_SETUP, authentication: { timeout: 5 } }, invalid: { registration: { text: '{', problem: 'It ends.' } } },
  ]) {
    const page = await drawPage({ ...OPEN, ...state });
    found.push(page.find('[role=tab][aria-selected=true]').id);
  }
  expect(found).toEqual(['options-registration-tab', 'options-authentication-tab', 'options-registration-tab']);
});

test('changed options of either ceremony are not used elsewhere, which is said', async () => {
  const found = [];
  for (const setup of [PLAIN_SETUP, { ...PLAIN_SETUP, authentication: { timeout: 5 } }, { ...PLAIN_SETUP, registration: { timeout: 5 } }]) {
    const page = await drawPage({ ...OPEN, server: { ...SERVER, local: false }, setup });
    found.push(page.body.querySelector('#options-unused') !== null);
  }
  expect(found).toEqual([false, true, true]);
});

test('a preset and a reset leave autofill, and the preset that is set is shown', async () => {
  const page = await drawPage({ ...OPEN, setup: { ...PLAIN_SETUP, autofill: true } });
  await page.enter('#options-preset', 'Second factor', 'change');
  expect(page.store.get().setup).toMatchObject({ autofill: true, authentication: { userVerification: 'discouraged' } });
  expect(Reflect.get(page.find('#options-preset'), 'value')).toBe('Second factor');
  await page.click('#options-reset');
  expect(page.store.get().setup).toEqual({ ...PLAIN_SETUP, autofill: true });
  expect(Reflect.get(page.find('#options-preset'), 'value')).toBe('');
});

test('JSON that no server here could verify stays in the field, with the reason; what is bound is not missed', async () => {
  const page = await drawPage(OPEN);
  await page.enter(JSON_FIELD, '{ "timeout": 0 }');
  expect(page.store.get().invalid.registration).toEqual({
    text: '{ "timeout": 0 }',
    problem: 'timeout must be a whole number from 1 to 86400000.',
  });
  expect(page.store.get().setup.registration).toEqual({});
  await page.enter(JSON_FIELD, '{ "attestation": "direct" }');
  expect(page.find(`${JSON_FIELD}-remarks`).textContent).toBe(
    'pubKeyCredParams, timeout, authenticatorSelection: sent by the server even if left out here.',
  );
  await page.enter(JSON_FIELD, ' ');
  expect([page.find(`${JSON_FIELD}-remarks`).textContent, page.store.get().setup.registration]).toEqual(['', {}]);
});
