import type { BrowserContextOptions, Page } from '@playwright/test';
import type { CaseReport } from '../../simulate/report/report.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { BrowserOptions } from '../credentials/host.js';
import { checkFlows } from '../page/check.js';
import type { Flows } from '../page/flow.js';
import { type OptionNames, refuseUnknown } from '../refuse-unknown.js';
import { createPageDriver, type PageFlow } from './page-driver.js';

export interface CheckPageOptions {
  /** Options of the browser contexts that are opened; cookies and storage of the page's own context are taken over. */
  readonly context?: BrowserContextOptions;
  /** The authenticator of each page; default: a synced passkey provider, which counts no signatures. */
  readonly authenticator?: BrowserOptions;
  /** How many pages are open at the same time; default: 4. */
  readonly jobs?: number;
  /** IDs of the cases to run, e.g. `login.cancelled`; default: all. */
  readonly cases?: readonly string[];
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly now?: () => number;
}

const OPTIONS: OptionNames<CheckPageOptions> = { context: true, authenticator: true, jobs: true, cases: true, now: true };
const FLOWS: OptionNames<Flows<PageFlow>> = { register: true, login: true, remove: true, rename: true, password: true };

/**
 * Judges how a page uses passkeys: plays its flows in new contexts of the same browser, each in a world of its own (the user cancels, the server
 * fails, the browser lacks something), and looks at what the page calls and sends. The page itself is left alone; its address is where paths of
 * `goto` begin.
 *
 * @returns a report as that of `simulate`: `findings` are the page's mistakes, the most serious first.
 * @throws TypeError for options that are unknown, and for a page whose context has no browser to open others in.
 */
export async function checkPage(page: Page, flows: Flows<PageFlow>, options: CheckPageOptions = {}): Promise<CaseReport> {
  refuseUnknown('checkPage()', options, OPTIONS);
  refuseUnknown('the flows of checkPage()', flows, FLOWS);
  const browser = page.context().browser();
  if (browser === null) {
    throw new TypeError('Expected a page of a browser that can open other contexts; this one is of a persistent context.');
  }
  const { now = Date.now, authenticator = { persona: 'google-password-manager' }, ...others } = options;
  const base = parseUrl(page.url())?.protocol.startsWith('http') === true ? page.url() : undefined;
  const context = { storageState: await page.context().storageState(), ...options.context };
  return await checkFlows({
    driver: createPageDriver({ browser, context, authenticator, base }),
    flows,
    target: base ?? '',
    toolVersion: process.env['PASSKEY_BUILD_VERSION'] ?? '',
    now,
    ...(others.jobs !== undefined && { jobs: others.jobs }),
    ...(others.cases && { cases: others.cases }),
  });
}
