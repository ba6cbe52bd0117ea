import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkPage } from '../../src/testing/playwright/check-page.js';
import { startBetterAuth } from '../targets/better-auth.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { startShop } from './page-check/shop.js';

/** HTML of a page with two buttons and a field, and a script of `page-check/foreign`, bundled with the package that it uses. */
async function makePage(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page-check/foreign', `${name}.js`)],
    bundle: true,
    write: false,
    format: 'esm',
    // Packages that are no dependency of the repository itself.
    nodePaths: [join(import.meta.dirname, '../release/node_modules')],
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: 'globalThis.process ??= { env: {} };' },
  });
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
  return `<!doctype html><title>${name}</title><label>E-mail <input autocomplete="username webauthn"></label>
    <button id="register">Register</button><button id="login">Log in</button><p id="out"></p><script type="module">${script}</script>`;
}

/** The cases of each finding by cause, and those that could not be judged by reason. */
async function check(url: string) {
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  const flow = (name: string) => [{ goto: '/' }, { click: { role: 'button', name } }];
  const { findings, results } = await checkPage(page, { register: flow('Register'), login: flow('Log in') }, { jobs: 2 });
  const unjudged = results.flatMap(({ id, status, reason }) => (status === 'passed' || status === 'failed' ? [] : [[id, reason]]));
  return { findings: Object.fromEntries(findings.map(({ cause, cases }) => [cause, cases])), unjudged };
}

/** Cases of both ceremonies. */
const both = (...cases: readonly string[]): string[] => ['register', 'login'].flatMap((flow) => cases.map((id) => `${flow}.${id}`));

const ENDINGS = [
  'register.cancelled',
  'login.cancelled',
  'register.security-error',
  'login.security-error',
  'register.already-registered',
  'register.aborted',
  'login.aborted',
];

// Where an answer is not JSON, the page's exception is one of Chromium's own parser, for which it has no unhandledrejection event: no finding.
const PAGES = {
  simplewebauthn: {
    // Both functions of the library throw where there is no WebAuthn. The example shows the error and throws it again, and nothing catches it.
    'without-webauthn': both('without-webauthn'),
    // It throws the error again after any failure of the authenticator, and does not catch those of fetch(). It gives the body of an error to
    // the library, which throws before it calls; a verdict in JSON it shows.
    'rejection-unhandled': [
      ...ENDINGS,
      ...both('options-400', 'options-401', 'options-500', 'options-429', 'options-offline', 'verification-offline'),
    ],
    // The library aborts the conditional call for a modal one; the example starts it only at load.
    'autofill-not-rearmed': ['register.cancelled', 'login.cancelled'],
  },
  'webauthn-json': {
    // create() and get() call navigator.credentials, which is undefined then. The README has supported(), and does not call it here.
    'without-webauthn': both('without-webauthn'),
    // Nothing in the README disables the button or aborts the call before.
    'double-clash': both('double-click'),
    // The README catches nothing. The parsers throw for the body of an error, which has no challenge.
    'rejection-unhandled': [
      ...ENDINGS,
      ...both('options-400', 'options-401', 'options-500', 'options-429', 'options-offline', 'verification-offline'),
    ],
  },
  'next-auth': {
    // signIn() lets the exceptions of its library through, and the documentation calls it from onClick without catching them.
    'without-webauthn': both('without-webauthn'),
    // Likewise. It logs errors of the options. Of an error in place of the verdict it reads `url`, which is undefined, and calls includes() of it.
    'rejection-unhandled': [
      ...ENDINGS,
      ...both('options-offline', 'verification-400', 'verification-401', 'verification-500', 'verification-429', 'verification-offline'),
    ],
  },
};

describe.skipIf(skipWithoutBrowser())('the check of the pages of other projects', () => {
  test.each(Object.entries(PAGES))('%s', async (name, expected) => {
    await using shop = await startShop(await makePage(name));
    const { findings, unjudged } = await check(shop.url);
    expect(sorted(findings)).toEqual(sorted(expected));
    expect(unjudged).toEqual([]);
  });

  test('better-auth', async () => {
    const target = await startBetterAuth(await makePage('better-auth'));
    onTestFinished(() => target.close());
    const { findings, unjudged } = await check(`${target.url}/`);
    // The client returns errors of the authenticator and of the verdict, and requests its options outside of its `try`.
    expect(sorted(findings)).toEqual({ 'rejection-unhandled': both('options-offline').toSorted() });
    expect(unjudged).toEqual([]);
  });
});

const sorted = (findings: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(findings).map(([cause, cases]) => [cause, cases.toSorted()]));
