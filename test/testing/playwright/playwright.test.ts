import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { addSoftwareAuthenticator, type PageAuthenticator, passkeyFixtures } from '../../../src/testing/playwright/playwright.js';
import { until } from '../../until.js';

const ORIGIN = 'https://example.com';
const CREATION = {
  challenge: 'AQIDBAUGBwgJCgsMDQ4PEA',
  rp: { id: 'example.com', name: 'Example' },
  user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};
const REQUEST = { challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ', rpId: 'example.com' };

type Binding = (source: object, envelope: object) => Promise<unknown>;

/** Playwright as the kit calls it: what is put into its pages, and what their scripts can call. */
function openContext() {
  const scripts: string[] = [];
  const evaluated: string[] = [];
  const disposed: string[] = [];
  const bindings = new Map<string, Binding>();
  const target = {
    async exposeBinding(name: string, binding: Binding) {
      bindings.set(name, binding);
      return { dispose: async () => void disposed.push('binding') };
    },
    async addInitScript({ content }: { readonly content: string }) {
      scripts.push(content);
      return { dispose: async () => void disposed.push('script') };
    },
  };
  const listeners = new Map<string, (frame?: object) => void>();
  const openPage = (name: string) => {
    const page: object = {
      ...target,
      context: () => context,
      frames: () => [frame],
      opener: async () => null,
      on: (event: string, listener: (frame?: object) => void) => void listeners.set(`${name} ${event}`, listener),
    };
    const frame: object = {
      page: () => page,
      parentFrame: () => null,
      url: () => `${ORIGIN}/${name}`,
      async evaluate(script: string) {
        evaluated.push(`${name}: ${script}`);
        if (name === 'second') throw new Error('It is going away.');
      },
    };
    return { page, frame };
  };
  const context: object = { ...target, pages: () => pages.map(({ page }) => page) };
  const pages = [openPage('first'), openPage('second')];
  const [first, second] = pages;
  if (first === undefined || second === undefined) throw new Error('Expected both pages.');
  /** A document of a page asks. */
  const ask = async (frame: object, message: object, document = 'one') =>
    await bindings.values().next().value?.({ frame }, { document, message });
  const typed: BrowserContext = Object(context);
  const page: Page = Object(first.page);
  return { context: typed, page, first, second, scripts, evaluated, disposed, bindings, listeners, ask };
}

test('is put into every page, of now and later, under a name that no page can guess', async () => {
  const { context, scripts, evaluated, disposed, bindings } = openContext();
  const kit = await addSoftwareAuthenticator(context, { persona: 'yubikey-5' });
  const [name = ''] = bindings.keys();
  expect(name).toMatch(/^passkey-[0-9a-f-]{36}$/);
  expect(scripts).toEqual([expect.stringContaining(`passkeyInPage.installInPage("${name}");`)]);
  expect(evaluated).toEqual(['first', 'second'].map((page) => `${page}: ${scripts[0]}`));
  expect(disposed).toEqual([]);
  await kit.uninstall();
  expect(disposed).toEqual(['binding', 'script']);
  expect(evaluated.slice(2)).toEqual(['first', 'second'].map((page) => `${page}: globalThis["${name}-undo"]?.();`));
});

test('is one for a context and its pages, until it is uninstalled', async () => {
  const { context, page, evaluated } = openContext();
  const refusal = 'Expected no software authenticator behind these pages yet; there is one. Call its uninstall() first.';
  const kit = await addSoftwareAuthenticator(page);
  expect(evaluated).toHaveLength(1);
  await expect(addSoftwareAuthenticator(page)).rejects.toThrow(refusal);
  await expect(addSoftwareAuthenticator(context)).rejects.toThrow(refusal);
  await kit[Symbol.asyncDispose]();
  const all = await addSoftwareAuthenticator(context);
  await expect(addSoftwareAuthenticator(page)).rejects.toThrow(refusal);
  await all.uninstall();
  await expect(addSoftwareAuthenticator(page, Object({ personas: 'x' }))).rejects.toThrow(TypeError);
});

test('answers the documents of frames, each for itself', async () => {
  const { context, first, second, ask } = openContext();
  const kit = await addSoftwareAuthenticator(context, {});
  const create = { operation: 'create', ceremony: 1, options: { publicKey: CREATION }, isSecond: false };
  expect(await ask(first.frame, create)).toMatchObject({ ok: true, value: { type: 'public-key' } });
  expect(kit.calls).toMatchObject([{ operation: 'create', origin: ORIGIN }]);
  const conditional = { operation: 'get', ceremony: 2, options: { publicKey: REQUEST, mediation: 'conditional' }, isSecond: false };
  const waiting = ask(first.frame, conditional);
  const other = ask(second.frame, { ...conditional, ceremony: 1 });
  await until(() => kit.waiting === 2);
  await ask(first.frame, { operation: 'abort', ceremony: 2 });
  expect(await waiting).toMatchObject({ ok: false, error: { name: 'AbortError' } });
  expect(kit.waiting).toBe(1);
  await kit.uninstall();
  expect(await other).toMatchObject({ ok: false, error: { name: 'AbortError' } });
  expect(kit.waiting).toBe(0);
});

test.each([
  ['its frame is detached', (opened: ReturnType<typeof openContext>) => opened.listeners.get('first framedetached')?.(opened.first.frame)],
  ['its page is closed', (opened: ReturnType<typeof openContext>) => opened.listeners.get('first close')?.()],
  [
    'the next document begins',
    (opened: ReturnType<typeof openContext>) => void opened.ask(opened.first.frame, { operation: 'begin' }, 'two'),
  ],
])('what a document has begun ends when %s', async (_, leave) => {
  const opened = openContext();
  const kit = await addSoftwareAuthenticator(opened.context);
  const conditional = { operation: 'get', ceremony: 1, options: { publicKey: REQUEST, mediation: 'conditional' }, isSecond: false };
  const waiting = opened.ask(opened.first.frame, conditional);
  const other = opened.ask(opened.second.frame, conditional);
  await until(() => kit.waiting === 2);
  leave(opened);
  expect(await waiting).toMatchObject({ ok: false, error: { name: 'AbortError' } });
  expect(kit.waiting).toBe(1);
  await kit.uninstall();
  await other;
});

test('the fixture puts an authenticator behind the pages of each test, whether or not the test names it', async () => {
  const { context, page } = openContext();
  const { softwareAuthenticator, softwareAuthenticatorOptions } = passkeyFixtures;
  const [fixture, settings] = Array.isArray(softwareAuthenticator) ? softwareAuthenticator : [];
  expect([settings, softwareAuthenticatorOptions]).toEqual([{ auto: true }, [{}, { option: true }]]);
  const used: PageAuthenticator[] = [];
  const given = { context, softwareAuthenticatorOptions: { persona: 'yubikey-5' } };
  await Reflect.apply(Object(fixture), undefined, [given, async (kit: PageAuthenticator) => void used.push(kit)]);
  expect(used.map(({ authenticator }) => authenticator.info.attachment)).toEqual(['cross-platform']);
  await expect(addSoftwareAuthenticator(page)).rejects.toThrow('there is one');
});
