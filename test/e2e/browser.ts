import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Browser, type CDPSession, chromium, type LaunchOptions, type Page } from 'playwright-core';

/**
 * Features that our tests do not need. The first two give every window two more renderers for the popups of its address bar, two fifths
 * of the time of a short test. Chromium uses only the last list on its command line, so the rest repeats what Playwright turns off.
 */
const UNUSED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
];

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${UNUSED_FEATURES.join(',')}`,
];

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** The Chromium of this machine: PASSKEY_CHROMIUM, else the first of the usual places. */
export const chromiumPath: string | undefined = [process.env.PASSKEY_CHROMIUM, ...USUAL_PLACES].find((path) => path && existsSync(path));

/** Whether to skip browser tests: there is no browser, and this is not CI, where a missing browser is a failure. Prints that it skips. */
export function skipWithoutBrowser(): boolean {
  const missing = chromiumPath === undefined && !process.env.CI;
  if (missing) {
    process.stderr.write('SKIPPED: browser tests. Found no Chromium. Install one, or set PASSKEY_CHROMIUM to its path.\n');
  }
  return missing;
}

let shared: Promise<Browser> | undefined;

/**
 * One for all files that a worker runs: to start one takes longer than most tests. It ends with the worker, and with the run: a browser that
 * is still there would keep a worker alive whose run was killed.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser().then((browser) => {
    process.once('disconnect', () => void browser.close());
    return browser;
  });
  return shared;
}

export async function launchBrowser({ args = [], ...options }: LaunchOptions = {}): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error('Expected a Chromium for the browser tests, found none. Install one, or set PASSKEY_CHROMIUM to its path.');
  }
  // Keeps crash reports and caches out of the user's home.
  const env = { ...process.env, XDG_CONFIG_HOME: tmpdir(), XDG_CACHE_HOME: tmpdir() };
  return await chromium.launch({ executablePath: chromiumPath, args: [...FLAGS, ...args], env, ...options });
}

/** The options of DevTools' virtual authenticator that we use (WebAuthn domain of the DevTools protocol). */
export interface VirtualAuthenticatorTraits {
  readonly protocol?: 'ctap2' | 'u2f';
  /** `prf` and `largeBlob` need `ctap2_1`. */
  readonly ctap2Version?: 'ctap2_0' | 'ctap2_1';
  readonly transport?: 'internal' | 'usb' | 'nfc' | 'ble';
  readonly hasResidentKey?: boolean;
  readonly hasUserVerification?: boolean;
  readonly isUserVerified?: boolean;
  readonly automaticPresenceSimulation?: boolean;
  readonly defaultBackupEligibility?: boolean;
  readonly defaultBackupState?: boolean;
  readonly hasLargeBlob?: boolean;
  readonly hasPrf?: boolean;
  readonly hasCredBlob?: boolean;
  readonly hasMinPinLength?: boolean;
}

export interface VirtualAuthenticator {
  readonly session: CDPSession;
  readonly id: string;
}

/** Adds an authenticator to a page. Authenticators belong to one page. */
export async function addAuthenticator(page: Page, traits: VirtualAuthenticatorTraits = {}): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...traits,
    },
  });
  return { session, id };
}
