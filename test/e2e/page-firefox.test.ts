import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { openFirefox, skipWithoutFirefox } from './firefox.js';
import { passkey, serve } from './passkey-process.js';

describe.skipIf(skipWithoutFirefox())('the test page in Firefox', () => {
  test('registers, logs in by a chosen and by a discoverable passkey', async () => {
    const cwd = await tempFolder();
    const { url } = await serve([], { cwd });
    const firefox = await openFirefox();
    await firefox.send('WebDriver:Navigate', { url });
    await firefox.until('return document.documentElement.dataset.ready === "true" && document.querySelector("#email") !== null;');

    const act = async (button: string): Promise<unknown> => {
      const before = await firefox.read('document.querySelector("#runs > .run")?.dataset.run ?? null');
      await firefox.click(button);
      await firefox.until(
        `const run = document.querySelector("#runs > .run");
         return run !== null && run.dataset.run !== ${JSON.stringify(before)} && run.dataset.outcome !== "running";`,
      );
      return firefox.read('document.querySelector("#runs > .run .run-summary").textContent');
    };
    expect(await act('#sign-in-button')).toBe('Signed in as test.');
    expect(await act('#register-button')).toBe('Registered “Passkey” as passkey 1.');
    expect(await act('#passkey-1-login')).toBe('Logged in as test.');
    expect(await act('#login-button')).toBe('Logged in as test.');
    expect(await act('#verify-button')).toMatch(/^Verified: passkey 1 of User 1\./);
    expect(await firefox.read('document.querySelector("#notices").textContent')).toBe('');
    expect(await passkey(['revoke', '1', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(await act('#login-button')).toMatch(/^404 passkey_not_found: /);
  });
});
