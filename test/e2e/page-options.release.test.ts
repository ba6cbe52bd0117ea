import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFixture } from '../../src/fixture/read.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../../src/webauthn/limits.js';
import { newPasskey, START } from '../contract/samples.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('the options panel', () => {
  const { open } = pageTests();

  test('form, JSON and address agree; set members are sent, all others stay', async () => {
    const { page } = await open();
    await page.locator('#options-panel > summary').click();
    await page.locator('#option-registration-attestation').selectOption('direct');
    await page.locator('#option-registration-authenticatorSelection\\.userVerification').selectOption('required');
    await page.getByRole('group', { name: 'hints' }).first().getByLabel('security-key').check();
    const json = page.locator('#options-registration-json');
    expect(JSON.parse(await json.inputValue())).toStrictEqual({
      attestation: 'direct',
      authenticatorSelection: { userVerification: 'required' },
      hints: ['security-key'],
    });
    expect(decodeURIComponent(page.url())).toContain('"attestation":"direct"');
    expect(await page.locator('#options-summary').innerText()).toBe('3 changed');

    await json.fill('{ "attestation": ');
    expect(await json.getAttribute('aria-invalid')).toBe('true');
    await json.fill('{ "attestation": "indirect", "timeout": 30000 }');
    expect(await page.locator('#option-registration-attestation').inputValue()).toBe('indirect');
    expect(await page.locator('#option-registration-timeout').inputValue()).toBe('30000');

    await json.fill('{ "authenticatorSelection": { "userVerification": "required" } }');
    await signIn(page);
    const { run } = await act(page, '#register-button');
    const sent = await page.locator(`${run} details[data-key$="-options"] pre`).textContent();
    expect(JSON.parse(sent ?? '')).toMatchObject({ authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' } });
    expect(await page.locator(run).textContent()).toContain('POST /dev/register/options');

    await page.reload();
    expect(JSON.parse(await json.inputValue())).toStrictEqual({ authenticatorSelection: { userVerification: 'required' } });
    await page.locator('#options-reset').click();
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.locator('#options-summary').innerText()).toBe('as given');
  });

  test('attestation direct: certificates are decoded', async () => {
    const registration = encodeURIComponent(JSON.stringify({ attestation: 'direct' }));
    const { page } = await open({ fragment: `registration=${registration}`, authenticator: { transport: 'usb' } });
    await signIn(page);
    const { outcome, run } = await act(page, '#register-button');
    expect(outcome).toBe('verified');
    await page.locator(`${run} .field:has-text("x5c[0]")`).first().waitFor();
    const text = await page.locator(`${run} .decoded`).innerText();
    expect(text).toContain('packed');
    expect(text).toMatch(/subject \d+\+\d+ C=US, O=Chromium/);
  });

  test('extensions: sends credProps, prf, largeBlob and credProtect and shows their results', async () => {
    const registration = {
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
      authenticator: { ctap2Version: 'ctap2_1', hasPrf: true, hasLargeBlob: true, hasMinPinLength: true },
    });
    await signIn(page);
    const registered = await act(page, '#register-button');
    expect(registered.outcome).toBe('verified');
    await page.locator(`${registered.run} .decoded .field`).first().waitFor();
    const made = await page.locator(`${registered.run} .decoded`).innerText();
    expect(made).toMatch(/credProps\s+rk true/);
    expect(made).toMatch(/prf\s+enabled true/);
    expect(made).toMatch(/largeBlob\s+supported true/);
    expect(made).toMatch(/extensions \d+\+15 map of 1\s+minPinLength \d+\+1 4/);
    expect(await page.locator(registered.run).textContent()).toContain('"credentialProtectionPolicy": "userVerificationRequired"');
    const loggedIn = await act(page, '#passkey-1-login');
    expect(loggedIn.outcome).toBe('verified');
    await page.locator(`${loggedIn.run} .decoded .field`).first().waitFor();
    const used = await page.locator(`${loggedIn.run} .decoded`).innerText();
    expect(used).toMatch(/written true/);
    expect(used).toMatch(/first \S{43}/);
  });

  test('an empty exclude list lets the same authenticator register again; a custom allow list selects', async () => {
    const { page } = await open();
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#options-panel > summary').click();
    await page.locator('#option-registration-excludeCredentials').selectOption('own');
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await page.locator('#option-authentication-allowCredentials').selectOption('own');
    await page.locator('#option-authentication-allowCredentials-2').check();
    const { outcome, run } = await act(page, '#verify-button');
    expect(outcome).toBe('verified');
    const sent = await page.locator(`${run} details[data-key$="-options"] pre`).textContent();
    expect(JSON.parse(sent ?? '').allowCredentials).toHaveLength(1);
  });

  test('lets a user of 70 passkeys register another, though browsers refuse more than 64 in a list', async () => {
    const { cwd, page } = await open();
    await signIn(page);
    const store = await openJsonFileStore(join(cwd, '.passkey/passkeys.json'));
    onTestFinished(() => store.close());
    const [owner] = await store.listOwners();
    if (owner === undefined) throw new Error('Signing in has made no user.');
    for (let age = 70; age > 0; age -= 1) await store.insertPasskey(newPasskey({ owner, rpId: 'localhost', createdAt: START - age }));

    const listOf = async (run: string): Promise<{ readonly id: string }[]> =>
      JSON.parse((await page.locator(`${run} details[data-key$="-options"] pre`).textContent()) ?? '').excludeCredentials;
    const { outcome, run } = await act(page, '#register-button');
    expect(outcome).toBe('verified');
    const newest = (await store.listPasskeys()).slice(6, 70).toReversed();
    expect((await listOf(run)).map(({ id }) => id)).toEqual(newest.map(({ credential }) => encodeBase64url(credential.id)));

    // The limit is the browser's: a list of one more is refused.
    const excludeCredentials = (await store.listPasskeys()).slice(0, MAX_CREDENTIAL_DESCRIPTORS + 1).map(({ credential }) => ({
      type: 'public-key',
      id: encodeBase64url(credential.id),
    }));
    await page.locator('#options-panel > summary').click();
    await page.locator('#options-registration-json').fill(JSON.stringify({ excludeCredentials }));
    const refused = await act(page, '#register-button');
    expect(refused.outcome).toBe('browser-error');
    expect(await page.locator(refused.run).innerText()).toContain('RangeError');
  });

  test('copies a run as JSON, as curl and as a readable fixture', async () => {
    const { cwd, page } = await open();
    await signIn(page);
    const { run } = await act(page, '#register-button');
    const copy = async (what: string) => {
      await page.locator(`${run} [data-export=${what}]`).click();
      await page.getByText(/^Copied as /).waitFor();
      const text: string = await page.evaluate('navigator.clipboard.readText()');
      await page.evaluate("document.getElementById('status').textContent = ''");
      return text;
    };
    const json = JSON.parse(await copy('json'));
    expect(json).toMatchObject({ outcome: 'verified', legs: [{ kind: 'http' }, { kind: 'browser' }, { kind: 'http', status: 200 }] });
    const curl = await copy('curl');
    expect(curl).toContain('"Authorization: Bearer $PASSKEY_TOKEN"');
    const file = join(cwd, 'fixture.json');
    await writeFile(file, await copy('fixture'));
    expect(await readFixture(file)).toMatchObject({ kind: 'registration', rpId: 'localhost', expected: { outcome: 'verified' } });
    const downloading = page.waitForEvent('download');
    await page.locator(`${run} [data-export=download-fixture]`).click();
    expect((await downloading).suggestedFilename()).toMatch(/registration\.json$/);
  });
});
