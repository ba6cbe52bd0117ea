import { asObject, type JsonObject } from '../kernel/json-value.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { DevTools } from './devtools.js';
import { addPageScripts, type PageScript } from './page-script.js';

// Chromium refuses conditional calls while an extension stands in for its authenticators. A script in the page makes plain ones of them, each with a
// mark among its credentials, and the answer waits here until the user picks. So Chromium itself checks the options, refuses calls that
// overlap, and ends those that are aborted.

/**
 * Makes a page script that turns the page's conditional calls into plain calls, and marks each call with an extra credential ID. The event
 * named by `undo` reverses these changes. @param mark the bytes of the extra credential ID, which no page can guess.
 */
const makeConverter = (mark: Uint8Array, undo: string) => `{
// A document in which the script has run already.
dispatchEvent(new Event('${undo}'));
const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { create } = Object;
const { then } = Promise.prototype;
const mark = { type: 'public-key', id: new Uint8Array([${mark.join()}]) };
const undone = [];
const wrap = (object, name, handle) => {
  const before = object && getOwnPropertyDescriptor(object, name);
  if (typeof before?.value !== 'function') return;
  defineProperty(object, name, { ...before, value: new Proxy(before.value, { apply: (native, self, args) => handle((given) => apply(native, self, given), args) }) });
  undone.push(() => defineProperty(object, name, before));
};
const convert = ([options]) => {
  if (String(options.mediation) !== 'conditional') return [options];
  const { publicKey } = options;
  const { allowCredentials = [] } = publicKey;
  const marked = create(publicKey, { allowCredentials: { value: [...allowCredentials, mark] } });
  return [create(options, { mediation: { value: undefined }, publicKey: { value: marked } })];
};
wrap(globalThis.CredentialsContainer?.prototype, 'get', (native, args) => {
  let converted = args;
  // What cannot be converted is refused by the browser itself.
  try { converted = convert(args); } catch {}
  return native(converted);
});
wrap(globalThis.PublicKeyCredential, 'isConditionalMediationAvailable', (native, args) => apply(then, native(args), [() => true]));
wrap(globalThis.PublicKeyCredential, 'getClientCapabilities', (native, args) => apply(then, native(args), [(all) => ({ ...all, conditionalGet: true })]));
addEventListener('${undo}', () => undone.splice(0).forEach((each) => each()), { once: true });
}`;

/**
 * Makes a page script that calls the function named by `binding` when the user presses the down arrow key in a field that offers passkeys.
 * In a browser, this key also opens the list of passkeys.
 */
const makeListener = (binding: string) => `
globalThis.listensForPicks ??= addEventListener('keydown', (event) => {
  const [field] = event.composedPath();
  const tokens = String(field?.getAttribute?.('autocomplete') ?? '').toLowerCase().split(/\\s+/);
  if (event.isTrusted && event.key === 'ArrowDown' && tokens.includes('webauthn')) globalThis.${binding}('');
}, true) ?? true;`;

const WORLD = 'passkey browse: autofill';
const BINDING = 'pickPasskey';

/** A conditional call that waits until the user picks a passkey. */
interface Waiting {
  /** DevTools session of the page or frame that made the call. */
  readonly session: string;
  readonly pick: () => void;
  readonly leave: () => void;
}

/** Completes conditional calls in all pages of a browser when the user picks a passkey from the autofill list. */
export interface Autofill {
  /** Adds the scripts of this module to the documents of a page or frame. */
  prepare(session: string): Promise<void>;
  /**
   * Removes the mark from the options of a call. If the call is conditional, `session` is the DevTools session of its page or frame;
   * otherwise it is undefined.
   */
  readOptions(options: JsonObject): { readonly options: JsonObject; readonly session: string | undefined };
  /** Resolves when the user picks a passkey. Rejects when the call ends, or when the document that made the call no longer exists. */
  picked(session: string, signal: AbortSignal): Promise<void>;
  /** Picks a passkey on behalf of the user, for the latest waiting call of this page. @returns whether a call was waiting. */
  pick(session: string): boolean;
  /** Restores the browser's own functions in all pages. */
  leave(): Promise<void>;
}

/** Length in bytes of a credential ID that no page can guess. */
export const MARK_BYTES = 32;

/** Adds autofill to the pages of a browser. @param makeMark generates {@link MARK_BYTES} random bytes. */
export function createAutofill(devtools: DevTools, makeMark: () => Uint8Array): Autofill {
  /** DevTools sessions of pages and frames. The key is the mark that the calls of a page or frame carry. */
  const sessions = new Map<string, string>();
  const waiting = new Set<Waiting>();
  const undo = `passkey-undo-${encodeBase64url(makeMark())}`;
  const pick = (session: string): boolean => {
    const newest = [...waiting].findLast((each) => each.session === session);
    newest?.pick();
    return newest !== undefined;
  };
  const leaveAll = (session: string): void => {
    for (const each of waiting) if (each.session === session) each.leave();
  };
  devtools.on(({ method, params, session = '' }) => {
    if (method === 'Runtime.bindingCalled' && params['name'] === BINDING) pick(session);
    // A frame of its own process has a session of its own.
    if (method === 'Page.frameNavigated' && asObject(params['frame'])['parentId'] === undefined) leaveAll(session);
    if (method === 'Target.detachedFromTarget') leaveAll(String(params['sessionId']));
  });
  return {
    async prepare(session) {
      const mark = makeMark();
      sessions.set(encodeBase64url(mark), session);
      const listener: PageScript = { source: makeListener(BINDING), world: WORLD, binding: BINDING };
      await addPageScripts(devtools, session, [{ source: makeConverter(mark, undo) }, listener]);
    },
    readOptions(options) {
      const { allowCredentials } = options;
      const given = Array.isArray(allowCredentials) ? allowCredentials : [];
      const mark = given.map((each) => String(asObject(each)['id'])).find((id) => sessions.has(id));
      if (mark === undefined) return { options, session: undefined };
      const others = given.filter((each) => asObject(each)['id'] !== mark);
      return { options: { ...options, allowCredentials: others }, session: sessions.get(mark) };
    },
    async picked(session, signal) {
      signal.throwIfAborted();
      const over = new AbortController();
      const ended = AbortSignal.any([signal, over.signal]);
      let pick: () => void = () => {};
      const picking = new Promise<void>((resolve, reject) => {
        pick = resolve;
        ended.addEventListener('abort', () => reject(ended.reason));
      });
      const entry: Waiting = { session, pick: () => pick(), leave: () => over.abort() };
      waiting.add(entry);
      await picking.finally(() => waiting.delete(entry));
    },
    pick,
    async leave() {
      const source = `dispatchEvent(new Event('${undo}'))`;
      await Promise.allSettled([...sessions.values()].map((session) => addPageScripts(devtools, session, [{ source }])));
    },
  };
}
