import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBetterAuth } from '../targets/better-auth.js';
import { chromiumPath, skipWithoutBrowser } from './browser.js';
import { documentedProject, namedBlocks, runIn } from './documented-project.js';
import { ROOT } from './passkey-process.js';

/** The files of both pages, by the name in their first line. */
const files = new Map(
  ['testing-browser', 'check-page'].flatMap((page) => [...namedBlocks(readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'), 'js')]),
);

/** A project with these files of the page and with the packages that it says it needs. */
async function project({ names, packages }: { readonly names: readonly string[]; readonly packages: readonly string[] }): Promise<string> {
  expect([...files.keys()]).toEqual(expect.arrayContaining([...names]));
  return documentedProject({ files: new Map([...files].filter(([name]) => names.includes(name))), packages });
}

/** The page of an application that has better-auth for its server: one user, who adds a passkey and signs in with it. */
const HOME = `<!doctype html><title>Example</title>
<button id="add">Add a passkey</button> <button id="sign-in">Sign in</button> <p role="status"></p>
<script type="module">
  const say = (text) => { document.querySelector('[role=status]').textContent = text; };
  const send = async (path, body) => {
    const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch('/api/auth' + path, init);
    if (!answer.ok) throw new Error(path + ' ' + answer.status);
    return await answer.json();
  };
  const trying = (run) => async ({ currentTarget: button } = {}) => {
    if (button) button.disabled = true;
    await run().catch((error) => say(error.name));
    if (button) button.disabled = false;
  };
  const signIn = (more) => async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await send('/passkey/generate-authenticate-options'));
    await send('/passkey/verify-authentication', { response: await navigator.credentials.get({ publicKey, ...more }) });
    say('Signed in as ' + (await send('/get-session')).user.name + '.');
  };
  document.querySelector('#add').onclick = trying(async () => {
    await send('/sign-up/email', { name: 'Ada', email: Math.random() + '@example.com', password: 'correct horse' });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await send('/passkey/generate-register-options'));
    await send('/passkey/verify-registration', { response: await navigator.credentials.create({ publicKey }) });
    say('Passkey added.');
  });
  document.querySelector('#sign-in').onclick = trying(signIn());
  if (location.hash === '#autofill') trying(signIn({ mediation: 'conditional' }))();
</script>`;

test('every file of the pages is run below', () => {
  expect([...files.keys()]).toEqual([
    'add-passkey.js',
    'add-passkey.test.js',
    'passkey.spec.js',
    'playwright.config.js',
    'without-fixtures.mjs',
    'passkeys.spec.js',
  ]);
});

describe('the vitest example', () => {
  const packages = ['passkey-cli', 'vitest', 'jsdom', '@simplewebauthn/server'];
  // In one piece, vitest would take it for the environment of this file.
  const inJsdom = ['// @vitest', 'environment jsdom\n'].join('-');

  test.each([
    ['in jsdom', (text: string) => text],
    ['in Node alone', (text: string) => text.replace(inJsdom, '')],
  ])('%s', async (_, edit) => {
    const folder = await project({ names: ['add-passkey.js', 'add-passkey.test.js'], packages });
    const test = join(folder, 'add-passkey.test.js');
    const text = readFileSync(test, 'utf8');
    expect(text).toContain(inJsdom);
    writeFileSync(test, edit(text));
    const { code, stdout, stderr } = await runIn(folder, ['node_modules/vitest/vitest.mjs', 'run', '--root', '.']);
    expect([stdout, stderr, code]).toEqual([expect.stringMatching(/Tests +2 passed \(2\)/), '', 0]);
  });
});

describe.skipIf(skipWithoutBrowser())('the Playwright examples, against better-auth', () => {
  async function open(names: readonly string[]) {
    const target = await startBetterAuth(HOME);
    onTestFinished(() => target.close());
    const folder = await project({ names, packages: ['passkey-cli', '@playwright/test'] });
    return { folder, env: { BASE_URL: target.url, CHROMIUM: chromiumPath, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder } };
  }

  test('npx playwright test', async () => {
    const { folder, env } = await open(['passkey.spec.js', 'playwright.config.js']);
    const { code, stdout, stderr } = await runIn(folder, ['node_modules/@playwright/test/cli.js', 'test', '--reporter', 'list'], env);
    expect([stdout, stderr, code]).toEqual([expect.stringMatching(/3 passed/), '', 0]);
  });

  test('the check of a page', async () => {
    const { folder, env } = await open(['passkeys.spec.js', 'playwright.config.js']);
    const { code, stdout, stderr } = await runIn(folder, ['node_modules/@playwright/test/cli.js', 'test', '--reporter', 'list'], env);
    expect([stdout, stderr, code]).toEqual([expect.stringMatching(/1 passed/), '', 0]);
  });

  test('the library alone', async () => {
    const { folder, env } = await open(['without-fixtures.mjs']);
    const { code, stdout, stderr } = await runIn(folder, ['without-fixtures.mjs'], env);
    expect([stdout, stderr, code]).toEqual(["[ 'create at localhost' ]\n", '', 0]);
  });
});
