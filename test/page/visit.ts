import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';
// What a page loads later is there at once, so that `settled` waits for requests alone.
import '../../src/page/view/later.js';
import { Service } from '../server/app.js';
import { openDocument } from './dom.js';

/** A browser that keeps something between the visits of a tab: `sessionStorage` and `localStorage` are the same to it. */
export interface Kept {
  readonly texts: Map<string, string>;
  cookie: string | undefined;
}

export const nothingKept = (): Kept => ({ texts: new Map(), cookie: undefined });

/** A body without what differs from run to run: keys, challenges, signatures, durations. */
const withoutChance = (body: string) => body.replaceAll(/[\w-]{20,}/g, '…').replaceAll(/"(milliseconds|token)":[^,}]+/g, '"$1":…');

let visits = 0;

interface VisitOptions {
  readonly at?: string;
  readonly kept?: Kept;
  /** What the browser says that it can do; default: it has no WebAuthn. */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** What the server answers instead of its own answer, by path. */
  readonly answers?: Readonly<Record<string, object>>;
  readonly service: Service;
}

/** Opens the whole page at a server of its own, in one tab, until the test ends. */
export async function visit({ at = 'http://localhost:7277/', kept = nothingKept(), capabilities, answers = {}, service }: VisitOptions) {
  const sent: string[] = [];
  /** Requests that are not answered yet. */
  let open = 0;
  const left: string[] = [];
  const entries: string[] = [];
  let address = new URL(at);
  const streams: { onopen?: () => void; onerror?: () => void; readyState: number; fire(type: string, event: object): void }[] = [];
  const move = (kind: string) => (state: unknown, _title: string, to: string) => {
    address = new URL(to, address);
    history.state = state;
    entries.push(`${kind} ${address.hash}`);
  };
  const history: { state: unknown; replaceState: ReturnType<typeof move>; pushState: ReturnType<typeof move> } = {
    state: null,
    replaceState: move('replace'),
    pushState: move('push'),
  };
  const location = {
    get href() {
      return address.href;
    },
    get hash() {
      return address.hash;
    },
    get pathname() {
      return address.pathname;
    },
    origin: address.origin,
    hostname: address.hostname,
    replace: (to: string) => void left.push(to),
  };
  const storage = {
    getItem: (key: string) => kept.texts.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.texts.set(key, text),
    removeItem: (key: string) => void kept.texts.delete(key),
  };
  const document = openDocument({
    location,
    history,
    isSecureContext: true,
    async fetch(path: string, { method, headers, body }: { method: 'GET'; headers: Record<string, string>; body?: string }) {
      sent.push([method, path, withoutChance(body ?? '')].join(' ').trim());
      open += 1;
      const cookies = kept.cookie === undefined ? {} : { cookie: kept.cookie };
      const origin = { origin: address.origin, host: address.host };
      const reply = await service.inject({
        method,
        url: path,
        headers: { ...headers, ...cookies, ...origin },
        ...(body !== undefined && { payload: body }),
      });
      open -= 1;
      const other = answers[path];
      if (other !== undefined) return { status: 200, text: async () => JSON.stringify(other) };
      if (reply.cookies.length > 0) kept.cookie = Service.cookieOf(reply);
      return { status: reply.statusCode, text: async () => reply.body };
    },
    EventSource: class {
      static readonly CLOSED = 2;
      readyState = 1;
      onopen?: () => void;
      onerror?: () => void;
      readonly #listeners = new Map<string, (event: object) => void>();
      constructor() {
        streams.push(this);
      }
      addEventListener(type: string, listener: (event: object) => void) {
        this.#listeners.set(type, listener);
      }
      fire(type: string, event: object) {
        this.#listeners.get(type)?.(event);
      }
      close() {
        this.readyState = 2;
      }
    },
  });
  const PublicKeyCredential = { getClientCapabilities: async () => capabilities };
  const window = { sessionStorage: storage, localStorage: storage, ...(capabilities !== undefined && { PublicKeyCredential }) };
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
  vi.stubGlobal('window', Object.assign(window, { top: window }));
  const outside = new Map<string, (event: object) => void>();
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) => void outside.set(type, listener));
  visits += 1;
  const script: string = `../../src/page/main.tsx?visit=${visits}`;
  const running = import(script);
  /** Nothing more happens by itself: every request is answered, and none follows. */
  const settled = async () => {
    for (let quiet = 0; quiet < 10; quiet += 1) {
      if (open > 0) quiet = 0;
      await nextTurn();
    }
  };
  return {
    ...document,
    running,
    settled,
    /** Whether there is such a request since `sent` was asked. */
    hasSent: (request: string) => sent.includes(request),
    /** The requests since the last time, with their bodies, but for those of views, which ask when they have been drawn. */
    sent: () =>
      sent
        .splice(0)
        .filter((request) => !/^(?:GET \/dev\/(?:stream|mutations|personas|expectations|example)|POST \/dev\/annotate)/.test(request)),
    left,
    entries,
    streams,
    address: () => address,
    history,
    kept,
    /** The user changes the fragment of the address; a state comes with an entry of the history. */
    go: (hash: string, state: unknown = null) => {
      address = new URL(hash, address);
      history.state = state;
      outside.get('hashchange')?.({});
    },
    /** The user goes back, or forward, to an entry of the history. */
    pop: (state: unknown, hash = '') => {
      address = new URL(`${address.pathname}${hash}`, address);
      history.state = state;
      outside.get('popstate')?.({ state });
    },
  };
}
