import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { ALGORITHMS } from '../../src/webauthn/algorithms.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../../src/webauthn/limits.js';
import { newPasskey, START } from '../contract/samples.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, reload, signIn, storedCredentialIds, WIDE } from './page-harness.js';

const REGISTRATION_JSON = '#options-registration-json';

async function openOptions(page: Page): Promise<void> {
  await page.keyboard.press('o');
  await page.locator('#options [role=tabpanel]').waitFor();
}

/** Presses a button, and returns the options that the server sent for it besides. */
async function actAndHear(page: Page, button: string) {
  const answered = page.waitForResponse((response) => response.url().endsWith('/options'));
  const acted = await act(page, button);
  return { ...acted, sent: await (await answered).json() };
}

describe.skipIf(skipWithoutBrowser())('the options', () => {
  const { open } = pageTests();

  test('settings, JSON and address agree; what was changed is sent, all else stays the server’s own', async () => {
    const { page } = await open();
    await openOptions(page);
    const json = page.locator(REGISTRATION_JSON);
    expect(JSON.parse(await json.inputValue())).toMatchObject({ attestation: 'none', timeout: 60_000 });
    await page.locator('#option-registration-attestation').selectOption('direct');
    await page.locator('#option-registration-authenticatorSelection\\.userVerification').selectOption('required');
    await page.getByRole('group', { name: 'hints' }).getByLabel('security-key').check();
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      attestation: 'direct',
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      hints: ['security-key'],
    });
    const registration = { attestation: 'direct', authenticatorSelection: { userVerification: 'required' }, hints: ['security-key'] };
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('registration')).toBe(JSON.stringify(registration));
    expect(await page.locator('#open-options').innerText()).toMatch(/^Options\s*3/);
    expect((await page.locator('.json-editor .changed').allTextContents()).map((line) => line.trim())).toEqual([
      '"userVerification": "required"',
      '"hints": ["security-key"],',
      '"attestation": "direct"',
    ]);

    await json.fill('{ "attestation": "indirect", "timeout": 30000 }');
    expect(await page.locator('#option-registration-attestation').inputValue()).toBe('indirect');
    expect(await page.locator('#options-registration-summary').innerText()).toBe('2 changed: timeout, attestation');

    await json.fill('{ "authenticatorSelection": { "userVerification": "required", "residentKey": "preferred" } }');
    await signIn(page);
    const { sent } = await actAndHear(page, '#register-button');
    expect(sent).toMatchObject({ authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' }, attestation: 'none' });

    await reload(page);
    await openOptions(page);
    expect(await page.locator('#options-registration-summary').innerText()).toBe('1 changed: authenticatorSelection.userVerification');
    await page.getByRole('button', { name: 'Reset userVerification' }).click();
    expect(await page.locator('#options-registration-summary').innerText()).toBe('As the server sends them.');
    await focusOn(page, 'option-registration-authenticatorSelection.userVerification');
    await json.fill('{ "attestation": "direct" }');
    await page.locator('#options-reset').click();
    expect(new URL(page.url()).hash).toMatch(/^#ceremony=[\w-]+$/);
  });

  test('a login for which the tab is not open has its own options, and a preset sets both', async () => {
    const { page } = await open();
    await openOptions(page);
    await page.locator('#options-registration-tab').press('ArrowRight');
    await page.locator('#option-authentication-userVerification').selectOption('required');
    await page.getByLabel('Preset').selectOption('Second factor');
    expect(await page.locator('#option-authentication-userVerification').inputValue()).toBe('discouraged');
    expect(JSON.parse(await page.locator('#options-authentication-json').inputValue())).toMatchObject({ userVerification: 'discouraged' });
    await page.locator('#options-authentication-tab').press('ArrowLeft');
    expect(await page.locator('#option-registration-authenticatorSelection\\.residentKey').inputValue()).toBe('discouraged');
    await signIn(page);
    const { sent } = await actAndHear(page, '#register-button');
    expect(sent.authenticatorSelection).toEqual({ residentKey: 'discouraged', userVerification: 'discouraged' });
  });

  test('extensions: sends credProps, prf, largeBlob and credProtect and shows their results', async () => {
    const registration = {
      attestation: 'direct',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      extensions: {
        credProps: true,
        prf: { eval: { first: 'c2FsdA' } },
        largeBlob: { support: 'preferred' },
        credentialProtectionPolicy: 'userVerificationRequired',
        minPinLength: true,
      },
    };
    const authentication = {
      userVerification: 'required',
      extensions: { prf: { eval: { first: 'c2FsdA' } }, largeBlob: { write: 'YmxvYg' } },
    };
    const fragment = new URLSearchParams({
      registration: JSON.stringify(registration),
      authentication: JSON.stringify(authentication),
    }).toString();
    const { page } = await open({
      fragment,
      authenticator: { ctap2Version: 'ctap2_1', hasPrf: true, hasLargeBlob: true, hasMinPinLength: true, transport: 'usb' },
    });
    await signIn(page);
    const registered = await act(page, '#register-button');
    expect(registered.outcome).toBe('verified');
    const bytes = (run: string) => page.locator(`${run} .bytes`);
    const made = await bytes(registered.run).innerText();
    expect(made).toMatch(/credProps\s+rk true/);
    expect(made).toMatch(/prf\s+enabled true/);
    expect(made).toMatch(/supported true/);
    expect(made).toMatch(/minPinLength 4/);
    expect(made).toMatch(/x5c\[0\] C=US, O=Chromium/);
    const loggedIn = await act(page, '#passkey-1-login');
    expect(loggedIn.outcome).toBe('verified');
    const used = await bytes(loggedIn.run).innerText();
    expect(used).toMatch(/written true/);
    expect(used).toMatch(/first "\S{43}"/);
  });

  test('an empty exclude list lets the same authenticator register again; a custom allow list selects', async () => {
    const { cwd, page } = await open({ context: WIDE, begin: 'with a passkey' });
    await openOptions(page);
    await page.locator(REGISTRATION_JSON).fill('{ "excludeCredentials": [] }');
    const made = await actAndHear(page, '#register-button');
    expect([made.outcome, made.sent.excludeCredentials]).toEqual(['verified', []]);
    const [, id] = await storedCredentialIds(cwd);
    await page.locator('#options-authentication-tab').click();
    const allowed = [{ type: 'public-key', id }];
    await page.locator('#options-authentication-json').fill(JSON.stringify({ allowCredentials: allowed }));
    const { outcome, sent } = await actAndHear(page, '#verify-button');
    expect(outcome).toBe('verified');
    expect(sent.allowCredentials).toEqual(allowed);
  });

  test('lets a user of 70 passkeys register another, though browsers refuse more than 64 in a list', async () => {
    const { cwd, page } = await open({ context: WIDE, begin: 'signed in' });
    const store = await openJsonFileStore(join(cwd, '.passkey/passkeys.jsonl'));
    onTestFinished(() => store.close());
    const [owner] = await store.listOwners();
    if (owner === undefined) throw new Error('Signing in has made no user.');
    for (let age = 70; age > 0; age -= 1) await store.insertPasskey(newPasskey({ owner, rpId: 'localhost', createdAt: START - age }));

    const { outcome, sent } = await actAndHear(page, '#register-button');
    expect(outcome).toBe('verified');
    const newest = (await store.listPasskeys()).slice(6, 70).toReversed();
    const listed: readonly { readonly id: string }[] = sent.excludeCredentials;
    expect(listed.map(({ id }) => id)).toEqual(newest.map(({ credential }) => encodeBase64url(credential.id)));

    await openOptions(page);
    // The limit is the browser's: a list of one more is refused.
    const excludeCredentials = (await store.listPasskeys()).slice(0, MAX_CREDENTIAL_DESCRIPTORS + 1).map(({ credential }) => ({
      type: 'public-key',
      id: encodeBase64url(credential.id),
    }));
    await page.locator(REGISTRATION_JSON).fill(JSON.stringify({ excludeCredentials }));
    const refused = await act(page, '#register-button');
    expect(refused.outcome).toBe('browser-error');
    expect(refused.summary).toContain('RangeError');
  });

  test('a list of algorithms has what the server can verify, in the order in which they were checked', async () => {
    const { page } = await open({ context: WIDE, begin: 'signed in' });
    await openOptions(page);
    const algorithms = page.getByRole('group', { name: 'pubKeyCredParams' });
    expect(await algorithms.getByRole('checkbox').count()).toBe(ALGORITHMS.length);
    await algorithms.getByLabel('ES256 (-7)').uncheck();
    await algorithms.getByLabel('ES256 (-7)').check();
    const { sent } = await actAndHear(page, '#register-button');
    expect(sent.pubKeyCredParams.map(({ alg }: { readonly alg: number }) => alg)).toEqual([-257, -7]);
    await page.getByRole('button', { name: 'Reset pubKeyCredParams' }).click();
    await focusOn(page, 'option-registration-pubKeyCredParams-0');
  });
});
