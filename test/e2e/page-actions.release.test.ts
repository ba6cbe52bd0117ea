import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('the action bar', () => {
  const { open } = pageTests();

  test('takes a name for one passkey, and is blocked by options that cannot be used', async () => {
    const { page } = await open({ begin: 'signed in' });
    await page.locator('#label').fill('Work laptop');
    const { summary } = await act(page, '#register-button');
    expect(summary).toContain('“Work laptop”');
    expect(await page.locator('#label').inputValue()).toBe('');

    await page.locator('#open-options').click();
    const json = page.locator('#options-registration-json');
    await json.fill('{ "attestation": ');
    const button = page.locator('#register-button');
    expect([await json.getAttribute('aria-invalid'), await button.getAttribute('aria-disabled')]).toEqual(['true', 'true']);
    expect(await page.locator('#register-button-blocked').textContent()).toMatch(/^The options to register cannot be used\. ./);
    expect(await page.locator('#login-button').getAttribute('aria-disabled')).toBe('false');
    // What was typed is still there when the drawer is opened again, and the button leads there.
    await page.getByRole('button', { name: 'Close Options' }).click();
    await button.press('Enter');
    expect(await json.inputValue()).toBe('{ "attestation": ');
    await json.fill('{ "pubKeyCredParams": [{ "type": "public-key", "alg": -999 }] }');
    expect(await page.locator('#options-registration-json-problem').innerText()).toContain('This server cannot verify COSE algorithm -999');
    await json.fill('');
    expect(await button.getAttribute('aria-disabled')).toBe('false');
  });
});
