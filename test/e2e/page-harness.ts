import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { addAuthenticator, sharedBrowser, type VirtualAuthenticatorTraits } from './browser.js';
import { serveHere } from './passkey-in-process.js';
import { serve } from './passkey-process.js';

export interface OpenOptions {
  /** Flags of `passkey serve`. */
  readonly flags?: readonly string[];
  /** `true` runs bin/passkey.js in its own process, as a user does; otherwise the same build runs in this process. */
  readonly ownProcess?: boolean;
  /** `false`: no authenticator at all. */
  readonly authenticator?: VirtualAuthenticatorTraits | false;
  readonly context?: BrowserContextOptions;
  /** Fragment of the address: a shared setup. */
  readonly fragment?: string;
  /** Runs in the page before its own script. */
  readonly initScript?: string;
  /** Host name in the address in place of `localhost`. */
  readonly host?: string;
}

/** Each test gets its own server, folder and context. */
export function pageTests() {
  return {
    async open(options: OpenOptions = {}) {
      const cwd = await tempFolder();
      const server = await (options.ownProcess ? serve : serveHere)(options.flags ?? [], { cwd });
      const url = server.url.replace('localhost', options.host ?? 'localhost');
      const browser = await sharedBrowser();
      const context = await browser.newContext({ ...options.context, permissions: ['clipboard-read', 'clipboard-write'] });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const complaints = collectComplaints(page);
      if (options.initScript !== undefined) {
        await page.addInitScript(options.initScript);
      }
      const authenticator = options.authenticator === false ? undefined : await addAuthenticator(page, options.authenticator);
      await page.goto(`${url}/${options.fragment === undefined ? '' : `#${options.fragment}`}`);
      await page.locator('html[data-ready=true]').waitFor();
      return { cwd, url, server, context, page, authenticator, complaints };
    },
  };
}

/** Collects errors of the page's scripts and of the content security policy. */
function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Chromium logs 4xx answers by itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  return complaints;
}

export async function signIn(page: Page, email = 'ada@example.com'): Promise<void> {
  await page.locator('#email').fill(email);
  await page.getByRole('button', { name: 'Sign in as a test user' }).click();
  await page.locator('#signed-in-as').waitFor();
  await page.locator('#runs > .run:first-child.verified:has-text("Signed in as")').waitFor();
}

/** Revokes a passkey and confirms. */
export async function revoke(page: Page, id: number) {
  await page.locator(`#passkey-${id}-revoke`).click();
  return await act(page, `#passkey-${id}-revoke-confirm`);
}

/** Presses a button and waits until the run it starts has ended. */
export async function act(
  page: Page,
  button: string,
): Promise<{ readonly outcome: string; readonly summary: string; readonly run: string }> {
  const newest = page.locator('#runs > .run').first();
  const before = (await newest.count()) === 0 ? null : await newest.getAttribute('data-run');
  await page.locator(button).click();
  const begun = page.locator(`#runs > .run:first-child:not([data-run="${before}"])`);
  // Identified by its id from here on: another run may appear above it.
  const run = `#runs > .run[data-run="${await begun.getAttribute('data-run')}"]`;
  const ended = page.locator(`${run}:not([data-outcome=running])`);
  await ended.waitFor();
  return { outcome: (await ended.getAttribute('data-outcome')) ?? '', summary: await ended.locator('.run-summary').innerText(), run };
}

/** WCAG 2.2 A and AA, and what axe calls best practice; in dark only the rules that look at colours. */
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
} as const;

/** What axe finds wrong with the page in light and dark, one per line. */
export async function violations(page: Page): Promise<string[]> {
  const lines: string[] = [];
  if (await page.evaluate("typeof axe === 'undefined'")) {
    await page.evaluate(axe.source);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES[colorScheme])}, resultTypes: ['violations'] }).then((result) => result.violations)`,
    );
    for (const { id, nodes } of found) {
      lines.push(...nodes.map(({ html, failureSummary = '' }) => `${colorScheme}, ${id}: ${html.slice(0, 160)} (${failureSummary})`));
    }
  }
  return lines;
}
