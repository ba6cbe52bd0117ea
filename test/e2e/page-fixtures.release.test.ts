import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import type { Fixture } from '../../src/fixture/format.js';
import { parseFixture } from '../../src/fixture/read.js';
import { openRun } from '../../src/simulate/engine/open-run.js';
import { replayRebound } from '../../src/simulate/engine/replay-rebound.js';
import { replayVerbatim } from '../../src/simulate/engine/replay-verbatim.js';
import { importFrom } from '../explain/recording/ceremonies.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests } from './page-harness.js';

const run = await openRun();
afterAll(() => run.close());

/** What the selected ceremony copies. */
async function copied(page: Page, run: string, what: 'json' | 'fixture'): Promise<string> {
  await page.locator(`${run} .share > button`).click();
  await page.locator(`${run} [data-export=${what}]`).click();
  await page.locator(`#status:has-text("Copied as ${what === 'json' ? 'JSON' : 'fixture'}.")`).waitFor({ state: 'attached' });
  return await page.evaluate('navigator.clipboard.readText()');
}

const PROTECTED = {
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  extensions: { credentialProtectionPolicy: 'userVerificationRequired', prf: { eval: { first: 'c2FsdA' } } },
};

const AUTHENTICATORS = [
  ['an authenticator of the platform', { ctap2Version: 'ctap2_1', hasPrf: true }],
  ['a security key', { ctap2Version: 'ctap2_1', hasPrf: true, transport: 'usb' }],
] as const;

describe.skipIf(skipWithoutBrowser())('what the page copies', () => {
  const { open } = pageTests();

  test.each(AUTHENTICATORS)('replays, explains itself and is imported: credProtect asked of %s', async (_, authenticator) => {
    const fragment = new URLSearchParams({ registration: JSON.stringify(PROTECTED) }).toString();
    const { page } = await open({ fragment, authenticator, begin: 'signed in' });
    const texts: { readonly json: string; readonly fixture: string }[] = [];
    for (const button of ['#register-button', '#passkey-1-login']) {
      const { run: newest } = await act(page, button);
      texts.push({ json: await copied(page, newest, 'json'), fixture: await copied(page, newest, 'fixture') });
    }
    const fixtures: Fixture[] = [];
    for (const { json, fixture } of texts) {
      fixtures.push(parseFixture(fixture, 'copied'));
      expect(await explain(json)).toMatchObject({ input: { kind: 'page-run' }, error: null, steps: expect.any(Array) });
    }
    const server = run.borrowServer();
    for (const fixture of fixtures) {
      expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
      expect(await replayRebound(fixture, run)).toEqual({ status: 'passed' });
    }
    const { imported, refused } = await importFrom(texts.map(({ json }) => JSON.parse(json)));
    expect([imported.map(({ fixture, remarks }) => [fixture.kind, fixture.expected, remarks]), refused]).toEqual([
      [
        ['registration', { outcome: 'verified' }, []],
        ['authentication', { outcome: 'verified' }, []],
      ],
      [],
    ]);
  });
});
