import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { decodeUtf8 } from '../../src/kernel/bytes.js';
import { addSoftwareAuthenticator } from '../../src/testing/playwright/playwright.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { html, routes, serve, type Target } from '../targets/http.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { quick as test, thorough } from '../thorough.js';
import { until } from '../until.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { ROOT } from './passkey-process.js';

/** What the pages of these tests can be asked to do. Each answers JSON, or the exception's class and name. */
const FUNCTIONS = `
  const attempt = async (call) => {
    try { return await call(); }
    catch (error) { return { error: error.name, ofThisPage: error instanceof DOMException || error instanceof TypeError }; }
  };
  const user = { id: new Uint8Array([7]), name: 'ada', displayName: 'Ada' };
  const pubKeyCredParams = [{ type: 'public-key', alg: -7 }];
  const register = (more = {}, options = {}) => attempt(async () => (await navigator.credentials.create({
    publicKey: { challenge: new Uint8Array(16), rp: { name: 'Example' }, user, pubKeyCredParams,
      authenticatorSelection: { residentKey: 'required' }, ...more }, ...options })).toJSON());
  const login = (options = {}) => attempt(async () => (await navigator.credentials.get({
    publicKey: { challenge: new Uint8Array(16) }, ...options })).toJSON());
`;

const document = (body: string) => html(200, `<!doctype html><title>Page</title><script>${FUNCTIONS}</script>${body}`);

interface Answer {
  readonly id?: string;
  readonly error?: string;
  readonly ofThisPage?: boolean;
  readonly authenticatorAttachment?: string;
  readonly response?: { readonly clientDataJSON: string; readonly publicKeyAlgorithm?: number };
}

const ask = (page: Page | Frame, script: string): Promise<Answer> => page.evaluate(script);
const clientDataOf = ({ response }: Answer): unknown => JSON.parse(decodeUtf8(decodeBase64url(response?.clientDataJSON ?? '')));

describe.skipIf(skipWithoutBrowser())('our authenticator behind the pages of a real Chromium', () => {
  let site: Target;
  beforeAll(async () => {
    site = await serve(() =>
      routes({
        'GET /': () => document(''),
        'GET /framed': ({ query }) => document(`<iframe ${query.get('attributes') ?? ''}></iframe>`),
        'GET /lying': () => document('<script>Object.defineProperty(window, "origin", { value: "https://bank.example" });</script>'),
      }),
    );
  });
  afterAll(() => site?.close());

  async function open(): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    return { context, page: await context.newPage() };
  }

  /** The same site under another name, and so of another origin. */
  const elsewhere = () => site.url.replace('localhost', 'other.localhost');

  async function openFramed(page: Page, attributes: string): Promise<Frame> {
    await page.goto(`${site.url}/framed?attributes=${encodeURIComponent(attributes)}`);
    const frame = page.frames().at(-1);
    if (frame === undefined || frame === page.mainFrame()) throw new Error('Expected a frame.');
    await frame.waitForFunction('typeof login === "function"');
    return frame;
  }

  test('a page with @simplewebauthn/browser registers and logs in at @simplewebauthn/server', async () => {
    const target = await startSimpleWebAuthn();
    onTestFinished(() => target.close());
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page, { persona: 'google-password-manager' });
    await page.route(`${target.url}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Example</title>' }),
    );
    await page.goto(`${target.url}/`);
    await page.addScriptTag({ path: join(ROOT, 'node_modules/@simplewebauthn/browser/dist/bundle/index.umd.min.js') });
    const ceremony = (kind: string, start: string) =>
      page.evaluate(`(async () => {
        const optionsJSON = await (await fetch('/generate-${kind}-options')).json();
        const body = JSON.stringify(await SimpleWebAuthnBrowser.${start}({ optionsJSON }));
        const headers = { 'content-type': 'application/json' };
        return await (await fetch('/verify-${kind}', { method: 'POST', headers, body })).json();
      })()`);
    expect(await ceremony('registration', 'startRegistration')).toEqual({ verified: true });
    expect(await ceremony('authentication', 'startAuthentication')).toEqual({ verified: true });
    expect(authenticator.calls.map(({ operation, origin, error }) => [operation, origin, error])).toEqual([
      ['create', target.url, undefined],
      ['get', target.url, undefined],
    ]);
  });

  test('outcomes, abort and autofill are those of the test; exceptions are of the page’s classes', async () => {
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page, { traits: { algorithms: [-8] } });
    await page.goto(site.url);
    expect(await ask(page, 'register()')).toEqual({ error: 'NotSupportedError', ofThisPage: true });
    expect(await ask(page, 'register({ challenge: undefined })')).toEqual({ error: 'TypeError', ofThisPage: true });
    const algorithms = 'pubKeyCredParams: [{ type: "public-key", alg: -8 }]';
    authenticator.next('cancelled');
    expect(await ask(page, `register({ ${algorithms} })`)).toEqual({ error: 'NotAllowedError', ofThisPage: true });
    const created = await ask(page, `register({ ${algorithms} })`);
    expect(created).toMatchObject({ response: { publicKeyAlgorithm: -8 } });
    expect(await ask(page, 'login({ mediation: "conditional", signal: AbortSignal.abort() })')).toEqual({
      error: 'AbortError',
      ofThisPage: true,
    });
    const filled = ask(page, 'login({ mediation: "conditional" })');
    await authenticator.autofill();
    expect((await filled).id).toBe(created.id);
    const [held] = await authenticator.credentials.list('localhost');
    expect(held?.id).toBe(created.id);
    expect(await authenticator.credentials.remove(created.id ?? '')).toBe(true);
    expect(await ask(page, 'login()')).toEqual({ error: 'NotAllowedError', ofThisPage: true });
  });

  thorough(
    'all pages and windows of a context share it, those that were open before too; uninstalled, they have their own again',
    async () => {
      const { context, page } = await open();
      await page.goto(site.url);
      const own = await page.evaluate('String(navigator.credentials.create)');
      const authenticator = await addSoftwareAuthenticator(context);
      const { id } = await ask(page, 'register()');
      const second = await context.newPage();
      await second.goto(site.url);
      expect((await ask(second, 'login()')).id).toBe(id);
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate('void open("/")')]);
      await popup.waitForFunction('typeof login === "function"');
      expect((await ask(popup, 'login()')).id).toBe(id);

      const again = 'Expected no software authenticator behind these pages yet; there is one. Call its uninstall() first.';
      await expect(addSoftwareAuthenticator(context)).rejects.toThrow(new TypeError(again));
      await expect(addSoftwareAuthenticator(page)).rejects.toThrow(new TypeError(again));
      await authenticator.uninstall();
      await second.goto(site.url);
      for (const each of [page, second, popup]) expect(await each.evaluate('String(navigator.credentials.create)')).toBe(own);
    },
  );

  test('the origin is the one that the browser knows, whatever the page says', async () => {
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page);
    await page.goto(`${site.url}/lying`);
    expect(await page.evaluate('origin')).toBe('https://bank.example');
    expect(clientDataOf(await ask(page, 'register()'))).toMatchObject({ origin: site.url, crossOrigin: false });
    expect(await ask(page, 'register({ rp: { id: "bank.example", name: "x" } })')).toMatchObject({ error: 'SecurityError' });
    expect(authenticator.calls.map(({ origin }) => origin)).toEqual([site.url, site.url]);
  });

  thorough('a frame of another origin needs its parent’s word, and its client data say where it is', async () => {
    const { page } = await open();
    await addSoftwareAuthenticator(page);
    const refused = await openFramed(page, `src="${elsewhere()}"`);
    expect(await ask(refused, 'register()')).toMatchObject({ error: 'NotAllowedError' });
    const allowed = await openFramed(
      page,
      `src="${elsewhere()}" allow="publickey-credentials-create; publickey-credentials-get ${site.url}"`,
    );
    expect(clientDataOf(await ask(allowed, 'register()'))).toMatchObject({ origin: elsewhere(), crossOrigin: true, topOrigin: site.url });
    expect(await ask(allowed, 'login()')).toMatchObject({ error: 'NotAllowedError' });
    const everything = await openFramed(page, `src="${elsewhere()}" allow="publickey-credentials-get *"`);
    expect(clientDataOf(await ask(everything, 'login()'))).toMatchObject({ crossOrigin: true, topOrigin: site.url });
  });

  thorough('a frame of the same origin needs none; one without an address has its parent’s origin, one in a sandbox none', async () => {
    const { page } = await open();
    await addSoftwareAuthenticator(page);
    const same = await openFramed(page, 'src="/"');
    expect(clientDataOf(await ask(same, 'register()'))).toMatchObject({ origin: site.url, crossOrigin: false });
    const written = await openFramed(page, `srcdoc="${`<script>${FUNCTIONS}</script>`.replaceAll('"', '&quot;')}"`);
    expect(clientDataOf(await ask(written, 'login()'))).toMatchObject({ origin: site.url, crossOrigin: false });
    const sandboxed = await openFramed(page, 'src="/" sandbox="allow-scripts" allow="publickey-credentials-get *"');
    expect(await ask(sandboxed, 'login()')).toMatchObject({ error: expect.stringMatching(/^(?:NotAllowedError|TypeError)$/) });
  });

  thorough('a frame of another origin that empties its own address does not become its parent’s', async () => {
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page);
    const hostile = await openFramed(page, `src="${elsewhere()}" allow="publickey-credentials-create *"`);
    await hostile.evaluate('location = "about:blank"').catch(() => undefined);
    await until(() => hostile.url() === 'about:blank');
    expect(await hostile.evaluate('self.origin')).toBe(elsewhere());
    expect(await ask(hostile, `(async () => { ${FUNCTIONS} return await register(); })()`)).toMatchObject({ error: expect.any(String) });
    expect(authenticator.calls.map(({ origin, error }) => [origin, error])).not.toContainEqual([site.url, undefined]);
  });

  thorough('a window without an address keeps the origin that opened it when its opener goes elsewhere', async () => {
    const { page, context } = await open();
    await addSoftwareAuthenticator(context);
    await page.goto(elsewhere());
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate('void open("about:blank")')]);
    const call = `(async () => { ${FUNCTIONS} return await register(); })()`;
    expect(clientDataOf(await ask(popup, call))).toMatchObject({ origin: elsewhere() });
    await page.goto(site.url);
    expect(await popup.evaluate('self.origin')).toBe(elsewhere());
    expect(clientDataOf(await ask(popup, call))).toMatchObject({ origin: elsewhere() });
  });

  thorough('a ceremony ends with the document that began it', async () => {
    const prompts: AbortSignal[] = [];
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page, {
      user: {
        canVerify: true,
        verify({ signal }) {
          if (signal) prompts.push(signal);
          return prompts.length === 1 ? new Promise(() => undefined) : 'verified';
        },
      },
    });
    await page.goto(site.url);
    await page.evaluate('void register()');
    await until(() => prompts.length === 1);
    await page.evaluate('location.hash = "same-document"');
    expect(prompts[0]?.aborted).toBe(false);
    await page.reload();
    await until(() => prompts[0]?.aborted);
    expect((await ask(page, 'register()')).id).toEqual(expect.any(String));
    await page.evaluate('void login({ mediation: "conditional" })');
    await until(() => authenticator.waiting === 1);
    await page.close();
    await until(() => authenticator.calls.length === 3);
    expect(authenticator.waiting).toBe(0);
    expect(authenticator.calls.map(({ error }) => error)).toEqual(['AbortError', undefined, 'AbortError']);
  });

  thorough('a ceremony ends with the frame that began it, and that leaves the page free for another', async () => {
    const { page } = await open();
    const authenticator = await addSoftwareAuthenticator(page);
    const frame = await openFramed(page, 'src="/"');
    await frame.evaluate('void login({ mediation: "conditional" })');
    await until(() => authenticator.waiting === 1);
    expect(await ask(page, 'register()')).toMatchObject({ error: 'OperationError' });
    await page.evaluate('document.querySelector("iframe").remove()');
    await until(() => authenticator.waiting === 0);
    expect((await ask(page, 'register()')).id).toEqual(expect.any(String));
  });

  thorough('a page that is not a secure context has no WebAuthn', async () => {
    const { page } = await open();
    await addSoftwareAuthenticator(page);
    await page.route('http://insecure.example/', (route) => route.fulfill({ contentType: 'text/html', body: '<title>x</title>' }));
    await page.goto('http://insecure.example/');
    expect(await page.evaluate('[typeof PublicKeyCredential, typeof navigator.credentials]')).toEqual(['undefined', 'undefined']);
  });
});
