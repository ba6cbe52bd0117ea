import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { act, pageTests } from './page-harness.js';
import { serveHere } from './passkey-in-process.js';

/** Serves an empty page at a port of its own. @returns its origin. */
async function serveFrontEnd(): Promise<string> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>Shop</title>'));
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
}

const askFromPage = async (api: string) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  return await fetch(`${api}/api/passkeys/login/options`, init).then(
    ({ status }) => status,
    () => 'unreadable',
  );
};

describe.skipIf(skipWithoutBrowser())('a front end on another port', () => {
  const { open } = pageTests();

  test('leaves a row with the command that lets it in', async () => {
    const origin = await serveFrontEnd();
    const { context, page, url, complaints } = await open();
    const shop = await context.newPage();
    await shop.goto(origin);
    expect(await shop.evaluate(askFromPage, url)).toBe('unreadable');

    await page
      .locator('.stream > li', { hasText: `A page at ${origin} called; start with --origin ${origin}` })
      .locator('button')
      .click();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByText('Copied as a command.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`passkey serve --origin ${origin}`);
    expect(complaints).toEqual([]);
  });

  test('is answered when the server was started with that command, and the test page works beside it', async () => {
    const origin = await serveFrontEnd();
    const { context, page, url } = await open({ flags: ['--origin', origin], begin: 'signed in' });
    const shop = await context.newPage();
    await shop.goto(origin);
    expect(await shop.evaluate(askFromPage, url)).toBe(200);
    await page.bringToFront();
    expect((await act(page, '#register-button')).outcome).toBe('verified');
  });

  const SHOP = '<title>Shop</title><script src="/shop.js"></script>';

  const APPS: [kind: string, findApp: (folder: string) => string | Promise<string>][] = [
    ['the files of a folder', (folder) => folder],
    ['a dev server', () => serveFrontEnd()],
  ];
  test.each(APPS)('is on the same origin as the API with --app and %s', async (kind, findApp) => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'index.html'), SHOP);
    await writeFile(join(cwd, 'shop.js'), 'document.title += " with its script"');
    const { url } = await serveHere(['--app', await findApp(cwd)], { cwd });
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const shop = await context.newPage();
    // A path of a single-page app.
    await shop.goto(`${url}/account/keys`);
    expect(await shop.title()).toBe(kind === 'a dev server' ? 'Shop' : 'Shop with its script');
    expect(await shop.evaluate(askFromPage, url)).toBe(200);
    await shop.goto(`${url}/dev`);
    await shop.locator('.stream > li:has-text("Log in")').waitFor();
  });
});
