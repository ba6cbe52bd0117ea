import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { until } from '../until.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, paste, press, reload, signIn, WIDE } from './page-harness.js';

const OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true";

/** What stands beyond the window, and is not in something that scrolls or cuts it off. */
const overflowing = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((each) => {
      if (each.getBoundingClientRect().right <= document.documentElement.clientWidth + 0.5) return false;
      for (let at = each.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== 'visible') return false;
      }
      return true;
    })
    .map((each) => each.tagName + '#' + each.id + '.' + each.className)`);

/** Where the brightness of the page's ground is between 0 and 255. */
async function brightness(page: Page, colorScheme: 'light' | 'dark'): Promise<number> {
  await page.emulateMedia({ colorScheme });
  const colour: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

describe.skipIf(skipWithoutBrowser())('layout and keyboard of the test page', () => {
  const { open } = pageTests();

  test('nothing overflows at 320 to 1440 px with everything open, in every drawer', async () => {
    const { page } = await open();
    await signIn(page, 'somebody.with.a.very.long.address@subdomain.of.a.long.domain.example.com');
    await page.locator('#label').fill('W'.repeat(120));
    const { key } = await act(page, '#register-button');
    await act(page, '#login-button');
    await page.locator('.steps-line').click();
    await page.locator('.compare-with').selectOption(key);
    await page.locator('.comparison tr.differs').first().waitFor();
    const atAllWidths = async (what: string) => {
      await page.evaluate(OPEN_ALL);
      for (const width of [320, 390, 720, 800, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowing(page), `${what}, ${width} px`).toStrictEqual([]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
          `${what}, ${width}`,
        ).toBe(0);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    await atAllWidths('the ceremony');
    for (const drawer of ['options', 'break']) {
      await page.locator(`#open-${drawer}`).click();
      await page.locator(`#${drawer}-heading`).waitFor();
      await atAllWidths(drawer);
      await page.locator(`#open-${drawer}`).press('Enter');
    }
    await press(page, '#passkey-1');
    await press(page, '#passkey-1-revoke');
    await atAllWidths('the passkeys');
  });

  test('the panes scroll apart', async () => {
    const { page } = await open({ context: { viewport: { width: 1280, height: 600 } }, begin: 'with a passkey' });
    await page.locator('.steps-line').click();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(600);
    await page.locator('#subject').hover();
    await page.mouse.wheel(0, 400);
    await until(async () => (await page.evaluate("document.querySelector('#subject > .pane-body').scrollTop > 0")) === true);
    expect(await page.evaluate("document.querySelector('.list-pane > .pane-body').scrollTop")).toBe(0);
  });

  test.each([1_440, 1_280])('each drawer scrolls by itself and never lengthens the page, at %i px', async (width) => {
    const { page } = await open({ context: { viewport: { width, height: 600 } }, authenticator: false });
    for (const drawer of ['options', 'break']) {
      await page.keyboard.press(drawer.charAt(0));
      await page.locator(`#${drawer}-heading`).waitFor();
      await page.evaluate(OPEN_ALL);
      const height = await page.evaluate('document.scrollingElement.scrollHeight');
      expect([drawer, height]).toStrictEqual([drawer, 600]);
      await page.locator(`#${drawer}-heading`).press('Escape');
    }
  });

  test('a name that others have chosen turns nothing round, and fills nothing', async () => {
    const { page, url } = await open({ context: WIDE, authenticator: false });
    const name = `ada \u202Eevil ${'name '.repeat(40)}`;
    await fetch(`${url}/dev/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', name }),
    });
    await page.reload();
    await page.locator('#switcher').click();
    await page.locator('.known .person').click();
    await page.locator('#signed-in-as').waitFor();
    expect(await page.locator('#signed-in-as').innerText()).toContain('[U+202E]evil');
    // In the head of the page nothing covers anything, and nothing is longer than one line.
    const boxes = await Promise.all(['.brand', '.where', '#answerer', '#switcher'].map((one) => page.locator(one).boundingBox()));
    const ends = boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
    for (const [index, box] of boxes.slice(1).entries()) expect(box?.x ?? 0).toBeGreaterThanOrEqual(ends[index] ?? 0);
    expect((await page.locator('.top').boundingBox())?.height).toBeLessThan(60);

    await page.locator('#create-test-passkey').click();
    await page.locator('#subject .verdict-word:text-is("Verified")').waitFor();
    const fact = page.locator('.facts dd:has-text("@example.com")').first();
    expect(await fact.locator('bdi').count()).toBe(1);

    await paste(page, `{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "moc.\u202Eelpmaxe"}`);
    await page.locator('#subject article[data-key=pasted-1] .tree').waitFor();
    expect(await page.locator('#subject .tree').innerText()).toContain('moc.[U+202E]elpmaxe');
  });

  test('follows the preferred colour scheme, and the colours that the system forces', async () => {
    const { page } = await open({ authenticator: false });
    expect(await brightness(page, 'light')).toBeGreaterThan(230);
    expect(await brightness(page, 'dark')).toBeLessThan(40);
    await page.emulateMedia({ forcedColors: 'active' });
    // The main button has no ground of its own then: a line shows where it is.
    const border = await page.evaluate("getComputedStyle(document.querySelector('#create-test-passkey')).borderTopStyle");
    expect(border).toBe('solid');
  });

  test('works by keyboard alone: the focus goes to each result', async () => {
    const { page } = await open();
    const focused = () => page.evaluate('document.activeElement.id');
    const tabTo = async (id: string) => {
      for (let presses = 0; presses < 60 && (await focused()) !== id; presses++) {
        await page.keyboard.press('Tab');
      }
      expect(await focused()).toBe(id);
    };
    const ended = (verdict: string, run: string) =>
      page.locator(`#subject article[data-key=${run}][data-verdict=${verdict}]`).waitFor({ state: 'attached' });
    await page.keyboard.press('Tab');
    await page.locator(':focus', { hasText: 'Skip to the ceremony' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await focusOn(page, 'subject');
    await reload(page);
    await tabTo('switcher');
    await page.keyboard.press('Enter');
    await page.locator('#people').waitFor();
    await tabTo('sign-in-button');
    await page.keyboard.press('Enter');
    await page.locator('#signed-in-as').waitFor();
    await focusOn(page, 'switcher');
    await page.keyboard.press('r');
    await focusOn(page, 'register-button');
    await page.keyboard.press('Enter');
    await ended('verified', 'run-2');
    await focusOn(page, 'run-2-heading');
    await page.keyboard.press('l');
    await page.keyboard.press('Enter');
    await ended('verified', 'run-3');
    await focusOn(page, 'run-3-heading');
    // Through the list, and to the ceremony.
    await page.keyboard.press('s');
    await focusOn(page, 'list-heading');
    const row = (key: string) => page.locator(`.stream li[data-key=${key}] .row`);
    await page.keyboard.press('ArrowDown');
    await row('run-3').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('#subject article[data-key=run-2]').waitFor();
    await page.keyboard.press('Enter');
    await focusOn(page, 'subject');
    await page.keyboard.press('/');
    await focusOn(page, 'list-search');
    await page.keyboard.type('b/r');
    expect(await page.locator('#list-search').inputValue()).toBe('b/r');
    await page.locator('#list-search').fill('');
    await page.keyboard.press('ArrowDown');
    await page.locator('.stream .row:focus').waitFor();
    // From the passkeys, too.
    for (const [key, id] of [
      ['s', 'list-heading'],
      ['/', 'list-search'],
    ] as const) {
      await page.locator('#show-passkeys').click();
      await page.keyboard.press(key);
      await focusOn(page, id);
    }
  });

  test('Back and Forward walk through the ceremonies, and leave the options as they are', async () => {
    const { page } = await open({ context: WIDE, begin: 'with a passkey' });
    const { key: first } = await act(page, '#register-button');
    const { key: second } = await act(page, '#login-button');
    const pasted = await paste(page, '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}');
    await page.keyboard.press('Tab');
    await page.locator('#open-options').click();
    await page.locator('#options-registration-json').fill('{ "attestation": "direct" }');
    const shown = async (key: string) => await page.locator(`#subject article[data-key=${key}]`).waitFor();
    await page.goBack();
    await page.locator('#welcome').waitFor();
    await page.goBack();
    await shown(second);
    await page.goBack();
    await shown(first);
    await page.goForward();
    await shown(second);
    expect(new URL(page.url()).hash).toMatch(/^#ceremony=/);
    await page.goForward();
    await page.goForward();
    await page.locator(pasted).waitFor();
    expect(await page.locator('#options-registration-summary').innerText()).toBe('1 changed: attestation');
  });

  test('on a phone Paste, Options and Break it are in sight, and a button leads back to the list', async () => {
    const { page } = await open({ context: { viewport: { width: 390, height: 800 } }, begin: 'with a passkey' });
    for (const drawer of ['paste', 'options', 'break']) {
      const box = await page.locator(`#open-${drawer}`).boundingBox();
      expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('#to-list').click();
    await focusOn(page, 'list-heading');
    await until(async () => (await page.evaluate('scrollY < 200')) === true);
  });

  test('a fact without room in its row is left out, not cut, at 1024 px', async () => {
    const { page } = await open({ context: { viewport: { width: 1_024, height: 800 } }, authenticator: false });
    // By the software authenticator, which its row names.
    await page.locator('#create-test-passkey').click();
    await page.locator('#subject article[data-verdict=verified]').waitFor();
    const cut = await page
      .locator('.row-facts > *')
      .evaluateAll((facts) => facts.filter((fact) => fact.scrollWidth > fact.clientWidth).map((fact) => fact.textContent));
    expect(cut).toEqual([]);
  });

  test('each drawer opens by its key, has the focus, and gives it back', async () => {
    const { page } = await open({ authenticator: false });
    const focused = () => page.evaluate('document.activeElement.id');
    for (const [key, drawer] of Object.entries({ o: 'options', b: 'break', '?': 'browser' })) {
      await page.locator('#list-heading').focus();
      await page.keyboard.press(key);
      await page.locator(`#${drawer}-heading`).waitFor();
      expect(await page.evaluate(`document.querySelector('aside#${drawer}').contains(document.activeElement)`)).toBe(true);
      await page.keyboard.press('Escape');
      await page.locator(`#${drawer}`).waitFor({ state: 'detached' });
      expect(await focused(), drawer).toBe('list-heading');
    }
    await page.keyboard.press('p');
    await focusOn(page, 'paste-box');
  });

  test('says what the browser can do, and what it cannot', async () => {
    const { page } = await open({
      authenticator: false,
      initScript: `PublicKeyCredential.getClientCapabilities = async () => ({ hybridTransport: false, conditionalGet: true });`,
    });
    await page.keyboard.press('?');
    expect(await page.locator('#capabilities li').allInnerTexts()).toEqual(['yes conditionalGet', 'no hybridTransport']);
    expect(await page.locator('#capabilities .badge.good').allInnerTexts()).toEqual(['yes']);
  });

  test('every control and section has a name, runs are headings, and the end of one is announced', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await page.locator('.steps-line').waitFor();
    await page.evaluate(OPEN_ALL);
    const tree = await page.locator('body').ariaSnapshot();
    expect(tree).not.toMatch(/- (button|textbox|checkbox|combobox|link|region|spinbutton)( \[.*\])?:?$/m);
    expect(tree).toContain('- status: Registered “Passkey” as passkey 1.');
    expect(tree).toMatch(/- main "The ceremony"/);
    expect(tree).toMatch(/- navigation "Actions"/);
    expect(tree).toMatch(/- region "Ceremonies at this server"/);
    expect(tree).toContain('- heading "Verified Register a passkey" [level=2]');
  });
});
