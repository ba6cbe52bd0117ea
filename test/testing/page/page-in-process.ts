import { setTimeout as wait } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';
import { type HTMLElement, parse } from 'node-html-parser';
import { pageScript } from '../../../generated/watch-page.js';
import { type InstalledCredentials, installCredentials } from '../../../src/testing/credentials/install-credentials.js';
import {
  type DrivenPage,
  NO_TRIGGER,
  type Observation,
  type PageDriver,
  type SentRequest,
  type TriggerState,
  type World,
} from '../../../src/testing/page/driver.js';
import type { Control, Flow, Step } from '../../../src/testing/page/flow.js';

// Pages without a browser: the scripts of a document run in a context of node:vm, with the script that watches pages, the software
// authenticator behind navigator.credentials, and as much of a document as forms need. No layout, no navigation but by its steps.

const LOOK = 5;
const PATIENCE = 2_000;

type Listener = (event: object) => void;

/** An element with an ID. */
class PageControl {
  readonly isConnected = true;
  readonly shadowRoot = null;
  readonly tagName: string;
  readonly label: string;
  readonly #attributes: Map<string, string>;
  textContent: string;
  value = '';
  disabled = false;
  hidden: boolean;
  onclick: (() => unknown) | undefined;

  constructor({ tagName, attributes, text, parentNode }: HTMLElement) {
    this.tagName = tagName;
    this.#attributes = new Map(Object.entries(attributes));
    this.textContent = text;
    this.label = parentNode?.text.trim() ?? '';
    this.hidden = this.#attributes.has('hidden');
  }
  set autocomplete(value: string) {
    this.setAttribute('autocomplete', value);
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }
  closest(): PageControl {
    return this;
  }
  /** Knows the selectors of the script that watches pages. */
  matches(selector: string): boolean {
    if (selector.startsWith(':disabled')) return this.disabled;
    if (selector.startsWith('[aria-busy')) return this.getAttribute('aria-busy') === 'true';
    return selector.startsWith('input:not') && this.tagName === 'INPUT';
  }
  getClientRects(): { readonly length: number } {
    return { length: this.hidden ? 0 : 1 };
  }
}

/** Opens pages of one server in this process. */
export function createPageDriver(base: string): PageDriver {
  return {
    async open(world, passkeys) {
      const opened = new OpenedPage(base, world);
      if (passkeys !== undefined) opened.passkeys = passkeys;
      return await Promise.resolve(opened);
    },
  };
}

interface Watch {
  pending(): number;
  readTrigger(): TriggerState;
  findTrigger(): PageControl | undefined;
}

class OpenedPage implements DrivenPage {
  readonly observations: Observation[] = [];
  passkeys: string | undefined;
  readonly #base: string;
  readonly #world: World;
  readonly #cookies = new Map<string, string>();
  #requests = 0;
  #pending = 0;
  #credentials: InstalledCredentials | undefined;
  #watch: Watch | undefined;
  #controls: readonly PageControl[] = [];
  #listeners = new Map<string, Listener[]>();

  constructor(base: string, world: World) {
    this.#base = base;
    this.#world = world;
  }

  async play(flow: Flow, { user, isHonest }: { readonly user: number; readonly isHonest: boolean }): Promise<void> {
    const steps = isHonest ? flow : flow.slice(0, flow.findLastIndex((step) => 'click' in step) + 1);
    for (const step of steps) await this.#playStep(step, user);
  }

  async #playStep(step: Step, user: number): Promise<void> {
    if ('goto' in step) await this.#load(new URL(step.goto, this.#base));
    else if ('fill' in step) (await this.#locate(step.fill)).value = step.value.replaceAll('{n}', String(user));
    else if ('click' in step) this.#click(await this.#locate(step.click));
  }

  async #locate({ role, name }: Control): Promise<PageControl> {
    for (let spent = 0; spent < PATIENCE; spent += LOOK) {
      const found = this.#controls.find(
        ({ tagName, textContent, label, hidden, disabled }) =>
          !hidden &&
          !disabled &&
          (role === 'button' ? tagName === 'BUTTON' && textContent === name : tagName === 'INPUT' && label === name),
      );
      if (found !== undefined) return found;
      await wait(LOOK);
    }
    throw new Error(`There is no ${role} "${name}".`);
  }

  #click(control: PageControl): void {
    for (const listener of this.#listeners.get('click') ?? []) listener({ isTrusted: true, composedPath: () => [control] });
    Promise.resolve(control.onclick?.()).catch((reason: unknown) => {
      for (const listener of this.#listeners.get('unhandledrejection') ?? []) listener({ reason });
    });
  }

  async #load(url: URL): Promise<void> {
    if (this.#credentials !== undefined) this.passkeys = await this.#credentials.credentials.export();
    const document = parse(await (await fetch(url)).text());
    this.#controls = document.querySelectorAll('[id]').map((element) => new PageControl(element));
    this.#listeners = new Map();
    const { answer: _, ...behaviour } = this.#world;
    const page = createContext({
      URL,
      URLSearchParams,
      AbortController,
      // A copy, since the script that watches the page replaces one of its methods.
      AbortSignal: Object.create(AbortSignal),
      DOMException,
      TextEncoder,
      TextDecoder,
      crypto,
      atob,
      btoa,
      structuredClone,
      setTimeout,
      clearTimeout,
      location: url,
      navigator: {},
      isSecureContext: true,
      document: {
        URL: url.href,
        getElementById: (id: string) => this.#controls.find((control) => control.getAttribute('id') === id) ?? null,
        querySelectorAll: () => this.#controls,
      },
      addEventListener: (type: string, listener: Listener) => {
        this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
      },
      fetch: async (input: string, init: RequestInit = {}) => await this.#send(new URL(input, url), init, url.origin),
      watched: (text: string) => {
        this.observations.push(JSON.parse(text));
      },
    });
    runInContext('globalThis.top = globalThis', page);
    this.#credentials = installCredentials({ target: page });
    if (this.passkeys !== undefined) await this.#credentials.credentials.import(this.passkeys);
    runInContext(`${pageScript}passkeyWatch.watchPage('watched', ${JSON.stringify(behaviour)});`, page);
    this.#watch = Reflect.get(page, 'watched-watch');
    for (const script of document.querySelectorAll('script')) runInContext(script.text, page);
    // The user does not click before the page is there.
    await this.settle();
  }

  async #send(url: URL, init: RequestInit, origin: string): Promise<Response> {
    this.#requests += 1;
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = typeof init.body === 'string' ? init.body : '';
    const request: SentRequest = {
      id: this.#requests,
      method: init.method ?? 'GET',
      url: url.href,
      headers,
      body,
      isNavigation: false,
      origin,
    };
    this.observations.push({ kind: 'request', ...request });
    this.#pending += 1;
    try {
      const override = this.#world.answer?.(request);
      const cookie = init.credentials === 'omit' ? undefined : this.#cookies.get(url.hostname);
      const answered =
        override?.kind === 'offline'
          ? undefined
          : override?.kind === 'answer'
            ? new Response(override.body, { status: override.status, headers: override.headers })
            : await fetch(url, { ...init, headers: { ...headers, ...(cookie !== undefined && { cookie }) } });
      const text = await answered?.text();
      const seen = override?.kind === 'edit' && text !== undefined ? override.edit(text) : text;
      const { status = 0 } = answered ?? {};
      const answerHeaders = Object.fromEntries(answered?.headers ?? []);
      this.observations.push({
        kind: 'answer',
        request: request.id,
        status,
        headers: answerHeaders,
        body: seen,
        sentCookie: cookie !== undefined,
      });
      if (answered === undefined) throw new TypeError('Failed to fetch');
      const [set] = answered.headers.getSetCookie();
      if (set !== undefined && init.credentials !== 'omit') this.#cookies.set(url.hostname, set.split(';')[0] ?? '');
      return new Response(status === 204 ? null : seen, { status, headers: answered.headers });
    } finally {
      this.#pending -= 1;
    }
  }

  async press(times: number): Promise<boolean> {
    const control = this.#watch?.findTrigger();
    if (control === undefined || control.disabled) return await Promise.resolve(false);
    for (let click = 0; click < times; click += 1) this.#click(control);
    return true;
  }

  async pickAutofill(): Promise<void> {
    if ((this.#credentials?.waiting ?? 0) > 0) await this.#credentials?.autofill().catch(() => undefined);
  }

  async readTrigger(): Promise<TriggerState> {
    return await Promise.resolve(this.#watch?.readTrigger() ?? NO_TRIGGER);
  }

  async settle(): Promise<void> {
    let quiet = 0;
    for (let spent = 0; quiet < 3 && spent < PATIENCE; spent += LOOK) {
      const before = this.observations.length;
      await wait(LOOK);
      const isAtRest = (this.#watch?.pending() ?? 0) === 0 && this.#pending === 0 && this.observations.length === before;
      quiet = isAtRest ? quiet + 1 : 0;
    }
  }

  async exportPasskeys(): Promise<string> {
    return (await this.#credentials?.credentials.export()) ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What its scripts still do ends with them, as in a browser: nothing is taken from the document.
    await Promise.resolve();
  }
}
