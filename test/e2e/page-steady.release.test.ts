import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';

type Boxes = Readonly<Record<string, readonly number[]>>;

/** Left, top, width and height of every row and control outside of the ceremony, in CSS pixels. */
const boxes = (page: Page): Promise<Boxes> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll('.stream > li, .divider, button, input, .top, .bar, .pane-head, .tools')]
    .filter((each) => !each.closest('#subject .pane-body, .waiting-line'))
    .map((each) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      const row = each.closest('li')?.dataset.key ?? '';
      return [[row, each.tagName, each.id, each.className.replace(/ ?(waits|selected|primary)/g, ''), each.ariaLabel].join(' '), [left, top, width, height].map((at) => Math.round(at * 10) / 10)];
    }))`);

/** Boxes of what is in both, as they are in the first. */
function common(some: Boxes, others: Boxes): Boxes {
  return Object.fromEntries(Object.entries(some).filter(([name]) => name in others));
}

const ROW = /^run-|^[\w-]+-\d+ /;

function apartFromRows(some: Boxes): Boxes {
  return Object.fromEntries(Object.entries(some).filter(([name]) => !ROW.test(name)));
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe.skipIf(skipWithoutBrowser())('nothing on the page jumps', () => {
  const { open } = pageTests();

  test.each([
    [390, 800],
    [1280, 800],
    [2400, 800],
  ])('while a ceremony waits, and when its result comes, at %i px', async (width, height) => {
    const { page, authenticator } = await open({ context: { viewport: { width, height } } });
    const presence = async (enabled: boolean) => {
      const { session, id } = authenticator ?? expect.fail('Expected an authenticator.');
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: id, enabled });
    };
    // On a phone the actions are wider than the page: what scrolls them is the press, not the page.
    const show = async (button: string) => await page.locator(button).scrollIntoViewIfNeeded();
    await signIn(page);
    await show('#register-button');
    const empty = await boxes(page);
    await act(page, '#register-button');
    await page.locator('.stream .row-user:has-text("ada@example.com")').waitFor();
    const before = await boxes(page);
    expect(apartFromRows(before)).toEqual(apartFromRows(empty));

    // The server's answer to the first is held back; the browser waits for the user of the second.
    const held = deferred();
    await page.route('**/api/passkeys/login', async (route) => {
      await held.promise;
      await route.continue();
    });
    for (const [end, words] of [
      ['verified', 'Waiting for the server'],
      ['cancelled', 'answer the browser'],
    ] as const) {
      await show('#login-button');
      const known = await boxes(page);
      if (end === 'cancelled') await presence(false);
      await page.locator('#login-button').click();
      await page.locator(`.waiting-line:has-text("${words}")`).waitFor();
      const waiting = await boxes(page);
      // The new row pushes the others by its own height, once; nothing else moves.
      expect(apartFromRows(waiting)).toEqual(apartFromRows(known));
      const cancel = await page.locator('#cancel-button').boundingBox();
      expect(Math.min(cancel?.width ?? 0, cancel?.height ?? 0)).toBeGreaterThanOrEqual(24);
      expect(common(waiting, known)).not.toEqual({});

      if (end === 'verified') held.resolve();
      else await page.locator('#cancel-button').click();
      await page.locator(`#subject article[data-verdict=${end}]`).waitFor();
      await page.locator('.waiting-line').waitFor({ state: 'detached' });
      const after = await boxes(page);
      expect(common(after, waiting)).toEqual(common(waiting, after));
      expect(Object.keys(waiting).filter((name) => !(name in after))).toEqual([]);
    }
  });
});
