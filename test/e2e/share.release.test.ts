import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import { recordRefusedLogin } from '../explain/refused-logins.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, reload, signIn } from './page-harness.js';

/** Pastes a text, or a file, as the system does: outside of any field. */
async function drop(page: Page, type: 'paste' | 'drop', given: { readonly text?: string; readonly file?: readonly [string, string] }) {
  await page.evaluate(
    `(() => {
      const { type, text, file } = ${JSON.stringify({ type, ...given })};
      const data = new DataTransfer();
      if (text !== undefined) data.setData('text/plain', text);
      if (file !== undefined) data.items.add(new File([file[1]], file[0]));
      const init = { bubbles: true, cancelable: true };
      if (type === 'drop') document.body.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
      document.body.dispatchEvent(type === 'drop' ? new DragEvent('drop', { ...init, dataTransfer: data }) : new ClipboardEvent('paste', { ...init, clipboardData: data }));
    })()`,
  );
}

async function save(page: Page, name: string) {
  const downloading = page.waitForEvent('download');
  await page.locator('#subject .share > button').click();
  await page.locator(`#subject [data-export=${name}]`).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

describe.skipIf(skipWithoutBrowser())('paste, drop and share', () => {
  const { open } = pageTests();

  test('a ceremony leaves as one file, which opens on another machine and in passkey explain', async () => {
    const { page } = await open({ begin: 'signed in' });
    await page.locator('#label').fill('From here');
    const { run } = await act(page, '#register-button');
    await page.locator(`${run} button.steps-line`).waitFor();
    const { name, text } = await save(page, 'file');
    expect(name).toMatch(/\.passkey\.json$/);
    expect(await explain(text)).toMatchObject({ ceremony: 'registration', verdict: 'accepted', error: null });

    const elsewhere = await open({ authenticator: false });
    await drop(elsewhere.page, 'drop', { file: [name, text] });
    const shown = elsewhere.page.locator('#subject article.ceremony[data-key=pasted-1]');
    await shown.waitFor();
    expect(await shown.getAttribute('data-verdict')).toBe('verified');
    expect(await shown.innerText()).toContain('From here');
    expect(await shown.innerText()).toContain('POST /api/passkeys/register');
    await focusOn(elsewhere.page, 'pasted-1-heading');
    expect(elsewhere.complaints).toEqual([]);
    // And leaves again as it came, but for the place it came from.
    const again = JSON.parse((await save(elsewhere.page, 'file')).text);
    expect(again).toMatchObject({ item: { verdict: 'verified' }, explanation: JSON.parse(text).explanation });
  });

  test('what is pasted is explained, or the box says why it cannot be', async () => {
    const { page } = await open({ authenticator: false });
    await drop(page, 'paste', { text: '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost", "userVerification": "required"}' });
    await page.locator('#subject article.ceremony[data-key=pasted-1]').waitFor();
    await drop(page, 'paste', { text: 'nothing of the kind' });
    await page.locator('#paste-problem:not(:empty)').waitFor();
    expect(await page.locator('#paste-box').inputValue()).toBe('nothing of the kind');
    await page.locator('#paste-box').fill('{"rpId": "localhost", "challenge": "AAECAwQFBgcICQoLDA0ODw", "allowCredentials": []}');
    await page.locator('#subject article.ceremony[data-key=pasted-2]').waitFor();
    expect(await page.locator('#paste-problem').innerText()).toBe('');
    await page.locator('#paste-clear').click();
    expect(await page.locator('.stream li').count()).toBe(0);
    expect(await page.locator('#paste-box').inputValue()).toBe('');
  });

  test('a recording is held against what the user says that its server expects, while it is typed', async () => {
    const { har, response } = await recordRefusedLogin({ page: 'http://localhost:5199', expectedOrigin: 'http://localhost:3000' });
    const { page, complaints } = await open({ authenticator: false });
    await drop(page, 'paste', { text: har });
    const verdict = (word: string) => page.locator(`#subject article.ceremony[data-verdict=${word}]`).waitFor();
    const failed = page.locator('#subject .note.step');
    // Its server refused it, whatever the steps say.
    await verdict('rejected');
    await page.locator('#subject .verdict-word', { hasText: /^Refused by your server \(400\): wrong origin/ }).waitFor();
    expect(await page.locator('.open-steps').innerText()).toContain('expectedOrigin in your call');
    await page.getByRole('button', { name: 'Use http://localhost:3000' }).click();
    await failed.waitFor();
    await page.locator('#expect-origin').fill('http://localhost:5199');
    await failed.waitFor({ state: 'detached' });
    // Read from the recording, unless the user says otherwise.
    expect(await page.locator('#expectations :is(input, select, textarea):visible').count()).toBe(2);
    await page.locator('#expectations summary').click();
    await page.locator('#expect-challenge').fill('AAAA');
    await page.locator('#expect-signCount').fill('many');
    await page.locator('#expect-signCount-problem:not(:empty)').waitFor();
    await failed.waitFor();
    expect(new URL(page.url()).hash.replace(/shared=[\w-]+&/, '')).toBe(
      '#expect.origin=http%3A%2F%2Flocalhost%3A5199&expect.signCount=many',
    );

    await reload(page);
    await drop(page, 'paste', { text: JSON.stringify(response) });
    await verdict('undecided');
    expect(await page.locator('#expect-origin').inputValue()).toBe('http://localhost:5199');
    expect(await page.locator('#expect-challenge').inputValue()).toBe('');
    await page.locator('#expectations-clear').click();
    expect(new URL(page.url()).hash).not.toContain('expect.');
    expect(complaints).toEqual([]);
  });

  test('the list of ways stays open for a press in it, and a press elsewhere closes it', async () => {
    const { page } = await open({ authenticator: false });
    await drop(page, 'paste', { text: '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}' });
    const button = page.locator('#subject .share > button');
    const menu = page.locator('#subject .share .popup-panel');
    await button.click();
    await menu.dispatchEvent('pointerdown');
    await expectExpanded('true');
    await page.locator('#subject h2').first().dispatchEvent('pointerdown');
    await expectExpanded('false');
    expect(await menu.isVisible()).toBe(false);

    async function expectExpanded(expanded: string): Promise<void> {
      await page.locator(`#subject .share > button[aria-expanded=${expanded}]`).waitFor();
    }
  });

  test('where the browser does not let the page copy, it is saved', async () => {
    const { page } = await open({
      initScript: `navigator.clipboard.writeText = async () => { throw new DOMException('no', 'NotAllowedError'); };`,
    });
    await signIn(page);
    await act(page, '#register-button');
    const { name, text } = await save(page, 'curl');
    expect(name).toMatch(/\.sh$/);
    expect(text).toContain('"Authorization: Bearer $PASSKEY_TOKEN"');
    expect(await page.locator('#status').textContent()).toBe(`The browser does not let this page copy, so it was saved as ${name}.`);
  });
});
