import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Behaviour, Observation, TriggerState } from '../../../src/testing/page/driver.js';
import { watchPage } from '../../../src/testing/page/watch-page.js';

const NAME = 'passkey-watch-of-this-test';

afterEach(() => {
  Reflect.deleteProperty(globalThis, `${NAME}-watch`);
  vi.unstubAllGlobals();
});

interface Timer {
  readonly id: number;
  readonly run: (...given: readonly unknown[]) => void;
  readonly delay: unknown;
  readonly given: readonly unknown[];
}

interface Looks {
  readonly tagName?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** Parts of the selectors that match it. */
  readonly is?: readonly string[];
  readonly control?: FakeElement;
  readonly rects?: number;
}

/** An element of a page, which matches the selectors that a test says. */
class FakeElement {
  isConnected = true;
  value = '';
  shadowRoot: { querySelectorAll(): readonly FakeElement[] } | null = null;
  is: readonly string[];
  rects: number;
  readonly tagName: string;
  readonly textContent: string;
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #control: FakeElement | undefined;

  constructor({ tagName = 'BUTTON', text = '', attributes = {}, is = [], control, rects = 1 }: Looks = {}) {
    this.tagName = tagName;
    this.textContent = text;
    this.is = is;
    this.rects = rects;
    this.#attributes = attributes;
    this.#control = control;
  }
  matches(selector: string): boolean {
    return this.is.some((part) => selector.includes(part));
  }
  closest(selector: string): FakeElement | null {
    return selector === 'button, a, input, summary, label, [role]' ? (this.#control ?? null) : this;
  }
  getAttribute(name: string): string | null {
    return this.#attributes[name] ?? null;
  }
  getClientRects() {
    return { length: this.rects };
  }
  attachShadow(): { querySelectorAll(): readonly FakeElement[] } {
    return { querySelectorAll: () => this.shadow };
  }
  shadow: readonly FakeElement[] = [];
}

interface Watch {
  pending(): number;
  readTrigger(): TriggerState;
  findTrigger(): FakeElement | undefined;
}

interface Page {
  readonly top?: object;
  /** Ends once the driver has read an observation. */
  readonly reported?: Promise<void>;
  readonly credentials?: object | null;
  readonly PublicKeyCredential?: object | null;
}

/** A page with the script that watches it: what it reports, and what its browser natively does. */
function openPage(behaviour: Behaviour = {}, { top = globalThis, reported, credentials, PublicKeyCredential }: Page = {}) {
  const seen: Observation[] = [];
  const listeners = new Map<string, readonly [(event: object) => void, unknown]>();
  const elements: FakeElement[] = [];
  const timers: Timer[] = [];
  const cleared: unknown[] = [];
  const natively: unknown[] = [];
  const end: { result: () => Promise<unknown> } = { result: async () => ({ toJSON: () => ({ id: 'made' }) }) };
  const container = Object.create({
    async create(this: unknown, ...given: readonly unknown[]) {
      natively.push(['create', this === container, given]);
      return await end.result();
    },
    async get(this: unknown, ...given: readonly unknown[]) {
      natively.push(['get', this === container, given]);
      return await end.result();
    },
  });
  class Interface {
    static async isConditionalMediationAvailable() {
      return await Promise.resolve(true);
    }
    static async getClientCapabilities() {
      return await Promise.resolve({ conditionalGet: true, hybridTransport: true });
    }
    static async signalUnknownCredential(given: unknown) {
      return await Promise.resolve(['unknown', given]);
    }
    static async signalAllAcceptedCredentials(given: unknown) {
      return await Promise.resolve(['all', given]);
    }
    static async signalCurrentUserDetails(given: unknown) {
      return await Promise.resolve(['details', given]);
    }
  }
  vi.stubGlobal('top', top);
  vi.stubGlobal('document', { URL: 'https://shop.example/login', querySelectorAll: () => elements });
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void, capture: unknown) => {
    listeners.set(type, [listener, capture]);
  });
  vi.stubGlobal('navigator', credentials === null ? {} : { credentials: credentials ?? container });
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential === null ? undefined : (PublicKeyCredential ?? Interface));
  vi.stubGlobal('Element', FakeElement);
  // A copy, since the script replaces one of its methods.
  vi.stubGlobal('AbortSignal', Object.create(AbortSignal));
  vi.stubGlobal('setTimeout', (run: Timer['run'], delay: unknown, ...given: readonly unknown[]) => {
    timers.push({ id: timers.length + 1, run, delay, given });
    return timers.length;
  });
  vi.stubGlobal('clearTimeout', (id: unknown) => void cleared.push(id));
  const attachShadow = Object.getOwnPropertyDescriptor(FakeElement.prototype, 'attachShadow') ?? {};
  vi.stubGlobal(NAME, async (text: string) => {
    seen.push(JSON.parse(text));
    await reported;
  });
  watchPage(NAME, behaviour);
  const watch = (): Watch => Reflect.get(globalThis, `${NAME}-watch`);
  return {
    seen,
    /** What the page has reported since it was asked for the last time. */
    news: () => seen.splice(0),
    listeners,
    tell: (type: string, event: object) => listeners.get(type)?.[0](event),
    click: (element?: FakeElement, isTrusted = true) =>
      listeners.get('click')?.[0]({ isTrusted, composedPath: () => (element ? [element, new FakeElement()] : []) }),
    elements,
    timers,
    fire: (id: number) => timers[id - 1]?.run(...(timers[id - 1]?.given ?? [])),
    cleared,
    natively,
    end,
    watch,
    attachShadow,
    credentials: (): { create(options?: object): Promise<unknown>; get(options?: object): Promise<unknown> } =>
      Reflect.get(Reflect.get(globalThis, 'navigator'), 'credentials'),
    Interface: (): typeof Interface => Reflect.get(globalThis, 'PublicKeyCredential'),
  };
}

const DOCUMENT = { kind: 'document', url: 'https://shop.example/login' };
const publicKey = { challenge: Uint8Array.of(1, 2, 3, 4) };
const options = { challenge: 'AQIDBA' };
const has = (name: string) => Reflect.has(globalThis, name);
/** Lets promises that are settled go on. */
const tick = async () => await new Promise((resolve) => setImmediate(resolve));
const isNumber: number = expect.any(Number);

describe('the script in a page', () => {
  test('hides the function that it reports to, and shows nothing of itself', () => {
    const { seen, listeners } = openPage();
    expect([has(NAME), has(`${NAME}-watch`), Object.keys(globalThis).includes(`${NAME}-watch`)]).toEqual([false, true, false]);
    expect(seen).toEqual([DOCUMENT]);
    expect([...listeners].map(([type, [, capture]]) => [type, capture])).toEqual([
      ['click', true],
      ['error', false],
      ['unhandledrejection', false],
    ]);
  });

  test('does nothing without that function, nor a second time', () => {
    const { seen } = openPage();
    const before: unknown = Reflect.get(globalThis, 'setTimeout');
    watchPage(NAME, {});
    vi.stubGlobal(NAME, () => undefined);
    watchPage(NAME, {});
    expect([has(NAME), seen, Reflect.get(globalThis, 'setTimeout') === before]).toEqual([true, [DOCUMENT], true]);
  });

  test('reports no document of a frame', () => {
    expect(openPage({}, { top: {} }).seen).toEqual([]);
  });

  test.each([{ credentials: null }, { PublicKeyCredential: null }])('leaves a browser without WebAuthn as it is: %j', async (given) => {
    const { seen, watch, credentials } = openPage({ endings: ['AbortError'] }, given);
    expect([seen, watch().pending()]).toEqual([[DOCUMENT], 0]);
    if ('PublicKeyCredential' in given) await expect(credentials().get({ publicKey })).resolves.toBeDefined();
  });
});

describe('what a page does not catch', () => {
  const error = Object.assign(new Error('It failed.'), { name: 'CustomError' });
  test.each<[string, object, Observation[]]>([
    ['error', { error, message: 'Uncaught CustomError' }, [{ kind: 'uncaught', text: 'CustomError: It failed.' }]],
    ['error', { message: 'Script error.' }, [{ kind: 'uncaught', text: 'string: Script error.' }]],
    ['error', {}, [{ kind: 'uncaught', text: 'string: ' }]],
    ['error', { message: 'ResizeObserver loop completed with undelivered notifications.' }, []],
    ['error', { message: 'The ResizeObserver loop' }, [{ kind: 'uncaught', text: 'string: The ResizeObserver loop' }]],
    ['unhandledrejection', { reason: error }, [{ kind: 'rejection', text: 'CustomError: It failed.' }]],
    ['unhandledrejection', { reason: null }, [{ kind: 'rejection', text: 'object: null' }]],
    ['unhandledrejection', { reason: 7 }, [{ kind: 'rejection', text: 'number: 7' }]],
    ['unhandledrejection', { reason: { name: 'N', message: 'm'.repeat(400) } }, [{ kind: 'rejection', text: `N: ${'m'.repeat(297)}` }]],
  ])('%s %j', (type, event, expected) => {
    const { tell, news } = openPage();
    news();
    tell(type, event);
    expect(news()).toEqual(expected);
  });
});

const STATE: TriggerState = { exists: true, isDisabled: false, isBusy: false, hasLostInput: false };
const NONE: TriggerState = { ...STATE, exists: false };

describe('the trigger', () => {
  test('is the control around what the user clicks, or else that itself', () => {
    const { click, watch, news } = openPage();
    expect([watch().readTrigger(), watch().findTrigger()]).toEqual([NONE, undefined]);
    news();
    const [button, plain] = [new FakeElement(), new FakeElement()];
    click(new FakeElement({ control: button }), false);
    expect([watch().findTrigger(), news()]).toEqual([undefined, []]);
    click(new FakeElement({ control: button }));
    expect([watch().findTrigger() === button, news()]).toEqual([true, [{ kind: 'press' }]]);
    click(plain);
    expect(watch().findTrigger() === plain).toBe(true);
    click();
    expect([watch().findTrigger(), watch().readTrigger()]).toEqual([undefined, NONE]);
  });

  test.each<[string, Looks, Partial<TriggerState>]>([
    ['as it is', {}, {}],
    ['disabled', { is: [':disabled'] }, { isDisabled: true }],
    ['disabled by aria', { is: ['[aria-disabled="true"]'] }, { isDisabled: true }],
    ['within something disabled by aria', { is: ['[aria-disabled="true"] *'] }, { isDisabled: true }],
    ['inert', { is: ['[inert]'] }, { isDisabled: true }],
    ['within something inert', { is: ['[inert] *'] }, { isDisabled: true }],
    ['busy', { is: ['[aria-busy="true"]'] }, { isBusy: true }],
    ['within something busy', { is: ['[aria-busy="true"] *'] }, { isBusy: true }],
    ['invisible', { rects: 0 }, { exists: false }],
  ])('is read: %s', (_, looks, expected) => {
    const { click, watch } = openPage();
    click(new FakeElement(looks));
    expect(watch().readTrigger()).toEqual({ ...STATE, ...expected });
  });

  const LOOKS: Looks = { text: ' Sign in ', attributes: { id: 'a', 'aria-label': 'b', value: 'c', type: 'd', class: 'e' } };
  test.each<[string, Looks, boolean]>([
    ['the same looks', { ...LOOKS, text: 'Sign in', attributes: { ...LOOKS.attributes, class: 'f' } }, true],
    ['another text', { ...LOOKS, text: 'Sign out' }, false],
    ['another tag', { ...LOOKS, tagName: 'A' }, false],
    ['invisible', { ...LOOKS, rects: 0 }, false],
    ...['id', 'aria-label', 'value', 'type'].map((name): [string, Looks, boolean] => [
      `another ${name}`,
      { ...LOOKS, attributes: { ...LOOKS.attributes, [name]: 'x' } },
      false,
    ]),
  ])('that is gone is another with the same looks: %s', (_, looks, isFound) => {
    const { click, watch, elements } = openPage();
    const [button, other] = [new FakeElement(LOOKS), new FakeElement(looks)];
    elements.push(button);
    click(button);
    button.isConnected = false;
    elements.splice(0, 1, new FakeElement(), other);
    expect([watch().findTrigger() === other, watch().readTrigger()]).toEqual([isFound, isFound ? STATE : NONE]);
  });

  const TEXT =
    'input:not([type=button], [type=submit], [type=reset], [type=hidden], [type=image], [type=checkbox], [type=radio]), textarea';
  test.each<[string, (field: FakeElement) => void, boolean]>([
    ['still has its text', () => undefined, false],
    ['has another', (field) => (field.value = 'b'), false],
    ['is empty', (field) => (field.value = ''), true],
    ['is gone', (field) => (field.isConnected = false), true],
  ])('is beside a field that %s', (_, change, hasLostInput) => {
    const { click, watch, elements } = openPage();
    const [field, empty, box] = [TEXT, TEXT, 'input:checked'].map((each) => new FakeElement({ is: [each] }));
    if (!field || !empty || !box) throw new Error('Expected three fields.');
    field.value = 'a';
    elements.push(field, empty, box, new FakeElement({ is: ['input:focus'] }));
    click(new FakeElement());
    change(field);
    expect(watch().readTrigger()).toEqual({ ...STATE, hasLostInput });
  });

  test('is beside a box that is checked no longer', () => {
    const { click, watch, elements } = openPage();
    const box = new FakeElement({ is: ['input:checked'] });
    elements.push(box);
    click(new FakeElement());
    box.is = [];
    expect(watch().readTrigger()).toEqual({ ...STATE, hasLostInput: true });
  });
});

describe('the field of autofill', () => {
  const field = (autocomplete: string) => new FakeElement({ tagName: 'INPUT', attributes: { autocomplete } });
  const conditional = { publicKey, mediation: 'conditional' };
  const calls = (seen: readonly Observation[]) => seen.flatMap((one) => (one.kind === 'call' ? [one.hasField] : []));

  test.each([
    ['username webauthn', true],
    ['current-password\tWebAuthn', true],
    ['webauthn', true],
    ['username', false],
    ['webauthn-later', false],
  ])('autocomplete="%s"', async (value, hasField) => {
    const { credentials, elements, news } = openPage();
    elements.push(new FakeElement(), field(value));
    await credentials().get(conditional);
    expect(calls(news())).toEqual([hasField]);
  });

  test('may be in an open shadow tree, and in a closed one', async () => {
    const { credentials, elements, news, attachShadow } = openPage();
    const [open, closed, deep] = [new FakeElement(), new FakeElement(), new FakeElement()];
    elements.push(open);
    open.shadowRoot = { querySelectorAll: () => [deep] };
    await credentials().get(conditional);
    deep.shadow = [field('webauthn')];
    deep.attachShadow();
    await credentials().get(conditional);
    elements.splice(0, 1, closed);
    closed.shadow = [field('webauthn')];
    await credentials().get(conditional);
    closed.attachShadow();
    await credentials().get(conditional);
    expect(calls(news())).toEqual([false, true, false, true]);
    Object.defineProperty(FakeElement.prototype, 'attachShadow', attachShadow);
  });

  test('is reported once where it comes after the call, at the next click', async () => {
    const { credentials, elements, click, news } = openPage();
    await credentials().get(conditional);
    await credentials().get(conditional);
    click(new FakeElement());
    elements.push(field('webauthn'));
    news();
    click(new FakeElement());
    click(new FakeElement());
    expect(news()).toEqual([{ kind: 'field' }, { kind: 'press' }, { kind: 'press' }]);
  });

  test('is not awaited by a modal call, nor by one that had it', async () => {
    const { credentials, elements, click, news } = openPage();
    await credentials().get({ publicKey });
    elements.push(field('webauthn'));
    await credentials().get(conditional);
    news();
    click(new FakeElement());
    expect(news()).toEqual([{ kind: 'press' }]);
  });
});

describe('a call', () => {
  test.each(['create', 'get'] as const)('of %s() is reported with its outcome, and goes on natively', async (method) => {
    const { credentials, news, natively, watch } = openPage();
    news();
    const given = { publicKey, mediation: 'required' };
    const running = credentials()[method](given);
    expect(watch().pending()).toBe(1);
    expect(await running).toEqual({ toJSON: expect.any(Function) });
    expect(natively).toEqual([[method, true, [given]]]);
    const [called, ended] = news();
    expect(called).toEqual({ kind: 'call', call: isNumber, method, hasField: false, options, mediation: 'required' });
    expect(ended).toEqual({ kind: 'ended', call: Reflect.get(Object(called), 'call'), response: { id: 'made' } });
    expect([Number.isInteger(Reflect.get(Object(called), 'call')), watch().pending()]).toEqual([true, 0]);
  });

  test('has a number of its own', async () => {
    const { credentials, news } = openPage();
    await Promise.all(Array.from({ length: 20 }, () => credentials().get({ publicKey })));
    expect(new Set(news().flatMap((one) => (one.kind === 'call' ? [one.call] : []))).size).toBe(20);
  });

  test('without publicKey is none of WebAuthn', async () => {
    const { credentials, news, natively } = openPage();
    news();
    await credentials().get({ password: true });
    await credentials().create();
    expect([natively, news()]).toEqual([
      [
        ['get', true, [{ password: true }]],
        ['create', true, []],
      ],
      [],
    ]);
  });

  test('whose options cannot be read is reported without them', async () => {
    const { credentials, news } = openPage();
    news();
    await credentials().get({ publicKey: { challenge: 'text' }, mediation: 7 });
    expect(news()[0]).toEqual({ kind: 'call', call: isNumber, method: 'get', hasField: false });
  });

  test.each<[string, unknown, string]>([
    ['an exception', new DOMException('No.', 'NotAllowedError'), 'NotAllowedError'],
    ['a text', 'no', 'string'],
    ['nothing', undefined, 'undefined'],
  ])('that rejects with %s is reported with its name', async (_, reason, error) => {
    const { credentials, news, end, watch } = openPage();
    end.result = async () => await Promise.reject(reason);
    await expect(credentials().get({ publicKey })).rejects.toBe(reason);
    expect([news().at(-1), watch().pending()]).toEqual([{ kind: 'ended', call: isNumber, error }, 0]);
  });

  test('that gives no credential is reported with an empty response', async () => {
    const { credentials, news, end } = openPage();
    end.result = async () => null;
    expect(await credentials().get({ publicKey })).toBeNull();
    expect(news().at(-1)).toEqual({ kind: 'ended', call: isNumber, response: {} });
  });

  test('begins once the driver has taken the report', async () => {
    let read = (): void => undefined;
    const reported = new Promise<void>((resolve) => {
      read = resolve;
    });
    const { credentials, natively } = openPage({}, { reported });
    const running = credentials().get({ publicKey });
    await tick();
    expect(natively).toEqual([]);
    read();
    await running;
    expect(natively).toHaveLength(1);
  });

  test('that the page aborts is reported, until it has ended', async () => {
    const { credentials, news, end } = openPage();
    const controller = new AbortController();
    await credentials().get({ publicKey, signal: controller.signal });
    news();
    controller.abort();
    expect(news()).toEqual([]);
    const later = new AbortController();
    let settle = (): void => undefined;
    end.result = async () =>
      await new Promise((resolve) => {
        settle = () => resolve(null);
      });
    const running = credentials().get({ publicKey, signal: later.signal });
    await tick();
    later.abort();
    const [called, aborted] = news();
    expect(aborted).toEqual({ kind: 'aborted', call: Reflect.get(Object(called), 'call') });
    settle();
    await running;
  });

  test.each([null, 'signal', {}, 7])('may have a signal that is none: %j', async (signal) => {
    const { credentials, natively } = openPage({ open: 5 });
    const running = credentials().get({ publicKey, signal });
    expect(natively).toEqual([]);
    Reflect.get(globalThis, 'setTimeout');
    await tick();
    void running;
  });

  test('of autofill does not count as work', async () => {
    const { credentials, watch } = openPage();
    const running = credentials().get({ publicKey, mediation: 'conditional' });
    expect(watch().pending()).toBe(0);
    await running;
    const upgrading = credentials().create({ publicKey, mediation: 'conditional' });
    expect(watch().pending()).toBe(1);
    await upgrading;
  });
});

describe('a browser that ends calls otherwise', () => {
  const message = 'The operation ended so for a test.';

  test('ends the first ones so, and none of autofill', async () => {
    const { credentials, natively, news } = openPage({ endings: ['SecurityError', 'AbortError'] });
    await credentials().get({ publicKey, mediation: 'conditional' });
    await expect(credentials().create({ publicKey })).rejects.toMatchObject({ name: 'SecurityError', message });
    await expect(credentials().create({ publicKey, mediation: 'conditional' })).rejects.toMatchObject({ name: 'AbortError', message });
    await credentials().get({ publicKey });
    expect(natively.map((one) => Object(one)[0])).toEqual(['get', 'get']);
    expect(news().flatMap((one) => (one.kind === 'ended' ? [one.error] : []))).toEqual([
      undefined,
      'SecurityError',
      'AbortError',
      undefined,
    ]);
  });

  test('dismisses each dialog before the first click', async () => {
    const { credentials, click } = openPage({ dismissesAtLoad: true });
    const dismissed = { name: 'NotAllowedError', message: 'The user dismissed the dialog.' };
    await expect(credentials().get({ publicKey })).rejects.toMatchObject(dismissed);
    await expect(credentials().get({ publicKey })).rejects.toMatchObject(dismissed);
    await expect(credentials().create({ publicKey, mediation: 'conditional' })).resolves.toBeDefined();
    click(new FakeElement());
    await expect(credentials().get({ publicKey })).resolves.toBeDefined();
  });

  test.each([{}, { dismissesAtLoad: false }])('dismisses none: %j', async (behaviour) => {
    await expect(openPage(behaviour).credentials().get({ publicKey })).resolves.toBeDefined();
  });
});

describe('a dialog that stays open', () => {
  test('keeps the call, and refuses another meanwhile', async () => {
    const { credentials, natively, timers, fire, watch } = openPage({ open: 1_000 });
    const first = credentials().get({ publicKey });
    await expect(credentials().create({ publicKey })).rejects.toMatchObject({
      name: 'OperationError',
      message: 'A request is already pending.',
    });
    await tick();
    expect([timers.map(({ delay }) => delay), natively, watch().pending()]).toEqual([[1_000], [], 1]);
    fire(1);
    await first;
    expect([natively.length, watch().pending()]).toEqual([1, 0]);
    const next = credentials().get({ publicKey });
    await tick();
    fire(2);
    await expect(next).resolves.toBeDefined();
  });

  test('ends when the page aborts', async () => {
    const { credentials, natively } = openPage({ open: 1_000 });
    const controller = new AbortController();
    const running = credentials().get({ publicKey, signal: controller.signal });
    await tick();
    expect(natively).toEqual([]);
    controller.abort();
    await running;
    expect(natively).toHaveLength(1);
  });

  test('is none of a conditional call, which may wait beside it', async () => {
    const { credentials, natively, timers } = openPage({ open: 1_000 });
    await credentials().create({ publicKey, mediation: 'conditional' });
    await credentials().get({ publicKey, mediation: 'conditional' });
    expect([natively.length, timers]).toEqual([2, []]);
  });

  test('is not known where none stays open: the browser itself refuses', async () => {
    const { credentials, natively } = openPage();
    await Promise.all([credentials().get({ publicKey }), credentials().get({ publicKey })]);
    expect(natively).toHaveLength(2);
  });
});

describe('what a browser can', () => {
  const capability = (name: string) => ({ kind: 'capability', name });

  test('is what it natively can, and asking for it is reported', async () => {
    const { Interface, news } = openPage();
    news();
    expect(await Interface().isConditionalMediationAvailable()).toBe(true);
    expect(await Interface().getClientCapabilities()).toEqual({ conditionalGet: true, hybridTransport: true });
    expect(await Interface().signalUnknownCredential({ a: 1 })).toEqual(['unknown', { a: 1 }]);
    expect(await Interface().signalAllAcceptedCredentials({ b: 1 })).toEqual(['all', { b: 1 }]);
    expect(await Interface().signalCurrentUserDetails(7)).toEqual(['details', 7]);
    expect(news()).toEqual([
      capability('isConditionalMediationAvailable'),
      capability('getClientCapabilities'),
      { kind: 'signal', name: 'signalUnknownCredential', argument: { a: 1 } },
      { kind: 'signal', name: 'signalAllAcceptedCredentials', argument: { b: 1 } },
      { kind: 'signal', name: 'signalCurrentUserDetails', argument: {} },
    ]);
    expect(Object.getOwnPropertyDescriptor(Interface(), 'signalUnknownCredential')).toEqual({
      value: expect.any(Function),
      writable: true,
      enumerable: true,
      configurable: true,
    });
    expect([Interface().getClientCapabilities.name, Interface().signalUnknownCredential.length]).toEqual(['getClientCapabilities', 1]);
  });

  test('is without autofill', async () => {
    const { Interface, credentials, news, natively } = openPage({ lacks: 'conditional' });
    news();
    expect(await Interface().isConditionalMediationAvailable()).toBe(false);
    expect(await Interface().getClientCapabilities()).toEqual({ conditionalGet: false, hybridTransport: true });
    expect(news()).toEqual([capability('isConditionalMediationAvailable'), capability('getClientCapabilities')]);
    await expect(credentials().get({ publicKey, mediation: 'conditional' })).rejects.toThrow(
      new TypeError('The provided value is not a valid mediation.'),
    );
    expect(natively).toEqual([]);
    await credentials().create({ publicKey, mediation: 'conditional' });
    await credentials().get({ publicKey });
    expect(natively).toHaveLength(2);
  });

  const METHODS = [
    'isConditionalMediationAvailable',
    'getClientCapabilities',
    'signalUnknownCredential',
    'signalAllAcceptedCredentials',
    'signalCurrentUserDetails',
  ];
  test.each<[Behaviour, readonly string[]]>([
    [{}, METHODS],
    [{ lacks: 'getClientCapabilities' }, METHODS.filter((name) => name !== 'getClientCapabilities')],
    [{ lacks: 'signals' }, METHODS.slice(0, 2)],
    [{ lacks: 'conditional' }, METHODS],
  ])('%j', (behaviour, expected) => {
    const { Interface } = openPage(behaviour);
    expect(METHODS.filter((name) => name in Interface())).toEqual(expected);
  });

  test('is without WebAuthn', () => {
    const { seen, watch } = openPage({ lacks: 'PublicKeyCredential' });
    expect([has('PublicKeyCredential'), 'credentials' in Reflect.get(globalThis, 'navigator'), seen, watch().pending()]).toEqual([
      false,
      false,
      [DOCUMENT],
      0,
    ]);
  });
});

describe('the timers of a page', () => {
  const start = (...given: readonly unknown[]): unknown => Reflect.apply(Reflect.get(globalThis, 'setTimeout'), globalThis, given);

  test('count as work while they are short', () => {
    const { watch, timers, fire, cleared } = openPage();
    const ids = [start(() => undefined, 1_500), start(() => undefined, 1_501), start(() => undefined), start('code', 5)];
    expect([ids, watch().pending()]).toEqual([[1, 2, 3, 4], 2]);
    expect(timers.map(({ delay }) => delay)).toEqual([1_500, 1_501, undefined, 5]);
    expect(timers[3]?.run).toBe('code');
    fire(1);
    expect(watch().pending()).toBe(1);
    Reflect.get(globalThis, 'clearTimeout')(3);
    expect([watch().pending(), cleared]).toEqual([0, [3]]);
  });

  test('run with what they are given, and those that make a call are reported', async () => {
    const { timers, fire, credentials, news } = openPage();
    const ran: unknown[] = [];
    news();
    start(
      (...given: readonly unknown[]) => {
        ran.push(given);
        void credentials().get({ publicKey });
      },
      '1200',
      'a',
      'b',
    );
    fire(1);
    await tick();
    expect([ran, news()[0]]).toEqual([
      [['a', 'b']],
      { kind: 'call', call: isNumber, method: 'get', hasField: false, options, timer: 1_200 },
    ]);
    // After the microtasks of the callback, its timer is over.
    expect(timers.map(({ delay }) => delay)).toEqual(['1200', 0]);
    await credentials().get({ publicKey });
    expect(news().find(({ kind }) => kind === 'call')).toMatchObject({ timer: 1_200 });
    fire(2);
    await credentials().get({ publicKey });
    expect(news().find(({ kind }) => kind === 'call')).not.toHaveProperty('timer');
  });

  test.each([undefined, 'soon', 0])('a delay of %j is none', async (delay) => {
    const { fire, credentials, news } = openPage();
    start(() => void credentials().get({ publicKey }), delay);
    fire(1);
    await tick();
    expect(news().find(({ kind }) => kind === 'call')).toMatchObject({ timer: 0 });
  });

  test('of a signal are reported with the call that has it', async () => {
    const { credentials, news } = openPage();
    const signal: object = Reflect.get(globalThis, 'AbortSignal').timeout(20_000);
    await credentials().get({ publicKey, signal });
    expect(signal).toBeInstanceOf(EventTarget);
    expect(news().find(({ kind }) => kind === 'call')).toEqual({
      kind: 'call',
      call: isNumber,
      method: 'get',
      hasField: false,
      options,
      abortsAfter: 20_000,
    });
  });
});
