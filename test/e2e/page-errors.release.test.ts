import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, press, show, signIn } from './page-harness.js';

const NOTHING_HAPPENS = { automaticPresenceSimulation: false };

describe.skipIf(skipWithoutBrowser())('errors of the browser, explained', () => {
  const { open } = pageTests();

  test('a second registration of the same authenticator is an InvalidStateError; one button each goes on', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    const { outcome, summary, run } = await act(page, '#register-button');
    expect([outcome, summary]).toStrictEqual([
      'browser-error',
      'InvalidStateError: This authenticator already has a passkey for this user.',
    ]);
    expect(await page.locator(`${run} .explanation`).innerText()).toContain('excludeCredentials');
    expect(await page.locator('.next-steps button').allInnerTexts()).toStrictEqual([
      'Register it without excludeCredentials',
      'Log in instead',
      'Register one with the software authenticator',
    ]);
    for (const step of ['#next-software', '#next-log-in']) expect((await act(page, step)).outcome).toBe('verified');
    await act(page, '#register-button');
    for (const step of ['#next-create', '#next-log-in']) expect((await act(page, step)).outcome).toBe('verified');
    await act(page, '#login-button');
    await page.locator('#next-compare').click();
    await page.locator('.comparison').waitFor();
  });

  test('a refused user verification is a NotAllowedError that names it', async () => {
    const { page } = await open({
      flags: ['--user-verification', 'required'],
      authenticator: { isUserVerified: false },
      begin: 'signed in',
    });
    const { outcome, summary, run } = await act(page, '#register-button');
    expect(['browser-error', 'cancelled']).toContain(outcome);
    expect(summary).toMatch(/^NotAllowedError: .*No passkey was created\.$/);
    expect(await page.locator(`${run} .explanation`).innerText()).toContain('User verification is required');
  });

  test('a timeout is told from a cancellation', async () => {
    const { page } = await open({ flags: ['--timeout', '1000'], authenticator: NOTHING_HAPPENS, begin: 'signed in' });
    const { outcome, summary, run } = await act(page, '#register-button');
    expect([outcome, summary]).toStrictEqual(['cancelled', 'NotAllowedError: You or the browser ended it. No passkey was created.']);
    expect(await page.locator(`${run} .verdict-word`).innerText()).toBe('Ended without an answer');
    expect(await page.locator(`${run} .explanation li`).first().innerText()).toMatch(/^It timed out: the options allow 1\.0 s/);
  });

  test('Cancel ends the request that waits, and is no error', async () => {
    const { page } = await open({ authenticator: NOTHING_HAPPENS, begin: 'signed in' });
    await page.locator('#register-button').click();
    const waiting = page.locator('#subject article.ceremony[data-verdict=waiting]');
    await waiting.locator('code:has-text("/api/passkeys/register/options")').waitFor();
    expect(await page.locator('#login-button').getAttribute('aria-disabled')).toBe('true');
    await page.locator('#cancel-button').click();
    const cancelled = page.locator('#subject article.ceremony[data-verdict=cancelled]');
    await cancelled.waitFor();
    expect(await cancelled.locator('.run-summary').innerText()).toBe('You cancelled it while it waited for the browser.');
    expect(await cancelled.locator('.explanation').count()).toBe(0);
    expect(await page.locator('#login-button').getAttribute('aria-disabled')).toBe('false');
  });

  test('credProtect that the browser refuses is not explained by algorithms', async () => {
    const registration = encodeURIComponent(JSON.stringify({ extensions: { credentialProtectionPolicy: 'userVerificationRequired' } }));
    const { page } = await open({ fragment: `registration=${registration}`, begin: 'signed in' });
    const { summary, run } = await act(page, '#register-button');
    expect(summary).toBe('NotSupportedError: The browser refuses the credential protection policy.');
    const explained = await page.locator(`${run} .explanation`).innerText();
    expect(explained).toContain('The browser says');
    expect(explained).toContain('needs userVerification "required"; it is "preferred"');
    expect(explained).not.toContain('algorithm');
  });

  test('no passkey for the site is a NotAllowedError', async () => {
    const { page } = await open({ begin: 'signed in' });
    const { summary, run } = await act(page, '#login-button');
    expect(summary).toBe('NotAllowedError: No passkey was used.');
    expect(await page.locator(`${run} .explanation`).innerText()).toContain('no discoverable passkey for localhost');
  });

  test('a foreign rp.id is a SecurityError that says so', async () => {
    const { page } = await open({ fragment: 'app_url=https%3A%2F%2Fpasskey.invalid', begin: 'signed in' });
    const { summary } = await act(page, '#register-button');
    expect(summary).toBe('SecurityError: rp.id does not match the page, and no file of related origins allows it.');
  });

  test('parameters that no authenticator can use are a NotSupportedError', async () => {
    const registration = encodeURIComponent(JSON.stringify({ pubKeyCredParams: [{ type: 'something-else', alg: -7 }] }));
    const { page } = await open({ fragment: `registration=${registration}`, begin: 'signed in' });
    const { summary, run } = await act(page, '#register-button');
    expect(summary).toBe('NotSupportedError: The authenticator supports no requested algorithm or type.');
    expect(await page.locator(`${run} .explanation`).innerText()).toContain('type other than "public-key"');
  });

  test('at an IP address there is a link to localhost', async () => {
    const { page, server } = await open({ host: '127.0.0.1', fragment: 'stay=on' });
    const link = page.locator('#notices a');
    expect(await link.getAttribute('href')).toBe(`${server.url}/`);
    await signIn(page);
    expect((await act(page, '#register-button')).summary).toBe('SecurityError: An IP address cannot have passkeys: 127.0.0.1.');
    await link.click();
    await page.waitForURL(`${server.url}/**`);
    await page.locator('html[data-ready=true]').waitFor();
    expect(await page.locator('#notices').innerText()).toBe('');
  });

  test('says so when the browser has no WebAuthn', async () => {
    const { page, complaints } = await open({ initScript: 'delete globalThis.PublicKeyCredential', authenticator: false });
    expect(await page.locator('#notices').innerText()).toContain('This browser has no WebAuthn');
    await signIn(page);
    expect(complaints).toStrictEqual([]);
  });

  test('works without parseCreationOptionsFromJSON() and toJSON()', async () => {
    const { page } = await open({
      initScript: `delete PublicKeyCredential.parseCreationOptionsFromJSON;
        delete PublicKeyCredential.parseRequestOptionsFromJSON;
        delete PublicKeyCredential.getClientCapabilities;
        delete PublicKeyCredential.signalAllAcceptedCredentials;
        delete PublicKeyCredential.prototype.toJSON;`,
    });
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    expect((await act(page, '#passkey-1-login')).outcome).toBe('verified');
    expect((await act(page, '#login-button')).outcome).toBe('verified');
    await press(page, '#passkey-1-signals > summary');
    const { outcome, key } = await act(page, '#passkey-1-signalAllAcceptedCredentials');
    expect(outcome).toBe('failed');
    await page.locator(`${await show(page, key)} .leg:has-text("signalAllAcceptedCredentials") .badge:text("not supported")`).waitFor();
  });

  test('shows the step at which the server refused', async () => {
    const { page } = await open({
      // A browser that lies about where it is.
      initScript: `const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = async (options) => {
          const credential = await get(options);
          const json = credential.toJSON();
          const data = JSON.parse(atob(json.response.clientDataJSON.replaceAll('-', '+').replaceAll('_', '/')));
          data.origin = 'https://evil.example';
          json.response.clientDataJSON = btoa(JSON.stringify(data)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
          Object.defineProperty(credential, 'toJSON', { value: () => json });
          return credential;
        };`,
    });
    await signIn(page);
    await act(page, '#register-button');
    const { outcome, summary, run } = await act(page, '#login-button');
    expect(outcome).toBe('rejected');
    expect(summary).toMatch(/^401 origin_mismatch: /);
    const step = await page.locator(`${run} .step`).innerText();
    expect(step).toContain('§7.2 step');
    expect(step).toContain('https://evil.example');
    await page.locator(`${run} .checklist .part`).first().waitFor();
    expect(await page.locator(`${run} .checklist .part`).allInnerTexts()).toStrictEqual([
      'Step 21 fails too: The signature does not verify',
    ]);
    // The bytes that the step looked at are marked, in the hex and in the tree.
    const line = page.locator(`${run} .field.failed`);
    expect(await line.innerText()).toContain('https://evil.example');
    await page.locator(`${run} .hex .run.failed`).first().waitFor();
    const marked = await page.locator(`${run} .hex .run.failed`).allInnerTexts();
    expect(bytesIn(marked)).toContain('"https://evil.example"');
    expect(await page.locator(`${run} .library`).innerText()).toMatch(/^The verification library refuses it too/);
  });

  test('says so when the server has stopped', async () => {
    const { page, server } = await open({ begin: 'signed in' });
    await server.stop();
    const { outcome, summary, run } = await act(page, '#login-button');
    expect(outcome).toBe('unanswered');
    expect(summary).toContain('Is `passkey serve` still running?');
    expect(await page.locator(`${run} .verdict-word`).innerText()).toBe('No answer from the server');
    expect(await page.locator(run).innerText()).not.toMatch(/refused/i);
  });
});

/** The text that a hex dump stands for. */
function bytesIn(runs: readonly string[]): string {
  const digits = runs.flatMap((run) => run.match(/\b[0-9a-f]{2}\b(?![^\n]*:)/g) ?? []);
  return Buffer.from(digits.join(''), 'hex').toString();
}
