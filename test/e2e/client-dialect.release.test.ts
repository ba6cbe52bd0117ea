import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CREATION,
  CREATION_PATHS,
  type Dialect,
  gathered,
  type Outcome,
  PAGE,
  REQUEST_PATHS,
  replaced,
  requestFor,
  VALUES,
} from '../client/dialect.js';
import { addAuthenticator, launchBrowser, skipWithoutBrowser } from './browser.js';

/** What the page has: Node's types know no browser. */
declare const PublicKeyCredential: {
  parseCreationOptionsFromJSON(json: unknown): object;
  parseRequestOptionsFromJSON(json: unknown): object;
};
declare const navigator: {
  readonly credentials: {
    create(options: { publicKey: object }): Promise<{ readonly id: string }>;
    get(options: { publicKey: object }): Promise<unknown>;
  };
};

/** PASSKEY_RECORD=1 writes what this Chromium does. */
const FILE = join(import.meta.dirname, '../client/chromium-dialect.json');
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Dialect;

interface Asked {
  readonly path: string;
  readonly value: string;
  readonly options: unknown;
}

/** Runs in the page: reads each of the options, and begins the ceremony with what was read. */
async function ask({ ceremony, questions }: { ceremony: 'creation' | 'request'; questions: readonly Asked[] }) {
  const plain = (value: unknown): unknown => {
    if (value instanceof ArrayBuffer) {
      const text = btoa(String.fromCharCode(...new Uint8Array(value)));
      return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    }
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  };
  const nameOf = (error: unknown) => (error instanceof Error || error instanceof DOMException ? error.name : String(error));
  const results: (Omit<Outcome, 'values'> & { value: string })[] = [];
  for (const { path, value, options } of questions) {
    const outcome: { value: string; refused?: string; read?: unknown; failed?: string } = { value };
    try {
      const creation = ceremony === 'creation' ? PublicKeyCredential.parseCreationOptionsFromJSON(options) : undefined;
      const request = creation ? {} : PublicKeyCredential.parseRequestOptionsFromJSON(options);
      outcome.read = plain(path.split('.').reduce((inner: unknown, name) => Reflect.get(Object(inner), name), creation ?? request));
      // The virtual authenticator waits no longer than the options say, so the end would depend on the clock.
      if (path === 'timeout') {
        results.push(outcome);
        continue;
      }
      const ended = creation ? navigator.credentials.create({ publicKey: creation }) : navigator.credentials.get({ publicKey: request });
      await ended.catch((error: unknown) => {
        outcome.failed = nameOf(error);
      });
    } catch (error) {
      outcome.refused = nameOf(error);
    }
    results.push(outcome);
  }
  return results;
}

describe.skipIf(skipWithoutBrowser())('the options that Chromium takes', () => {
  let browser: Browser;
  let page: Page;
  let session: CDPSession;
  let authenticatorId: string;
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.route(`${PAGE}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>page</title>' }));
    await page.goto(PAGE);
    ({ session, id: authenticatorId } = await addAuthenticator(page, {
      ctap2Version: 'ctap2_1',
      hasPrf: true,
      hasLargeBlob: true,
      hasCredBlob: true,
      hasMinPinLength: true,
    }));
  });
  afterAll(() => browser?.close());

  /** Path by path: Chromium's virtual authenticator holds three discoverable credentials. Every value of `user.id` needs one of its own. */
  async function observe(ceremony: 'creation' | 'request', options: object, paths: readonly string[]): Promise<Dialect['creation']> {
    const table: Record<string, readonly Outcome[]> = {};
    for (const path of paths) {
      const questions = VALUES.map((value) => ({ value, options: replaced(options, path, value), path }));
      const batches = path === 'user.id' ? questions.map((question) => [question]) : [questions];
      const outcomes: (Omit<Outcome, 'values'> & { readonly value: string })[] = [];
      for (const batch of batches) {
        if (ceremony === 'creation') await session.send('WebAuthn.clearCredentials', { authenticatorId });
        outcomes.push(...(await page.evaluate(ask, { ceremony, questions: batch })));
      }
      table[path] = gathered(outcomes);
    }
    return table;
  }

  test('are those of the recording, which the client follows', async () => {
    const creation = await observe('creation', CREATION, CREATION_PATHS);
    const id = await page.evaluate(async (json) => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
      const credential = await navigator.credentials.create({ publicKey });
      return credential.id;
    }, CREATION as object);
    const request = await observe('request', requestFor(id), REQUEST_PATHS);
    const observed = JSON.parse(
      JSON.stringify({ browser: `Chromium ${browser.version()}`, creation, request }).replaceAll(id, 'ID'),
    ) as Dialect;
    if (process.env.PASSKEY_RECORD) writeFileSync(FILE, `${JSON.stringify(observed, null, 2)}\n`);
    expect(Object.keys(observed.creation).length + Object.keys(observed.request).length).toBeGreaterThan(50);
    // Another Chromium may do otherwise. Then record again, and mend the client.
    const expected = process.env.PASSKEY_RECORD ? observed : recorded;
    expect(observed.creation).toEqual(expected.creation);
    expect(observed.request).toEqual(expected.request);
  });
});
