import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { pageTests, signIn, signOut } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('autofill and requests without a dialog', () => {
  const { open } = pageTests();

  test('logs in by autofill', async () => {
    const { page, authenticator, complaints } = await open({ begin: 'with a passkey' });
    await signOut(page);
    expect(authenticator).toBeDefined();
    const before = await page.locator('#subject article.ceremony').getAttribute('data-key');
    await page.locator('#autofill-switch').check();
    await page.locator('.stream li[data-verdict=verified]:has-text("Log in by autofill")').waitFor();
    const ended = page.locator('.autofill-end');
    expect(await ended.innerText()).toBe('Last: Logged in as ada.');
    // What the user looked at stays where it is, until it is asked for.
    expect(await page.locator('#subject article.ceremony').getAttribute('data-key')).toBe(before);
    await ended.click();
    await page.locator('#subject:has-text("mediation: conditional")').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#ceremony=[\w-]+&autofill=on$/);
    expect(complaints).toStrictEqual([]);
  });

  test('yields to a request with a dialog, and waits again afterwards', async () => {
    // Presence goes on when the conditional request has gone and before create() reaches the authenticator: switched on earlier or
    // later it would decide what happens by chance.
    const { page, authenticator } = await open({
      authenticator: { automaticPresenceSimulation: false },
      initScript: `const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = async (options) => { await simulatePresence(); return create(options); };`,
    });
    await page.exposeFunction('simulatePresence', async () => {
      await authenticator?.session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: authenticator.id, enabled: true });
    });
    await signIn(page);
    const state = (name: string) => page.locator(`#autofill-state[data-state=${name}]`).waitFor();
    await page.locator('#autofill-switch').check();
    await state('armed');
    await page.locator('#register-button').click();
    await page.locator('.stream li[data-verdict=verified]:has-text("Register a passkey")').waitFor();
    // The passkey is there now and presence is simulated: the conditional request, armed again, is answered at once.
    await page.locator('.stream li[data-verdict=verified]:has-text("Log in by autofill")').waitFor();
    await page.locator('#autofill-switch').uncheck();
    expect(await page.locator('.stream li[data-verdict=rejected], .stream li[data-verdict=browser-error]').count()).toBe(0);
    // The end of autofill does not bury what the user began.
    expect(await page.locator('#subject article.ceremony').innerText()).toContain('Register a passkey');
  });

  test('stops waiting when switched off', async () => {
    const { page } = await open({ fragment: 'autofill=on', authenticator: { automaticPresenceSimulation: false } });
    await page.locator('#autofill-state[data-state=armed]').waitFor();
    await page.locator('#autofill-switch').uncheck();
    await page.locator('#autofill-state[data-state=off]').waitFor({ state: 'attached' });
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.locator('#autofill').count()).toBe(0);
  });

  test('gets a fresh challenge before the old one expires', async () => {
    const { page } = await open({
      flags: ['--challenge-ttl', '2000', '--timeout', '1000'],
      fragment: 'autofill=on',
      authenticator: { automaticPresenceSimulation: false },
    });
    await page.locator('#autofill-state[data-state=armed]').waitFor();
    for (let renewals = 0; renewals < 2; renewals++) {
      await page.waitForResponse((response) => response.url().endsWith('/login/options'));
    }
    expect(await page.locator('.stream li:has-text("this tab")').count()).toBe(0);
  });

  test('an unanswered conditional create can be cancelled', async () => {
    // The browser decides by itself when it refuses; here it stands still until it is told.
    const { page } = await open({
      initScript: `navigator.credentials.create = ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));`,
    });
    await signIn(page);
    const button = page.locator('#conditional-create');
    await button.waitFor();
    await button.click();
    await page.locator('.stream li[data-verdict=waiting]').waitFor();
    expect(await page.locator('#register-button-blocked').textContent()).toContain('is still waiting');
    await page.locator('#cancel-button').click();
    await page.locator('.stream li[data-verdict=cancelled]:has-text("conditional create")').waitFor();
    expect(await page.locator('#register-button').getAttribute('aria-disabled')).toBe('false');
  });
});
