import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn, storedCredentialIds, WIDE } from './page-harness.js';

const NOTHING_HAPPENS = { automaticPresenceSimulation: false };

describe.skipIf(skipWithoutBrowser())('the setup in the address and its effects', () => {
  const { open } = pageTests();

  test('new options replace the waiting autofill request', async () => {
    const { page } = await open({ fragment: 'autofill=on', authenticator: NOTHING_HAPPENS });
    await page.locator('#autofill-state[data-state=armed]').waitFor();
    await page.locator('#open-options').click();
    await page.locator('#options-authentication-tab').click();
    const asked = page.waitForRequest((request) => request.url().endsWith('/dev/login/options'));
    await page.locator('#options-authentication-json').fill('{ "userVerification": "required" }');
    expect((await asked).postDataJSON()).toStrictEqual({ options: { userVerification: 'required' } });
    await page.locator('#autofill-state[data-state=armed]').waitFor();
    expect(await page.locator('.stream li:has-text("this tab")').count()).toBe(0);
  });

  test('a link opened in the page itself takes effect, including autofill', async () => {
    const { page } = await open({ authenticator: NOTHING_HAPPENS });
    await page.evaluate(`location.hash = 'autofill=on&app_name=Shop'`);
    await page.locator('#autofill-state[data-state=armed]').waitFor();
    await page.keyboard.press('o');
    expect(await page.locator('#option-app_name').inputValue()).toBe('Shop');
    await page.evaluate(`location.hash = 'app_name=Shop'`);
    await page.locator('#autofill-state[data-state=off]').waitFor({ state: 'attached' });
    await page.evaluate(`location.hash = 'registration={'`);
    await page.locator('#status:has-text("The address has registration options that cannot be read")').waitFor();
    expect(await page.locator('#option-app_name').inputValue()).toBe('Shop');
    expect(await page.evaluate('location.hash')).toBe('#registration={');
  });

  test('a fragment that cannot be read stays in the address until something is set', async () => {
    const { page, url } = await open({ fragment: 'registration={"attestation":', authenticator: false });
    expect(await page.locator('#status').innerText()).toMatch(/^The address has registration options that cannot be read/);
    expect(decodeURIComponent(await page.evaluate('location.hash'))).toBe('#registration={"attestation":');
    await page.keyboard.press('o');
    await page.locator('#option-app_name').fill('Shop');
    await page.waitForURL(`${url}/#app_name=Shop`);
  });

  test('options of a link that cannot be asked for block the buttons, with the reason, until they are gone', async () => {
    const registration = JSON.stringify({ extensions: { appid: 'https://localhost' }, attestation: 'direct' });
    const authentication = JSON.stringify({ hints: 'hybrid' });
    const fragment = new URLSearchParams({ registration, authentication }).toString();
    const { page } = await open({ context: WIDE, fragment, authenticator: false });
    const create = page.locator('#create-test-passkey');
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    expect(await page.locator('#create-blocked').innerText()).toBe(
      'The options to register cannot be used. The extension appid is for authentication only. Take it out.',
    );
    // A press shows where, and asks the server for nothing.
    await create.press('Enter');
    await page.locator('#options-heading').waitFor();
    expect(await page.locator('#options-registration-json').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#options-registration-json-problem').innerText()).toContain('appid is for authentication only');
    expect(await page.locator('#switcher').innerText()).toBe('Sign in');
    await signIn(page);
    expect(await page.locator('#login-button').getAttribute('title')).toBe('The options to log in cannot be used. hints must be a list.');
    await page.locator('#options-registration-json').fill('{ "attestation": "direct" }');
    expect(await create.getAttribute('aria-disabled')).toBe('false');
    expect(await page.locator('#register-button').getAttribute('aria-disabled')).toBe('false');
    await page.locator('#options-authentication-tab').click();
    await page.locator('#options-authentication-json').fill('');
    expect(await page.locator('#login-button').getAttribute('aria-disabled')).toBe('false');
    // What was typed is still there when the drawer is opened again, and the button leads there.
    await page.locator('#options-registration-tab').click();
    await page.locator('#options-registration-json').fill('{ "attestation": ');
    await page.getByRole('button', { name: 'Close Options' }).click();
    await page.locator('#register-button').press('Enter');
    expect(await page.locator('#options-registration-json').inputValue()).toBe('{ "attestation": ');
  });

  test('a prf input for one passkey is sent with it, and explained if misplaced', async () => {
    const { cwd, page } = await open({ context: WIDE, authenticator: { ctap2Version: 'ctap2_1', hasPrf: true }, begin: 'signed in' });
    await page.locator('#open-options').click();
    await page.locator('#options-registration-json').fill('{ "extensions": { "prf": {} }, "excludeCredentials": [] }');
    await act(page, '#register-button');
    await act(page, '#register-button');
    await page.locator('#options-authentication-tab').click();
    const [, id = ''] = await storedCredentialIds(cwd);
    const extensions = { prf: { evalByCredential: { [id]: { first: 'c2FsdA' } } } };
    await page.locator('#options-authentication-json').fill(JSON.stringify({ extensions }));
    // The second registration replaced the first in the authenticator.
    const { run, outcome } = await act(page, '#passkey-2-login');
    expect(outcome).toBe('verified');
    expect(await page.locator(`${run} .bytes`).innerText()).toMatch(/first "\S{43}" 32 bytes: a secret of this passkey and this input/);
    const misplaced = await act(page, '#passkey-1-login');
    expect(misplaced.summary).toBe('SyntaxError: An extension is used in a way that cannot work.');
    expect(await page.locator(`${misplaced.run}`).innerText()).toContain('every key must be the base64url of an ID in allowCredentials');
    const unlisted = await act(page, '#login-button');
    expect(await page.locator(`${unlisted.run}`).innerText()).toContain('prf.evalByCredential needs allowCredentials');
  });

  test('largeBlob: a written text can be read; read and write at once are explained', async () => {
    const registration = { authenticatorSelection: { residentKey: 'required' }, extensions: { largeBlob: { support: 'required' } } };
    const { page } = await open({
      context: WIDE,
      fragment: new URLSearchParams({ registration: JSON.stringify(registration) }).toString(),
      authenticator: { ctap2Version: 'ctap2_1', hasLargeBlob: true },
    });
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#open-options').click();
    await page.locator('#options-authentication-tab').click();
    const blob = async (largeBlob: object) => {
      await page.locator('#options-authentication-json').fill(JSON.stringify({ extensions: { largeBlob } }));
    };
    const write = encodeBase64url(encodeUtf8('Grüße'));
    await blob({ write });
    await act(page, '#passkey-1-login');
    await blob({ write, read: true });
    const { summary } = await act(page, '#passkey-1-login');
    expect(summary).toBe('NotSupportedError: An extension is used in a way that cannot work.');
    await blob({ read: true });
    const { run } = await act(page, '#passkey-1-login');
    expect(await page.locator(`${run} .bytes`).innerText()).toContain('7 bytes: "Grüße"');
  });

  test('remarks on names without effect', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('o');
    const json = page.locator('#options-registration-json');
    await json.fill('{ "challenge": "AA", "madeUp": 1 }');
    expect(await page.locator('#options-registration-json-remarks').innerText()).toBe(
      'challenge comes from the server; the value here is not used. madeUp is not a member of these options; browsers ignore it. pubKeyCredParams, timeout, authenticatorSelection, attestation: sent by the server even if left out here.',
    );
    expect(await json.getAttribute('aria-invalid')).toBe('false');
    await json.fill('{ "extensions": { "credProtect": 2 } }');
    expect(await page.locator('#options-registration-json-problem').innerText()).toBe(
      'This server knows no extension “credProtect”; browsers call it credentialProtectionPolicy. Take it out of extensions.',
    );
    expect(await json.getAttribute('aria-invalid')).toBe('true');
  });
});
