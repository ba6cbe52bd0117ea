import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
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
  /** Signs in as ada@example.com, and then creates a passkey. */
  readonly begin?: 'signed in' | 'with a passkey';
}

/** Of a page in which every drawer stands beside the ceremony, and stays open. */
export const WIDE: BrowserContextOptions = { viewport: { width: 1_440, height: 900 } };

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
      if (options.begin !== undefined) await signIn(page);
      if (options.begin === 'with a passkey') await act(page, '#register-button');
      return { cwd, url, server, context, page, authenticator, complaints };
    },
  };
}

/** The credential IDs of all passkeys in the store of a server in `cwd`, the oldest first, as options have them. */
export async function storedCredentialIds(cwd: string): Promise<string[]> {
  const store = await openJsonFileStore(join(cwd, '.passkey/passkeys.jsonl'));
  const passkeys = await store.listPasskeys();
  await store.close();
  return passkeys.map(({ credential }) => encodeBase64url(credential.id));
}

/** Loads the page anew, and waits until it is drawn. */
export async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.locator('html[data-ready=true]').waitFor();
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

/** Opens the switcher of users, if it is closed. */
export async function openPeople(page: Page): Promise<void> {
  if ((await page.locator('#switcher').getAttribute('aria-expanded')) !== 'true') await page.locator('#switcher').click();
  await page.locator('#people').waitFor();
}

export async function signIn(page: Page, email = 'ada@example.com'): Promise<void> {
  await openPeople(page);
  await page.locator('#email').fill(email);
  await page.locator('#sign-in-button').click();
  await page.locator('#status[data-outcome=verified]:has-text("Signed in as")').waitFor({ state: 'attached' });
  await page.locator('#signed-in-as').waitFor();
}

/** Signs out; the page then offers to sign in. */
export async function signOut(page: Page): Promise<void> {
  await openPeople(page);
  await page.locator('#sign-out').click();
  await page.locator('#switcher:has-text("Sign in")').waitFor();
}

/** Opens the list or menu that a button is in: those of a passkey are in its menu. */
export async function reveal(page: Page, button: string): Promise<void> {
  const passkey = /^#passkey-\d+/.exec(button)?.[0];
  if (passkey === undefined) return;
  if ((await page.locator('#show-passkeys').getAttribute('aria-pressed')) !== 'true') await page.locator('#show-passkeys').click();
  const menu = page.locator(`${passkey}-menu`);
  await menu.waitFor();
  if (button === passkey || button === `${passkey}-menu` || (await page.locator(button).isVisible())) return;
  await menu.click();
}

/** Waits until the element with this id has the focus: it gets it after the page has been drawn. */
export async function focusOn(page: Page, id: string): Promise<void> {
  await page.locator(`[id="${id}"]:focus`).waitFor({ state: 'attached' });
}

/** Presses a button, wherever it is. */
export async function press(page: Page, button: string): Promise<void> {
  await reveal(page, button);
  await page.locator(button).click();
}

/** Revokes a passkey and confirms. */
export async function revoke(page: Page, id: number) {
  await press(page, `#passkey-${id}-revoke`);
  return await act(page, `#passkey-${id}-revoke-confirm`);
}

export interface Acted {
  readonly outcome: string;
  readonly summary: string;
  /** Key of its item: `run-3`. */
  readonly key: string;
  /** Where it is shown whole, as long as it is selected: a ceremony selects itself, and `show` selects any. */
  readonly run: string;
}

/** Presses a button and waits until the run it starts has ended. */
export async function act(page: Page, button: string): Promise<Acted> {
  await reveal(page, button);
  const before = await page.locator('#status').getAttribute('data-run');
  await page.locator(button).click();
  const status = page.locator(`#status:not([data-run="${before}"]):not([data-outcome=running])`);
  await status.waitFor({ state: 'attached' });
  const key = (await status.getAttribute('data-run')) ?? '';
  return {
    outcome: (await status.getAttribute('data-outcome')) ?? '',
    // Hidden from sight where the page shows it elsewhere.
    summary: (await status.textContent()) ?? '',
    key,
    run: `#subject article.ceremony[data-key="${key}"]`,
  };
}

/** Pastes a text into the empty field of the page, and waits for the item that it becomes. Returns its selector. */
export async function paste(page: Page, text: string): Promise<string> {
  const keys: string[] = await page
    .locator('.stream li[data-key^=pasted]')
    .evaluateAll((rows) => rows.map((row) => String(row.getAttribute('data-key'))));
  await page.locator('#open-paste').click();
  await page.locator('#paste-box:focus').fill(text);
  const known = keys.map((key) => `:not([data-key="${key}"])`).join('');
  // Not the example.
  const shown = page.locator(`#subject > .pane-body > article.ceremony[data-key^=pasted]${known}`);
  await shown.waitFor();
  return `#subject article.ceremony[data-key="${await shown.getAttribute('data-key')}"]`;
}

/** Selects an item in the list of ceremonies and returns the selector of the whole of it. */
export async function show(page: Page, key: string): Promise<string> {
  await page.locator('#show-ceremonies').click();
  await page.locator(`.stream li[data-key="${key}"] button.row`).click();
  return `#subject article.ceremony[data-key="${key}"]`;
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
