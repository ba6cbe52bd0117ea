import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { focusOn, openPeople, pageTests, reveal, signIn, signOut } from './page-harness.js';
import { passkeyHere } from './passkey-in-process.js';

describe.skipIf(skipWithoutBrowser())('who is signed in', () => {
  const { open } = pageTests();
  test('the switcher works with the keyboard: Escape closes it and the focus returns', async () => {
    const { page } = await open();
    await page.locator('#switcher').focus();
    await page.keyboard.press('Enter');
    await focusOn(page, 'email');
    expect(await page.locator('#switcher').getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    await focusOn(page, 'switcher');
    expect(await page.locator('#people').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('#email').fill('grace@example.com');
    await page.keyboard.press('Enter');
    await page.locator('#signed-in-as:text-is("grace")').waitFor();
    await focusOn(page, 'switcher');
    await openPeople(page);
    await page.locator('.brand').click();
    await page.locator('#people').waitFor({ state: 'detached' });
  });

  test('finds one of many users, and switches without signing out', async () => {
    const { cwd, page } = await open();
    for (let user = 1; user <= 12; user += 1) {
      await passkeyHere(['user', 'add', '--email', `user${user}@example.com`, '--name', `Person ${user}`], { cwd });
    }
    await signIn(page, 'ada@example.com');
    await openPeople(page);
    const known = page.locator('.known .person');
    expect(await known.count()).toBe(8);
    expect(await known.first().innerText()).toContain('Person 12');
    expect(await page.locator('#people').innerText()).toContain('4 more');
    await page.locator('#email').fill('person 3');
    expect(await known.allInnerTexts()).toHaveLength(1);
    await known.first().click();
    await page.locator('#signed-in-as:text-is("Person 3")').waitFor();
    await signOut(page);
    await openPeople(page);
    expect(await page.locator('#email').count()).toBe(1);
  });

  test('the menu of a passkey closes with Escape, and the focus returns to its line', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await reveal(page, '#passkey-1-login');
    await page.locator('#passkey-1-login').focus();
    await page.keyboard.press('Escape');
    await focusOn(page, 'passkey-1-menu');
    expect(await page.locator('#passkey-1-login').count()).toBe(0);
  });
});
