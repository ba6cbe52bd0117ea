import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { openFirefox, skipWithoutFirefox } from './firefox.js';
import { passkey, serve } from './passkey-process.js';

describe.skipIf(skipWithoutFirefox())('the test page in Firefox', () => {
  test('registers, logs in by a chosen and by a discoverable passkey', { timeout: 180_000 }, async () => {
    const cwd = await tempFolder();
    const { url } = await serve([], { cwd });
    const firefox = await openFirefox();
    await firefox.send('WebDriver:Navigate', { url });
    await firefox.until('return document.documentElement.dataset.ready === "true";');

    const act = async (button: string): Promise<unknown> => {
      const before = await firefox.read('document.querySelector("#status").dataset.run ?? null');
      await firefox.click(button);
      await firefox.until(
        `const { run, outcome } = document.querySelector("#status").dataset;
         return run !== undefined && run !== ${JSON.stringify(before)} && outcome !== "running";`,
      );
      return firefox.read('document.querySelector("#status").textContent');
    };
    await firefox.click('#switcher');
    await firefox.until('return document.querySelector("#sign-in-button") !== null;');
    expect(await act('#sign-in-button')).toBe('Signed in as test.');
    expect(await act('#register-button')).toBe('Registered “Passkey” as passkey 1.');
    await firefox.click('#show-passkeys');
    await firefox.until('return document.querySelector("#passkey-1-menu") !== null;');
    await firefox.click('#passkey-1-menu');
    await firefox.until('return document.querySelector("#passkey-1-login") !== null;');
    expect(await act('#passkey-1-login')).toBe('Logged in as test.');
    expect(await act('#login-button')).toBe('Logged in as test.');
    expect(await act('#verify-button')).toMatch(/^Verified: passkey 1 of User 1\./);
    expect(await firefox.read('document.querySelector("#notices").textContent')).toBe('');
    expect(await passkey(['revoke', '1', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(await act('#login-button')).toMatch(/^404 passkey_not_found: /);
  });
});
