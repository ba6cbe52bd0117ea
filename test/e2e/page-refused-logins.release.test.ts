import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { explain } from '../cli/explain/run-explain.js';
import { MISTAKES, recordRefusedLogin } from '../explain/refused-logins.js';
import { skipWithoutBrowser } from './browser.js';
import { pageTests } from './page-harness.js';

const ORIGIN = 'The server expects another origin than that of the page';
const CHALLENGE = 'The response answers another challenge than the server expects';
const NO_CHALLENGE = 'The server has no challenge for this response';

/** The meaning of each refusal, by what is pasted: a HAR shows more than the text of an error. */
const MEANINGS: Readonly<Record<keyof typeof MISTAKES, { readonly text: string; readonly har?: string }>> = {
  'wrong expected origin': { text: ORIGIN },
  'wrong RP ID': { text: 'The server expects another RP ID than the options asked for' },
  "another session's challenge": { text: CHALLENGE },
  'cookie not sent': { text: NO_CHALLENGE, har: 'The cookie of the session was not sent' },
  'wrong key': { text: 'The stored key does not verify the signature' },
  'UV required': { text: 'The server requires user verification, and the user was not verified' },
  'www.': { text: ORIGIN },
  'http instead of https': { text: ORIGIN },
  'two tabs': { text: CHALLENGE, har: 'The response answers options that are not the newest' },
  'a stale response': { text: NO_CHALLENGE, har: 'This response was sent before' },
};

async function paste(page: Page, text: string): Promise<string> {
  const before = await page.locator('#subject article').evaluateAll(([shown]) => shown?.getAttribute('data-key'));
  await page.locator('#open-paste').click();
  await page.locator('#paste-box').fill(text);
  await page.locator('#paste-explain').click();
  await page.locator(`#subject article:not([data-key="${before}"]) .verdict-word`).waitFor();
  return (await page.locator('#subject .verdict-text').innerText()).replaceAll(/\s+/g, ' ');
}

describe.skipIf(skipWithoutBrowser())('ten logins that SimpleWebAuthn refused', () => {
  const { open } = pageTests();

  test('are explained as HAR, as response and as error text, on the page and in the terminal', async () => {
    const { page } = await open({ authenticator: false });
    const table: Record<string, string>[] = [];
    for (const [mistake, { text, har = text }] of Object.entries(MEANINGS)) {
      const recorded = await recordRefusedLogin(MISTAKES[mistake as keyof typeof MISTAKES]);
      for (const [as, pasted, meaning, verdict, exit] of [
        ['HAR', recorded.har, har, 'refused', 1],
        ['response', JSON.stringify(recorded.response), undefined, 'undecided', 0],
        ['error text', recorded.error, text, 'explained', 0],
      ] as const) {
        const onPage = await paste(page, pasted);
        const { code, stdout } = await explain(['pasted', '--json'], { pasted });
        // One document, or a line for each of several: the login is the last.
        const document = JSON.parse(
          stdout
            .trim()
            .split(/\n(?=\{)/)
            .at(-1) ?? '',
        );
        const inTerminal: unknown = document.known_errors[0]?.title;
        table.push({ mistake, as, page: onPage, terminal: `${code}: ${document.verdict} ${inTerminal ?? ''}` });
        expect(onPage.toLowerCase()).toMatch(new RegExp(`^${verdict} `));
        expect(onPage).toContain(as === 'HAR' ? document.headline : (meaning ?? 'the open steps say what'));
        expect([mistake, as, code, inTerminal]).toEqual([mistake, as, exit, meaning]);
      }
    }
    console.table(table);
    expect(table).toHaveLength(30);
  });
});
