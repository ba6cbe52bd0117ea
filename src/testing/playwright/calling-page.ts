import type { Frame } from '@playwright/test';
import type { PolicyFeature } from '../../client/platform.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { CallingPage } from '../credentials/connection.js';

const FEATURES = ['publickey-credentials-create', 'publickey-credentials-get', 'payment'] as const satisfies readonly PolicyFeature[];

/** Serialization of an opaque origin. */
const OPAQUE = 'null';

/** One document in the chain from the top-level page to the calling frame. */
interface Level {
  readonly origin: string;
  /** Whether the origin is opaque because of a sandbox on this frame or on one that contains it. */
  readonly sandboxed: boolean;
  /** The iframe attribute `allow`, with permissions that the embedding page grants. */
  readonly allow: string;
  /** Origin of the iframe attribute `src`. The attribute `allow` refers to this origin if it names no origin itself. */
  readonly source: string;
}

/**
 * Describes the calling page from what Playwright knows, without trusting the page itself. Ignores response headers: a permissions policy
 * or a sandbox that is set only there has no effect.
 *
 * @param url URL of the frame when it called; the frame may have navigated since.
 * @param opener result of {@link originOfOpener}, called when the document began.
 */
export async function readCallingPage(frame: Frame, url: string, opener: Promise<string>): Promise<CallingPage> {
  const frames = [frame];
  for (let parent = frame.parentFrame(); parent !== null; parent = parent.parentFrame()) frames.unshift(parent);
  const [top, ...embedded] = frames;
  if (top === undefined || embedded.length === 0) return { origin: readOrigin(url, await opener) };

  const first: Level = { origin: readOrigin(top.url(), OPAQUE), sandboxed: false, allow: '', source: '' };
  const levels = [first];
  let last = first;
  for (const each of embedded) {
    last = await readLevel(each, each === frame ? url : each.url(), last);
    levels.push(last);
  }
  const { origin } = last;
  if (origin !== OPAQUE && levels.every((level) => level.origin === origin)) return { origin };
  const permissionsPolicy: Partial<Record<PolicyFeature, boolean>> = {};
  for (const feature of FEATURES) permissionsPolicy[feature] = isAllowed(levels, feature);
  return { origin, crossOrigin: true, topOrigin: first.origin, permissionsPolicy };
}

/**
 * Finds the origin of the page that opened a window. A window without its own address keeps that origin, even after that page navigates.
 */
export async function originOfOpener(frame: Frame): Promise<string> {
  const opener = await frame.page().opener();
  return opener === null ? OPAQUE : readOrigin(opener.url(), OPAQUE);
}

async function readLevel(frame: Frame, url: string, above: Level): Promise<Level> {
  const element = await frame.frameElement();
  try {
    const sandbox = await element.getAttribute('sandbox');
    const sandboxed = above.sandboxed || (sandbox !== null && !sandbox.toLowerCase().split(/\s+/).includes('allow-same-origin'));
    const inherited = (await isOfParent(element)) ? above.origin : OPAQUE;
    return {
      origin: sandboxed ? OPAQUE : readOrigin(url, inherited),
      sandboxed,
      allow: (await element.getAttribute('allow')) ?? '',
      source: readOrigin((await element.getAttribute('src')) ?? '', above.origin, above.origin),
    };
  } finally {
    await element.dispose();
  }
}

/**
 * Checks whether a frame without an address has the origin of its embedding page. The frame has the origin of the document that emptied it,
 * which is the embedding page or the frame's own earlier document. Only in the first case does the browser let the embedding page access
 * the document.
 */
async function isOfParent(element: Awaited<ReturnType<Frame['frameElement']>>): Promise<boolean> {
  return await element.evaluate((each) => Reflect.get(each, 'contentDocument') !== null);
}

/**
 * Returns the origin of a document.
 *
 * @param inherited the origin of documents that have no address of their own.
 */
function readOrigin(url: string, inherited: string, base?: string): string {
  if (/^(?:about:(?:blank|srcdoc)(?:[?#].*)?)?$/.test(url)) return inherited;
  return parseUrl(url, base === OPAQUE ? undefined : base)?.origin ?? OPAQUE;
}

/**
 * Applies the permissions policy. A frame with its parent's origin may do what the parent may; any other frame needs the attribute `allow`.
 */
function isAllowed(levels: readonly Level[], feature: PolicyFeature): boolean {
  return levels.every((level, index) => {
    const above = levels[index - 1];
    if (above === undefined) return true;
    const list = allowList(level.allow, feature);
    if (list === undefined) return level.origin !== OPAQUE && level.origin === above.origin;
    if (list.includes("'none'")) return false;
    if (list.length === 0 || list.includes("'src'")) return level.origin !== OPAQUE && level.origin === level.source;
    return list.includes('*') || list.includes(level.origin) || (list.includes("'self'") && level.origin === above.origin);
  });
}

/** Reads the origins that the attribute `allow` lists for a feature; undefined if it does not name the feature. */
function allowList(allow: string, feature: PolicyFeature): readonly string[] | undefined {
  for (const directive of allow.split(';')) {
    const [name = '', ...list] = directive.trim().split(/\s+/);
    if (name.toLowerCase() === feature) return list;
  }
  return undefined;
}
