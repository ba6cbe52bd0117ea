import type { Browser, Dialog, Request, Route } from '@playwright/test';

/** Browsers as Playwright shows them: all that is asked of them is in the list of calls, and they do what a test says. */

type Binding = (source: object, given: unknown) => Promise<unknown>;
type Listener = (subject: object) => void;

/** What a test may say of a browser. */
export interface Script {
  /** Results of scripts in the page, by the end of the script: a function of a page that goes away throws. */
  readonly evaluate?: (script: string) => unknown;
  /** The element of the trigger; null if there is none. */
  readonly element?: object | null;
  /** What a step does when it is played, by its name. */
  readonly step?: (name: string) => Promise<void>;
  readonly newCDPSession?: () => Promise<object>;
  readonly exposeBinding?: (name: string) => Promise<void>;
  readonly frames?: number;
}

export function scriptBrowser({ evaluate = () => undefined, element = null, step = async () => undefined, ...more }: Script = {}) {
  const calls: (readonly unknown[])[] = [];
  const bindings = new Map<string, Binding>();
  const listeners = new Map<string, Listener>();
  const routes: ((route: Route) => Promise<void>)[] = [];
  const called = (...call: readonly unknown[]) => void calls.push(call);
  const locator = (path: readonly unknown[]): object => ({
    first: () => locator([...path, 'first']),
    fill: async (value: string) => await play(...path, 'fill', value),
    click: async () => await play(...path, 'click'),
    waitFor: async () => await play(...path, 'waitFor'),
  });
  const play = async (...call: readonly unknown[]): Promise<void> => {
    called(...call);
    await step(String(call[0]));
  };
  const frame: object = { url: () => 'https://shop.example/login', page: () => page, parentFrame: () => null };
  const page: object = {
    frames: () => Array.from({ length: more.frames ?? 1 }, () => frame),
    opener: async () => null,
    on: (event: string, listener: Listener) => void listeners.set(event, listener),
    setDefaultTimeout: (milliseconds: number) => called('setDefaultTimeout', milliseconds),
    getByRole: (role: string, options: object) => locator(['getByRole', role, options]),
    goto: async (url: string) => await play('goto', url),
    waitForURL: async (matches: (url: URL) => boolean) =>
      await play(
        'waitForURL',
        ['https://shop.example/account', 'https://shop.example/account/1'].map((url) => matches(new URL(url))),
      ),
    evaluate: async (script: string) => await Promise.resolve(evaluate(script)),
    async evaluateHandle(script: string) {
      called('evaluateHandle', script.replace(/"passkey-[0-9a-f-]{36}-watch"/, 'NAME'));
      return await Promise.resolve({ asElement: () => element });
    },
  };
  const context: object = {
    pages: () => [],
    async exposeBinding(name: string, binding: Binding) {
      called('exposeBinding');
      await more.exposeBinding?.(name);
      bindings.set(name, binding);
      return { dispose: async () => called('dispose') };
    },
    async addInitScript({ content }: { readonly content: string }) {
      called('addInitScript', content.slice(content.lastIndexOf(';passkey') + 1).replace(/"passkey-[^"]*"/, 'NAME'));
      return await Promise.resolve({ dispose: async () => called('dispose') });
    },
    async route(pattern: string, handler: (route: Route) => Promise<void>) {
      called('route', pattern);
      routes.push(handler);
      await Promise.resolve();
    },
    async newPage() {
      called('newPage');
      return await Promise.resolve(page);
    },
    async newCDPSession(of: object) {
      called('newCDPSession', of === page);
      return (await more.newCDPSession?.()) ?? { send: async (...sent: readonly unknown[]) => called('send', ...sent) };
    },
    on: (event: string, listener: Listener) => void listeners.set(event, listener),
    unrouteAll: async (options: object) => called('unrouteAll', options),
    close: async () => called('close'),
  };
  const typed: Browser = Object({
    async newContext(options: object) {
      called('newContext', options);
      return await Promise.resolve({ ...context });
    },
  });
  return {
    browser: typed,
    calls,
    /** The calls since the last time that they were asked for. */
    news: () => calls.splice(0),
    page,
    frame,
    /** Calls the function of the authenticator, and that of the script that watches pages. */
    ask: async (message: object) => await [...bindings.values()][0]?.({ frame }, { document: 'one', message }),
    report: async (observation: object) => await [...bindings.values()][1]?.({ frame }, JSON.stringify(observation)),
    names: () => [...bindings.keys()],
    emit: (event: string, subject: object) => listeners.get(event)?.(subject),
    /** The route takes a request. */
    take: async (route: Route) => await routes[0]?.(route),
  };
}

interface Sent {
  readonly method?: string;
  readonly type?: string;
  readonly body?: string | null;
  readonly isNavigation?: boolean;
  readonly cookie?: string | null;
  /** URL of the frame that sent it; undefined for a request without a frame. */
  readonly from?: string;
  readonly response?: object | null;
}

/** A request as Playwright shows it. */
export function sentRequest({
  method = 'POST',
  type = 'fetch',
  body = null,
  isNavigation = false,
  cookie = null,
  from,
  response = null,
}: Sent): Request {
  return Object({
    method: () => method,
    url: () => 'https://shop.example/verify?x=1',
    headers: () => ({ accept: 'a/b' }),
    postData: () => body,
    isNavigationRequest: () => isNavigation,
    resourceType: () => type,
    headerValue: async (name: string) => (name === 'cookie' ? cookie : 'another header'),
    response: async () => response,
    frame: () => {
      if (from === undefined) throw new Error('There is no frame.');
      return { url: () => from };
    },
  });
}

export const receivedResponse = (status: number, body: string): object => ({
  status: () => status,
  text: async () => await Promise.resolve(body),
  allHeaders: async () => await Promise.resolve({ 'content-type': 'c/d' }),
});

/** A dialog of a page, and what the user does with it. */
export function openDialog(type: string, message: string, done: unknown[], answers: () => Promise<void> = async () => undefined): Dialog {
  const answer = (name: string) => async () => {
    done.push(`${name} ${message}`);
    await answers();
  };
  return Object({ type: () => type, message: () => message, accept: answer('accept'), dismiss: answer('dismiss') });
}
