/**
 * The entry point `passkey-cli/testing/playwright`: our software authenticator behind the pages of a real browser. No other module of the
 * package imports it.
 */
import type { Fixtures, PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions } from '@playwright/test';
import type { BrowserOptions } from '../credentials/host.js';
import { type CheckPageOptions, checkPage } from './check-page.js';
import type { PageFlow } from './page-driver.js';
import { addSoftwareAuthenticator, type PageAuthenticator } from './software-authenticator.js';

export { addSoftwareAuthenticator, type CheckPageOptions, checkPage, type PageAuthenticator, type PageFlow };

export interface PasskeyFixtureOptions {
  /** Options of each test's authenticator: `test.use({ softwareAuthenticatorOptions: { persona: 'yubikey-5' } })`. */
  readonly softwareAuthenticatorOptions: BrowserOptions;
}

export interface PasskeyFixtures {
  /** The authenticator behind all pages of the test's context. Each test gets a new, empty one. */
  readonly softwareAuthenticator: PageAuthenticator;
}

/**
 * Fixtures for Playwright Test: `base.extend(passkeyFixtures)`. Every test gets the authenticator, even if it does not name the fixture.
 */
export const passkeyFixtures: Fixtures<
  PasskeyFixtures & PasskeyFixtureOptions,
  object,
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = {
  softwareAuthenticatorOptions: [{}, { option: true }],
  softwareAuthenticator: [
    async ({ context, softwareAuthenticatorOptions }, use) => {
      // The context goes with the test, and takes it along.
      await use(await addSoftwareAuthenticator(context, softwareAuthenticatorOptions));
    },
    { auto: true },
  ],
};
