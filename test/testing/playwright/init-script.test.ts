import { afterEach, expect, test, vi } from 'vitest';
import { type Envelope, installInPage } from '../../../src/testing/playwright/init-script.js';
import { page } from '../page.js';

const NAME = 'passkey-of-this-test';

afterEach(() => {
  const undo: unknown = Reflect.get(globalThis, `${NAME}-undo`);
  if (typeof undo === 'function') undo();
  vi.unstubAllGlobals();
});

/** A page in which the function is that reaches the client. */
function openPage(isSecureContext = true) {
  const asked: Envelope[] = [];
  vi.stubGlobal('isSecureContext', isSecureContext);
  vi.stubGlobal(NAME, async (envelope: Envelope) => {
    asked.push(envelope);
    return { ok: true, value: { conditionalGet: true } };
  });
  installInPage(NAME);
  return asked;
}

const has = (name: string) => Reflect.has(globalThis, name);

test('the page cannot see the function, and its document has a name of its own', async () => {
  const asked = openPage();
  expect([has(NAME), has(`${NAME}-undo`), has('PublicKeyCredential')]).toEqual([false, true, true]);
  expect(Object.keys(globalThis)).not.toContain(`${NAME}-undo`);
  expect(await page.PublicKeyCredential.isConditionalMediationAvailable()).toBe(true);
  const [begun, next] = asked;
  expect([begun?.message, next?.message]).toEqual([{ operation: 'begin' }, { operation: 'capabilities' }]);
  expect(next?.document).toBe(begun?.document);
  expect(begun?.document).toMatch(/^0\.\d+/);
});

test('everything can be put back, once', () => {
  openPage();
  const undo: unknown = Reflect.get(globalThis, `${NAME}-undo`);
  if (typeof undo === 'function') undo();
  expect([has(`${NAME}-undo`), has('PublicKeyCredential')]).toEqual([false, false]);
});

test('a second script of the same page changes nothing', () => {
  const asked = openPage();
  const before: unknown = Reflect.get(globalThis, 'PublicKeyCredential');
  const binding = vi.fn<() => Promise<unknown>>(async () => ({}));
  vi.stubGlobal(NAME, binding);
  installInPage(NAME);
  expect(Reflect.get(globalThis, 'PublicKeyCredential')).toBe(before);
  expect([has(NAME), binding.mock.calls.length, asked.length]).toEqual([true, 0, 1]);
});

test('without the function nothing is installed', () => {
  installInPage(NAME);
  expect([has(`${NAME}-undo`), has('PublicKeyCredential')]).toEqual([false, false]);
});

test('a page that is no secure context has no WebAuthn, and begins all the same', () => {
  const asked = openPage(false);
  expect(has('PublicKeyCredential')).toBe(false);
  expect(asked.map(({ message }) => message)).toEqual([{ operation: 'begin' }]);
});

test('a client that is gone does not disturb the page', async () => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal(NAME, async () => await Promise.reject(new Error('gone')));
  installInPage(NAME);
  await new Promise((resolve) => setImmediate(resolve));
  expect(has('PublicKeyCredential')).toBe(true);
});
