import { describe, expect, test } from 'vitest';
import { explain } from '../cli/explain/run-explain.js';
import { tempFolder } from '../cli/temp-folder.js';
import { MISTAKES, recordRefusedLogin } from '../explain/refused-logins.js';
import { skipWithoutBrowser } from './browser.js';
import { openFirefox, skipWithoutFirefox } from './firefox.js';
import { pageTests, paste, violations } from './page-harness.js';
import { serveHere } from './passkey-in-process.js';

const ORIGIN = 'The server expects another origin than that of the page';
const CHALLENGE = 'The response answers another challenge than the server expects';
const NO_CHALLENGE = 'The server has no challenge for this response';

const HTTP = 'http://localhost:3000';
const REFUSED = 'Refused by your server (400): ';

/** Headline of the card of a HAR, and the meaning of each refusal, by what is pasted: a HAR shows more than the text of an error. */
const MEANINGS: Readonly<Record<keyof typeof MISTAKES, { readonly headline: string; readonly text: string; readonly har?: string }>> = {
  'wrong expected origin': { headline: `${REFUSED}wrong origin; expected ${HTTP}, received http://localhost:5199`, text: ORIGIN },
  'wrong RP ID': {
    headline: `${REFUSED}wrong RP ID; expected another, received localhost, as your options ask`,
    text: 'The server expects another RP ID than the options requested',
  },
  "another session's challenge": {
    headline: `${REFUSED}the response answers another challenge than the server expects`,
    text: CHALLENGE,
  },
  'cookie not sent': {
    headline: `${REFUSED}the session cookie was not sent`,
    text: NO_CHALLENGE,
    har: 'The session cookie was not sent',
  },
  'wrong key': {
    headline: 'Refused by your server (200): the stored key does not verify the signature',
    text: 'The stored key does not verify the signature',
  },
  'UV required': {
    headline: `${REFUSED}user verification is required; received UV is not set`,
    text: 'The server requires user verification, and the user was not verified',
  },
  'www.': { headline: `${REFUSED}wrong origin; expected https://example.org, received https://www.example.org`, text: ORIGIN },
  'http instead of https': {
    headline: `${REFUSED}wrong origin; expected https://localhost:3000, received ${HTTP}`,
    text: ORIGIN,
  },
  'two tabs': {
    headline: `${REFUSED}the response answers options that are not the newest`,
    text: CHALLENGE,
    har: 'The response answers options that are not the newest',
  },
  'a stale response': {
    headline: `${REFUSED}this response was sent before`,
    text: NO_CHALLENGE,
    har: 'This response was sent before',
  },
};

/** A text with the spaces of a line. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

describe.skipIf(skipWithoutBrowser())('ten logins that SimpleWebAuthn refused', () => {
  const { open } = pageTests();

  test('are explained as HAR, as response and as error text, on the page and in the terminal', async () => {
    const { page } = await open({ authenticator: false });
    for (const [mistake, { headline: ofHar, text, har = text }] of Object.entries(MEANINGS)) {
      const recorded = await recordRefusedLogin(MISTAKES[mistake as keyof typeof MISTAKES]);
      for (const [as, pasted, meaning, verdict, exit] of [
        ['HAR', recorded.har, har, 'rejected', 1],
        ['response', JSON.stringify(recorded.response), undefined, 'undecided', 0],
        ['error text', recorded.error, text, 'error', 0],
      ] as const) {
        const article = await paste(page, pasted);
        const headline = oneLine(await page.locator(`${article} .verdict-word`).innerText());
        const { code, stdout } = await explain(['pasted', '--json'], { pasted });
        // One document, or a line for each of several: the login is the last.
        const document = JSON.parse(
          stdout
            .trim()
            .split(/\n(?=\{)/)
            .at(-1) ?? '',
        );
        const [known] = document.known_errors;
        expect([mistake, as, code, known?.title]).toEqual([mistake, as, exit, meaning]);
        expect(await page.locator(article).getAttribute('data-verdict')).toBe(verdict);
        expect([mistake, as, headline]).toEqual([mistake, as, { HAR: ofHar, response: 'Undecided', 'error text': text }[as]]);
        if (as === 'HAR') expect(oneLine(document.headline.replaceAll('`', ''))).toBe(headline);
        if (known === undefined) continue;
        // The answer of the server, causes and remedy, as in the terminal.
        const card = oneLine(await page.locator(article).innerText());
        const said = [
          ...known.causes,
          known.next,
          ...(as === 'HAR' ? [`Your server answered ${document.server.status}: ${document.server.message ?? document.server.body}`] : []),
        ];
        for (const one of said) expect(card).toContain(oneLine(one.replaceAll('`', '')));
        expect(await page.locator(`${article} .open-steps li`).count()).toBe(
          document.steps.filter((step: { readonly open: boolean }) => step.open).length,
        );
      }
    }
    await page.getByRole('button', { name: 'Failed ceremonies' }).click();
    expect(await page.locator('.stream li[data-verdict=rejected]').count()).toBe(Object.keys(MEANINGS).length);
    expect(await page.locator('.stream li:not([data-verdict=rejected]):not([data-verdict=error])').count()).toBe(0);
  });

  test('a call without a response is a row with its reason', async () => {
    const { page } = await open({ authenticator: false });
    const { log } = JSON.parse((await recordRefusedLogin()).har);
    const [, , login] = log.entries;
    const options = {
      ...JSON.parse(login.response.content.text),
      allowCredentials: [{ type: 'public-key', id: 'AAECAwQFBgcICQoLDA0ODw' }],
    };
    login.response.content.text = JSON.stringify(options);
    const article = await paste(page, JSON.stringify({ log: { entries: log.entries.slice(0, 3) } }));
    expect(await page.locator(`${article} .verdict-word`).innerText()).toMatch(/^No answer from the browser: .*1 /);
    expect(await page.locator(article).getAttribute('data-verdict')).toBe('browser-error');
    expect(await page.locator(`${article} .explanation li`).count()).toBeGreaterThan(0);
    expect(await page.locator('.stream li').allInnerTexts()).toEqual([
      expect.stringContaining('accepted'),
      expect.stringContaining('no answer from the browser'),
    ]);
    expect(await violations(page)).toEqual([]);
  });

  test('have nothing that axe finds wrong, in light, in dark, and at 390 px', async () => {
    const { page } = await open({ authenticator: false, context: { viewport: { width: 390, height: 800 } } });
    for (const mistake of Object.values(MISTAKES)) {
      const { har, error, response } = await recordRefusedLogin(mistake);
      const forms = mistake === MISTAKES['wrong key'] ? [har, error, `${error}\n${JSON.stringify(response)}`] : [har];
      for (const text of forms) {
        await paste(page, text);
        expect(await violations(page)).toEqual([]);
      }
    }
  });

  test('fit into links, which another page opens without its server', async () => {
    const { page, url, complaints } = await open({ authenticator: false });
    for (const mistake of Object.values(MISTAKES)) {
      const { har } = await recordRefusedLogin(mistake);
      const article = await paste(page, har);
      const headline = await page.locator(`${article} .verdict-word`).innerText();
      await page.locator(`${article} .share > button`).click();
      await page.locator(`${article} [data-export=link]`).click();
      await page.locator('#status:has-text("Copied as link")').waitFor({ state: 'attached' });
      const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
      expect([link.origin, link.search]).toEqual(['http://localhost:7277', '']);
      expect(link.href.length).toBeLessThan(8_100);
      // The address of the page has the same.
      await page.waitForFunction(`location.hash === ${JSON.stringify(link.hash)}`);

      const other = await page.context().newPage();
      const asked: string[] = [];
      other.on('request', (request) => asked.push(request.url()));
      await other.goto(`${url}/${link.hash}`);
      await other.locator('#subject > .pane-body > article.ceremony .steps-line').waitFor();
      expect(await other.locator('#subject > .pane-body > article.ceremony .verdict-word').innerText()).toBe(headline);
      expect(asked.filter((one) => one.includes('/dev/explain') || one.includes('shared='))).toEqual([]);
      await other.close();
    }
    expect(complaints).toEqual([]);
  });

  test('joins the error and the response that are pasted below each other', async () => {
    const { page } = await open({ authenticator: false });
    const { error, response } = await recordRefusedLogin(MISTAKES['wrong expected origin']);
    const article = await paste(page, error);
    await page.locator('#paste-box').press('Control+End');
    await page.keyboard.insertText(`\n${JSON.stringify(response)}`);
    await page.locator(`${article} .steps-line`).waitFor();
    expect(await page.locator(`${article} .verdict-word`).innerText()).toBe(
      'Refused by your server: wrong origin; expected http://localhost:3000, received http://localhost:5199',
    );
    expect(await page.locator('.stream li').count()).toBe(1);
    await page.locator('#paste-box').fill('');
    await page.locator('#welcome').waitFor();
    expect(await page.locator('.stream li').count()).toBe(0);
  });
});

describe.skipIf(skipWithoutFirefox())('three of them, pasted in Firefox', () => {
  test.each(['wrong expected origin', 'wrong RP ID', "another session's challenge"] as const)('%s', async (mistake) => {
    const { url } = await serveHere([], { cwd: await tempFolder() });
    const firefox = await openFirefox();
    await firefox.send('WebDriver:Navigate', { url });
    await firefox.until('return document.documentElement.dataset.ready === "true";');
    const { headline, text } = MEANINGS[mistake];
    const { har, error } = await recordRefusedLogin(MISTAKES[mistake]);
    for (const [pasted, shown, verdict] of [
      [har, headline, 'rejected'],
      [error, text, 'error'],
    ] as const) {
      await firefox.paste('#paste-box', pasted);
      const article = `document.querySelector('#subject > .pane-body > article.ceremony[data-verdict=${verdict}]')`;
      await firefox.until(`return ${article} !== null;`);
      expect(await firefox.read(`${article}.querySelector('.verdict-word').innerText.replace(/\\s+/g, ' ')`)).toBe(shown);
      expect(await firefox.read(`${article}.querySelectorAll('.explanation li').length`)).toBeGreaterThan(0);
    }
  });
});
