import type { Frame } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { originOfOpener, readCallingPage } from '../../../src/testing/playwright/calling-page.js';

/** A document in a frame, as Playwright shows it. */
interface Document {
  readonly url: string;
  /** Attributes of the element that embeds it. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Whether the embedding page may look into it. */
  readonly isOfParent?: boolean;
}

/** The innermost of some frames, the top-level page first. */
function embed(documents: readonly Document[], disposed: string[] = []): Frame {
  return documents.reduce<Frame>((parent, { url, attributes = {}, isOfParent = true }, index) => {
    const frame: Frame = Object({
      url: () => url,
      parentFrame: () => (index === 0 ? null : parent),
      frameElement: async () => ({
        getAttribute: async (name: string) => attributes[name] ?? null,
        evaluate: async (read: (element: object) => unknown) => read({ contentDocument: isOfParent ? {} : null }),
        dispose: async () => void disposed.push(url),
      }),
    });
    return frame;
  }, Object(null));
}

const read = async (documents: readonly Document[], { url = documents.at(-1)?.url ?? '', opener = 'https://opener.example' } = {}) =>
  await readCallingPage(embed(documents), url, Promise.resolve(opener));

const TOP = 'https://top.example';
const SHOP = 'https://shop.example';

const frame = (url: string, attributes: Readonly<Record<string, string>> = {}, isOfParent = true): readonly Document[] => [
  { url: `${TOP}/page` },
  { url, attributes, isOfParent },
];

describe('a top-level page', () => {
  test.each([
    ['https://shop.example/login?x=1', SHOP],
    ['http://localhost:7277/', 'http://localhost:7277'],
    ['about:blank', 'https://opener.example'],
    ['about:blank#part', 'https://opener.example'],
    ['about:srcdoc?x', 'https://opener.example'],
    ['about:blanket', 'null'],
    ['data:text/html,x', 'null'],
    ['no address', 'null'],
  ])('%s has the origin %s, and nothing around it', async (url, origin) => {
    expect(await read([{ url: 'https://elsewhere.example' }], { url })).toStrictEqual({ origin });
  });

  test.each([
    ['https://opener.example/page', 'https://opener.example'],
    ['about:blank', 'null'],
  ])('opened by %s: the origin of a window without an address is %s', async (url, origin) => {
    const page: Frame = Object({ page: () => ({ opener: async () => ({ url: () => url }) }) });
    expect(await originOfOpener(page)).toBe(origin);
    const alone: Frame = Object({ page: () => ({ opener: async () => null }) });
    expect(await originOfOpener(alone)).toBe('null');
  });
});

const ALL = { 'publickey-credentials-create': true, 'publickey-credentials-get': true, payment: true };
const NONE = { 'publickey-credentials-create': false, 'publickey-credentials-get': false, payment: false };
const CROSS = { crossOrigin: true, topOrigin: TOP, permissionsPolicy: NONE };

describe('a page in a frame', () => {
  test.each<[string, readonly Document[], object]>([
    ['of the same origin', frame(`${TOP}/frame`), { origin: TOP }],
    ['of another origin', frame(`${SHOP}/frame`), { ...CROSS, origin: SHOP }],
    ['without an address', frame('about:srcdoc'), { origin: TOP }],
    ['that has emptied itself', frame('about:blank', {}, false), { ...CROSS, origin: 'null' }],
    ['in a sandbox', frame(`${TOP}/frame`, { sandbox: 'allow-scripts' }), { ...CROSS, origin: 'null' }],
    ['in a sandbox that keeps the origin', frame(`${TOP}/frame`, { sandbox: 'allow-scripts\nALLOW-same-origin' }), { origin: TOP }],
    ['in a sandbox that keeps another', frame(SHOP, { sandbox: 'allow-same-origin' }), { ...CROSS, origin: SHOP }],
    [
      'of its own origin, inside one of another',
      [{ url: TOP }, { url: SHOP }, { url: TOP }],
      { origin: TOP, crossOrigin: true, topOrigin: TOP, permissionsPolicy: NONE },
    ],
    [
      'in a frame in a sandbox',
      [{ url: TOP }, { url: TOP, attributes: { sandbox: '' } }, { url: TOP }],
      { origin: 'null', crossOrigin: true, topOrigin: TOP, permissionsPolicy: NONE },
    ],
    [
      'of a window without an origin',
      [{ url: 'about:blank' }, { url: SHOP, attributes: { allow: 'payment *' } }],
      { origin: SHOP, crossOrigin: true, topOrigin: 'null', permissionsPolicy: { ...NONE, payment: true } },
    ],
  ])('%s', async (_, documents, expected) => {
    expect(await read(documents)).toStrictEqual(expected);
  });

  test('its address is that of the call, and those around it are theirs of now', async () => {
    expect(await read(frame(`${TOP}/later`), { url: `${SHOP}/then` })).toMatchObject({ origin: SHOP, topOrigin: TOP });
    expect(await read([{ url: TOP }, { url: TOP }, { url: SHOP }], { url: TOP })).toStrictEqual({ origin: TOP });
  });

  test('no element of a frame is kept', async () => {
    const disposed: string[] = [];
    await readCallingPage(
      embed([{ url: TOP }, { url: `${SHOP}/1` }, { url: `${SHOP}/2` }], disposed),
      `${SHOP}/2`,
      Promise.resolve('null'),
    );
    expect(disposed).toEqual([`${SHOP}/1`, `${SHOP}/2`]);
  });
});

describe('the permissions policy of a frame of another origin', () => {
  const allowed = async (attributes: Readonly<Record<string, string>>, url = `${SHOP}/frame`) =>
    (await read(frame(url, attributes))).permissionsPolicy;

  test.each<[string, object]>([
    ['publickey-credentials-create; publickey-credentials-get; payment', ALL],
    ['publickey-credentials-get', { ...NONE, 'publickey-credentials-get': true }],
    ['PUBLICKEY-credentials-create *;payment *', { ...ALL, 'publickey-credentials-get': false }],
    [`payment ${SHOP}`, { ...NONE, payment: true }],
    ['payment https://other.example', NONE],
    ["payment 'none'", NONE],
    ["payment * 'none'", NONE],
    ["payment 'src'", { ...NONE, payment: true }],
    ["payment 'self'", NONE],
    ["payment 'self' https://shop.example", { ...NONE, payment: true }],
    ['', NONE],
  ])('allow="%s"', async (allow, expected) => {
    expect(await allowed({ allow, src: `${SHOP}/first` })).toEqual(expected);
  });

  test.each([
    ['the frame has gone elsewhere', 'https://other.example/first', false],
    ['the address is relative, and means the page around it', '/first', false],
    ['there is none', '', false],
    ['it is another page of the origin', `${SHOP}/other`, true],
  ])('where no origin is named, the one of src is meant: %s', async (_, src, expected) => {
    expect(await allowed({ allow: 'payment', src })).toEqual({ ...NONE, payment: expected });
  });

  test('a frame without an origin is not meant by its src', async () => {
    expect(await allowed({ allow: 'payment', src: SHOP, sandbox: '' })).toEqual(NONE);
    expect(await allowed({ allow: 'payment *', src: SHOP, sandbox: '' })).toEqual({ ...NONE, payment: true });
  });

  test('every frame on the way has to allow it, to one of its own origin by being that', async () => {
    const way = (first: string, second?: string): readonly Document[] => [
      { url: TOP },
      { url: SHOP, attributes: { src: SHOP, allow: first } },
      { url: `${SHOP}/inner`, attributes: { src: '/inner', ...(second !== undefined && { allow: second }) } },
    ];
    const policy = async (...lists: Parameters<typeof way>) => (await read(way(...lists))).permissionsPolicy;
    expect(await policy('payment')).toEqual({ ...NONE, payment: true });
    expect(await policy('payment', "payment 'self'")).toEqual({ ...NONE, payment: true });
    expect(await policy('payment', 'payment')).toEqual({ ...NONE, payment: true });
    expect(await policy('payment', "payment 'none'")).toEqual(NONE);
    expect(await policy('', 'payment *')).toEqual(NONE);
  });
});
