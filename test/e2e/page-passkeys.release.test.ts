import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, press, reload, reveal, revoke, signIn } from './page-harness.js';

/** Answers with the server's list of a user who has `count` passkeys. */
async function withPasskeys(page: Page, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    label: `Key ${index + 1}`,
    credential_id: Buffer.alloc(64, `${index}-`).toString('base64'),
    created_at: '2026-01-15T10:30:00.000000Z',
    passkeeable_id: 1,
    passkeeable_type: 'User',
    rp_id: 'localhost',
    aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
    provider: 'Apple Passwords',
    sign_count: 0,
    last_used_at: null,
    revoked_at: null,
    revoked_reason: null,
    backup_eligible: true,
    backup_state: true,
    uv_initialized: true,
    attestation_format: 'none',
    transports: ['internal', 'hybrid'],
    public_key: 'pQ',
    user_handle: 'MQ',
  }));
  await page.route('**/dev/passkeys?all=1', (route) => route.fulfill({ json: rows }));
}

describe.skipIf(skipWithoutBrowser())('the list of passkeys', () => {
  const { open } = pageTests();

  test('names the provider or the AAGUID, and shows the stored credential', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await reveal(page, '#passkey-1-login');
    expect(await page.locator('#passkey-1-menu').innerText()).toMatch(/Passkey\s+AAGUID 01020304…\s+this device only\s+last used\s+never/);
    await page.locator('#passkey-1-details summary').click();
    const id = (await page.locator('#passkey-1').getAttribute('data-credential-id')) ?? 'none';
    const details = await page.locator('#passkey-1-details dl').innerText();
    expect(details).toContain(id);
    expect(details).toContain('01020304-0506-0708-0102-030405060708');
    await act(page, '#passkey-1-login');
    await page.locator('#passkey-1:has-text("counter 2")').waitFor();
    expect(await page.locator('#passkey-1-details').getAttribute('open')).not.toBeNull();
  });

  test('shows the newest of 2,000, finds any, and shows more on request', async () => {
    const { page } = await open();
    await withPasskeys(page, 2000);
    await signIn(page);
    await page.locator('#show-passkeys').click();
    const items = page.locator('#passkeys li');
    await page.locator('#show-more:text-is("Show 100 more of 2000")').waitFor();
    expect(await items.count()).toBe(50);
    expect(await items.first().locator('.passkey-label').innerText()).toBe('Key 2000');
    await page.getByLabel('Find a passkey').fill('apple key 1500');
    expect(await items.locator('.passkey-label').allInnerTexts()).toStrictEqual(['Key 1500']);
    await page.getByLabel('Find a passkey').fill(Buffer.alloc(64, '6-').toString('base64url').slice(0, 12));
    expect(await items.locator('.passkey-label').allInnerTexts()).toStrictEqual(['Key 7']);
    await page.getByLabel('Find a passkey').fill('nothing like it');
    expect(await page.locator('#passkeys').innerText()).toContain('No passkey matches.');
    await page.getByLabel('Find a passkey').fill('');
    await page.locator('#show-more').focus();
    await page.keyboard.press('Enter');
    expect(await items.count()).toBe(150);
    await focusOn(page, 'passkey-1950-menu');
  });

  test('displays right-to-left names in order', async () => {
    const { page } = await open({ begin: 'signed in' });
    await page.locator('#label').fill('מפתח (כחול)');
    expect((await act(page, '#register-button')).summary).toBe('Registered “מפתח (כחול)” as passkey 1.');
    await reveal(page, '#passkey-1');
    const directionOf = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`);
    expect(await directionOf('#passkey-1-label')).toBe('rtl');
    expect(await directionOf('#passkey-1')).toBe('ltr');
  });

  test('remembers across a reload what it asked the browser to hide or delete', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await revoke(page, 1);
    await press(page, '#passkey-1-signals > summary');
    await act(page, '#passkey-1-signalAllAcceptedCredentials');
    await reload(page);
    await page.locator('#show-passkeys').click();
    await page.locator('#show-revoked').check();
    await act(page, '#passkey-1-restore');
    await page.locator('#passkey-1:has-text("maybe hidden")').waitFor();
    // The virtual authenticator has deleted it.
    const { run, outcome } = await act(page, '#passkey-1-login');
    expect(outcome).toBe('browser-error');
    expect(await page.locator(`${run} .explanation`).innerText()).toContain('This page asked the browser to hide or delete such a passkey');
  });

  test('and forgets it when the passkey answers after all', async () => {
    const { page } = await open({
      initScript: 'PublicKeyCredential.signalAllAcceptedCredentials = async () => {};',
      begin: 'with a passkey',
    });
    await revoke(page, 1);
    await press(page, '#passkey-1-signals > summary');
    await act(page, '#passkey-1-signalAllAcceptedCredentials');
    await act(page, '#passkey-1-restore');
    await page.locator('#passkey-1:has-text("maybe hidden")').waitFor();
    expect((await act(page, '#passkey-1-verify')).outcome).toBe('verified');
    await page.locator('#passkey-1:not(:has-text("maybe hidden"))').waitFor();
    await page.reload();
    await reveal(page, '#passkey-1');
    expect(await page.locator('#passkey-1').innerText()).not.toContain('maybe hidden');
  });
});
