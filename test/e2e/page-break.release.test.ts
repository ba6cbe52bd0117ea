import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { pageTests, reload, WIDE } from './page-harness.js';

const OFTEN = [
  ['login.origin-other-site', 'origin_mismatch'],
  ['login.origin-other-port', 'origin_mismatch'],
  ['login.challenge-used', 'challenge_used'],
  ['login.signature-bit', 'signature_invalid'],
  ['login.user-not-verified', 'user_not_verified'],
  ['login.backup-eligibility-gained', 'backup_eligibility_changed'],
  ['verify.counter-zero', 'counter_regressed'],
  ['login.user-handle-foreign', 'user_handle_mismatch'],
] as const;

/** Presses a mistake in the drawer, and waits for what the drawer says of it. */
async function breakIt(page: Page, id: string, list = 'break-first'): Promise<{ readonly fared: string; readonly summary: string }> {
  const item = page.locator(`#${list} [data-mutation="${id}"]`);
  await item.locator('.mistake-run').click();
  const fared = await item.locator('.fared').innerText();
  return { fared, summary: (await page.locator('#status').textContent()) ?? '' };
}

describe.skipIf(skipWithoutBrowser())('break it', () => {
  const { open } = pageTests();

  test('one click without a user, a passkey or an authenticator: it makes what it needs and shows the refusal', async () => {
    const { page, complaints } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-by-software').click();
    const { fared, summary } = await breakIt(page, 'login.signature-bit');
    expect(fared).toBe('refused, as it should be');
    expect(summary).toMatch(/^401 signature_invalid: /);
    expect(await page.locator('#signed-in-as').innerText()).toBe('test');
    const titles = await page.locator('.stream li .row-title').allInnerTexts();
    expect(titles.map((title) => title.trim())).toStrictEqual([
      'Break it: one bit of the signature flipped Software passkey',
      'First register a software passkey to break Software passkey',
      'Sign in as test@example.com',
    ]);
    expect(await page.locator('#subject h2').first().innerText()).toContain('one bit of the signature flipped');
    expect(await page.locator('#break').count()).toBe(1);
    const bits = await page
      .locator('.comparison tr', { has: page.locator('th:has-text("one bit of byte")') })
      .locator('mark')
      .allInnerTexts();
    expect(bits.toSorted()).toStrictEqual(['0', '1']);
    const [documentation] = await Promise.all([page.waitForEvent('popup'), page.locator('#subject .run-summary a').click()]);
    expect(await documentation.locator(':target').innerText()).toBe('signature_invalid');
    await documentation.close();
    expect(complaints).toStrictEqual([]);
  });

  test('what is often tried is refused for its own reason, by this browser as by a software authenticator', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await page.keyboard.press('b');
    for (const [id, code] of OFTEN) {
      expect([id, await breakIt(page, id)]).toMatchObject([
        id,
        { fared: 'refused, as it should be', summary: expect.stringContaining(` ${code}: `) },
      ]);
    }
    await reload(page);
    await page.keyboard.press('b');
    await page.locator('#break-by-software').click();
    for (const [id, code] of OFTEN) {
      expect([id, await breakIt(page, id)]).toMatchObject([
        id,
        { fared: 'refused, as it should be', summary: expect.stringContaining(` ${code}: `) },
      ]);
    }
  });

  test('with a passkey in this browser, a registration is answered by software; one button signs a changed login anew', async () => {
    const { page } = await open({ begin: 'with a passkey', context: WIDE });
    await page.keyboard.press('b');
    await page.locator('#break-find').fill('register.rp-id-hash');
    expect((await breakIt(page, 'register.rp-id-hash', 'break-registration')).fared).toBe('refused, as it should be');
    await page.locator('#break-find').fill('');
    await breakIt(page, 'login.origin-other-port');
    await page.locator('#subject summary', { hasText: 'Step 21 fails too' }).waitFor();
    expect(await page.locator('.next-steps').innerText()).toContain('The browser signed its response before the change');
    await page.locator('#next-software').click();
    await page.locator('#subject .facts', { hasText: 'software authenticator' }).waitFor();
    expect(await page.locator('#subject summary', { hasText: 'fails too' }).count()).toBe(0);
  });

  test('what cannot be shown at this server says why; what a correct one accepts is apart', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-find').fill('register.packed-intermediate-missing');
    const item = page.locator('#break-registration [data-mutation="register.packed-intermediate-missing"]');
    expect(await item.innerText()).toContain('Not at this server: it trusts no root; start it with --attestation-roots');
    expect(await item.locator('.mistake-run').getAttribute('aria-disabled')).toBe('true');
    await page.locator('#break-find').fill('esp256');
    expect(await page.locator('#break-accepted [data-mutation="register.esp256"]').count()).toBe(1);
  });

  test('one button runs what is often tried, and ends in a scorecard, also where the drawer lies over the ceremony', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-by-software').click();
    await page.locator('#break-all').click();
    await page.locator('#scorecard:text-is("8 of 8 refused, as they should be")').waitFor();
  });

  test('the byte at which a structure is malformed is marked in it', async () => {
    const { page } = await open({ authenticator: false, context: WIDE });
    await page.keyboard.press('b');
    await page.locator('#break-find').fill('register.authenticator-data-trailing-byte');
    await breakIt(page, 'register.authenticator-data-trailing-byte', 'break-registration');
    // One byte was added behind the authenticator data, which end the attestation object.
    expect(await page.locator('[data-structure=attestationObject] .hex mark').innerText()).toBe('00');
  });

  test('a mistake of another algorithm makes a passkey of it; any other takes the passkey that is there', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-by-software').click();
    const made = page.locator('.stream li', { hasText: 'First register a software passkey to break' });
    // It needs a ceremony before it, which the passkey that was made for it performs.
    expect((await breakIt(page, 'login.challenge-used')).fared).toBe('refused, as it should be');
    expect(await made.count()).toBe(1);
    await page.locator('#break-find').fill('login.rs256-with-pss');
    expect((await breakIt(page, 'login.rs256-with-pss', 'break-authentication')).fared).toBe('refused, as it should be');
    expect(await made.count()).toBe(2);
  });

  test('all the rest is found by name, with its text, its step and what is expected', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-by-software').click();
    await page.locator('#break-find').fill('esp256');
    const item = page.locator('#break-accepted [data-mutation="register.esp256"]');
    expect(await item.innerText()).toContain('to be accepted');
    expect(await item.innerText()).toContain('signed anew by a software authenticator');
    expect((await breakIt(page, 'register.esp256', 'break-accepted')).fared).toBe('accepted, as it should be');
    await page.locator('#break-find').fill('register.challenge-used');
    expect((await breakIt(page, 'register.challenge-used', 'break-registration')).fared).toBe('refused, as it should be');
    await page.locator('#break-find').fill('nothing like it');
    expect(await page.locator('#break').innerText()).toContain('Nothing in the catalogue matches.');
  });
});
