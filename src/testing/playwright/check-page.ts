import type { BrowserContextOptions, Page } from '@playwright/test';
import type { CaseReport } from '../../simulate/report/report.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { BrowserOptions } from '../credentials/host.js';
import { choosePageCases } from '../page/cases.js';
import { checkFlows } from '../page/check.js';
import type { Flows } from '../page/flow.js';
import { type OptionNames, refuseUnknown } from '../refuse-unknown.js';
import { createPageDriver, type PageFlow } from './page-driver.js';

export interface CheckPageOptions {
  /** Options of the browser contexts that the check opens. Each starts with the cookies and storage of the page's own context. */
  readonly context?: BrowserContextOptions;
  /** Options of each page's authenticator. Default: a synced passkey provider, which does not count signatures. */
  readonly authenticator?: BrowserOptions;
  /** Number of pages that are open at the same time; default: 4. */
  readonly jobs?: number;
  /** IDs of the cases to run, in which `*` matches any text, e.g. `login.cancelled` or `*.verification-*`; default: all. */
  readonly cases?: readonly string[];
  /** Returns the time in milliseconds since the epoch; default: the system clock. */
  readonly now?: () => number;
}

const OPTIONS: OptionNames<CheckPageOptions> = { context: true, authenticator: true, jobs: true, cases: true, now: true };
const FLOWS: OptionNames<Flows<PageFlow>> = { register: true, login: true, remove: true, rename: true, password: true };

/**
 * Judges how a page uses passkeys. Plays its flows in new contexts of the same browser, each under different conditions (the user cancels,
 * the server fails, the browser lacks a feature), and observes what the page calls and sends. Does not touch the given page itself. In a
 * flow, the paths of `goto` are relative to the address of the given page.
 *
 * @returns a report like that of `simulate`: `findings` are the page's mistakes, the most serious first.
 * @throws TypeError for unknown options, and for a page whose context has no browser that could open other contexts.
 * @throws PasskeyError `usage` for a case that does not exist.
 */
export async function checkPage(page: Page, flows: Flows<PageFlow>, options: CheckPageOptions = {}): Promise<CaseReport> {
  refuseUnknown('checkPage()', options, OPTIONS);
  refuseUnknown('the flows of checkPage()', flows, FLOWS);
  const browser = page.context().browser();
  if (browser === null) {
    throw new TypeError('Expected a page of a browser that can open other contexts; this page belongs to a persistent context.');
  }
  const { now = Date.now, authenticator = { persona: 'google-password-manager' }, ...others } = options;
  const cases = choosePageCases(others.cases);
  const base = parseUrl(page.url())?.protocol.startsWith('http') === true ? page.url() : undefined;
  const context = { storageState: await page.context().storageState(), ...options.context };
  return await checkFlows({
    driver: createPageDriver({ browser, context, authenticator, base }),
    flows,
    target: base ?? '',
    toolVersion: process.env['PASSKEY_BUILD_VERSION'] ?? '',
    now,
    ...(others.jobs !== undefined && { jobs: others.jobs }),
    cases,
  });
}
