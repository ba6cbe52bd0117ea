/**
 * The script that runs in a page under test before its own scripts; esbuild bundles it into generated/watch-page.js. It reports the calls of
 * `navigator.credentials`, and makes the browser behave as the case says. The authenticator of the driver answers the calls.
 */
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { optionsToJson } from '../../webauthn/credential-json.js';
import { hideContainer } from '../credentials/container.js';
import { SIGNALS } from '../credentials/messages.js';
import type { Behaviour, PageObservation, TriggerState } from './driver.js';

/** Functions that the driver calls, found at `globalThis[name + '-watch']`. */
interface PageWatch {
  /** Counts the pending calls and short timers of the document. */
  pending(): number;
  readTrigger(): TriggerState;
  /** Finds the element that was clicked last; undefined if it is gone. */
  findTrigger(): object | undefined;
}

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

/** The members of elements and events that this script uses. */
interface ElementLike {
  readonly isConnected: boolean;
  readonly tagName: string;
  readonly textContent: string | null;
  readonly shadowRoot: RootLike | null;
  closest(selector: string): ElementLike | null;
  matches(selector: string): boolean;
  getAttribute(name: string): string | null;
  getClientRects(): { readonly length: number };
}
interface RootLike {
  querySelectorAll(selector: string): Iterable<ElementLike>;
}
interface EventLike {
  readonly isTrusted: boolean;
  readonly error?: unknown;
  readonly reason?: unknown;
  readonly message?: string;
  composedPath(): readonly ElementLike[];
}
interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** Delay in milliseconds up to which a pending timer counts as work of the page. */
const SHORT = 1_500;
const CONTROLS = 'button, a, input, summary, label, [role]';

/**
 * Watches the page.
 *
 * @param name name of the global function that receives observations as JSON; the page cannot see this function
 */
export function watchPage(name: string, behaviour: Behaviour): void {
  const page: object = globalThis;
  const take: ((text: string) => Promise<void> | undefined) | undefined = Reflect.get(page, name);
  if (take === undefined || Reflect.has(page, `${name}-watch`)) return;
  Reflect.deleteProperty(page, name);
  const send = (observation: PageObservation) => take(JSON.stringify(observation));
  const report = (observation: PageObservation): void => void send(observation);
  const root: RootLike & { readonly URL: string } = Reflect.get(page, 'document');
  const listen: (type: string, listener: (event: EventLike) => void, capture: boolean) => void = Reflect.get(page, 'addEventListener');
  const timers = watchTimers(page);

  const roots = watchRoots(page);
  let trigger: ElementLike | undefined;
  let filled: ElementLike[] = [];
  let looks = '';
  let presses = 0;
  let isFieldAwaited = false;
  const noteField = (): void => {
    if (!isFieldAwaited || !hasField()) return;
    isFieldAwaited = false;
    report({ kind: 'field' });
  };
  listen.call(
    page,
    'click',
    (event) => {
      if (!event.isTrusted) return;
      const target = event.composedPath()[0];
      trigger = target?.closest(CONTROLS) ?? target;
      looks = trigger === undefined ? '' : describe(trigger);
      filled = elements().filter(isFilled);
      presses += 1;
      noteField();
      report({ kind: 'press' });
    },
    true,
  );
  listen.call(
    page,
    'error',
    ({ error, message = '' }) => {
      // The browser reports this of layouts; it is no exception of the page.
      if (!message.startsWith('ResizeObserver loop')) report({ kind: 'uncaught', text: nameError(error ?? message) });
    },
    false,
  );
  listen.call(page, 'unhandledrejection', ({ reason }) => report({ kind: 'rejection', text: nameError(reason) }), false);
  // The document of a frame does not replace that of the page.
  if (Reflect.get(page, 'top') === page) report({ kind: 'document', url: root.URL });

  const open = new Set<number>();
  if (behaviour.lacks === 'PublicKeyCredential') hideContainer(page);
  else watchCredentials();

  const findTrigger = (): ElementLike | undefined =>
    trigger?.isConnected === true
      ? trigger
      : trigger &&
        elements().find((each) => each.tagName === trigger?.tagName && describe(each) === looks && each.getClientRects().length > 0);
  const watch: PageWatch = {
    pending: () => open.size + timers.pending(),
    findTrigger,
    readTrigger() {
      const found = findTrigger();
      return {
        exists: found !== undefined && found.getClientRects().length > 0,
        isDisabled: found?.matches(':disabled, [aria-disabled="true"], [aria-disabled="true"] *, [inert], [inert] *') === true,
        isBusy: found?.matches('[aria-busy="true"], [aria-busy="true"] *') === true,
        hasLostInput: filled.some((field) => !field.isConnected || !isFilled(field)),
      };
    },
  };
  Object.defineProperty(page, `${name}-watch`, { value: watch, configurable: true });

  /** Lists all elements, including those in shadow trees, which a selector does not find. */
  function elements(within: RootLike = root): ElementLike[] {
    return [...within.querySelectorAll('*')].flatMap((element) => {
      const shadow = element.shadowRoot ?? roots.get(element);
      return shadow === undefined || shadow === null ? [element] : [element, ...elements(shadow)];
    });
  }

  function hasField(): boolean {
    return elements().some((element) => (element.getAttribute('autocomplete') ?? '').toLowerCase().split(/\s+/).includes('webauthn'));
  }

  function watchCredentials(): void {
    const credentials: object | undefined = Reflect.get(Object(Reflect.get(page, 'navigator')), 'credentials');
    const Interface: object | undefined = Reflect.get(page, 'PublicKeyCredential');
    if (credentials === undefined || Interface === undefined) return;
    watchCapabilities(Interface);
    const endings = [...(behaviour.endings ?? [])];
    const exception = (error: string, message: string): Error => new DOMException(message, error);
    const end = async (native: () => unknown, { isModal, signal }: { readonly isModal: boolean; readonly signal: Signal | undefined }) => {
      if (isModal && behaviour.dismissesAtLoad === true && presses === 0) {
        throw exception('NotAllowedError', 'The user dismissed the dialog.');
      }
      const ending = endings.shift();
      if (ending !== undefined) throw exception(ending, 'The operation ended so for a test.');
      if (!isModal || behaviour.open === undefined) return await native();
      await timers.wait(behaviour.open, signal);
      return await native();
    };
    const dialogs = new Set<number>();
    for (const method of ['create', 'get'] as const) {
      wrap(Object.getPrototypeOf(credentials), method, (native, self, args) => {
        const given = asObject(args[0]);
        if (given['publicKey'] === undefined) return Reflect.apply(native, self, args);
        const call = Math.floor(Math.random() * 2 ** 50);
        const { mediation } = given;
        const isConditional = mediation === 'conditional';
        const signal = readSignal(given['signal']);
        const found = hasField();
        isFieldAwaited ||= isConditional && !found;
        const options = readOptions(given['publicKey']);
        const { timer } = timers;
        const abortsAfter = timers.limits.get(Object(signal));
        const reported = send({
          kind: 'call',
          call,
          method,
          hasField: found,
          ...(options && { options }),
          ...(typeof mediation === 'string' && { mediation }),
          ...(timer !== undefined && { timer }),
          ...(abortsAfter !== undefined && { abortsAfter }),
        });
        let isOpen = true;
        signal?.addEventListener('abort', () => {
          if (isOpen) report({ kind: 'aborted', call });
        });
        const isWaiting = isConditional && method === 'get';
        // Begins once the driver has read the answers so far: a page that leaves after its ceremony takes their bodies along.
        const begin = async (): Promise<unknown> => {
          await reported;
          return await Reflect.apply(native, self, args);
        };
        const run = async (): Promise<unknown> => {
          if (isWaiting && behaviour.lacks === 'conditional') throw new TypeError('The provided value is not a valid mediation.');
          if (isWaiting) return await begin();
          if (behaviour.open !== undefined && dialogs.size > 0) throw exception('OperationError', 'A request is already pending.');
          open.add(call);
          if (!isConditional) dialogs.add(call);
          return await end(begin, { isModal: !isConditional, signal });
        };
        const settled = (ended: { readonly response?: JsonObject; readonly error?: string }): void => {
          isOpen = false;
          open.delete(call);
          dialogs.delete(call);
          report({ kind: 'ended', call, ...ended });
        };
        const answer = run();
        answer.then(
          (credential) => settled({ response: readResponse(credential) }),
          (error: unknown) => settled({ error: readName(error) }),
        );
        return answer;
      });
    }
  }

  function watchCapabilities(Interface: object): void {
    if (behaviour.lacks === 'getClientCapabilities') Reflect.deleteProperty(Interface, 'getClientCapabilities');
    for (const signal of SIGNALS) {
      if (behaviour.lacks === 'signals') Reflect.deleteProperty(Interface, signal);
      wrap(Interface, signal, (native, self, args) => {
        report({ kind: 'signal', name: signal, argument: asObject(args[0]) });
        return Reflect.apply(native, self, args);
      });
    }
    const isWithout = behaviour.lacks === 'conditional';
    wrap(Interface, 'isConditionalMediationAvailable', (native, self, args) => {
      report({ kind: 'capability', name: 'isConditionalMediationAvailable' });
      return isWithout ? Promise.resolve(false) : Reflect.apply(native, self, args);
    });
    wrap(Interface, 'getClientCapabilities', async (native, self, args) => {
      report({ kind: 'capability', name: 'getClientCapabilities' });
      const capabilities = asObject(await Reflect.apply(native, self, args));
      return isWithout ? { ...capabilities, conditionalGet: false } : capabilities;
    });
  }
}

/** Replaces a function with a Proxy that still looks like the native function. */
function wrap(owner: object, name: string, apply: (native: Method, self: unknown, args: readonly unknown[]) => unknown): void {
  const native: Method | undefined = Reflect.get(owner, name);
  if (native === undefined) return;
  const value = new Proxy(native, { apply: (target, self, args: readonly unknown[]) => apply(target, self, args) });
  Object.defineProperty(owner, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Follows the page's own timers, to count the short ones and to tell whether one of them makes a call. */
function watchTimers(page: object) {
  const setTimer: (run: () => void, milliseconds: number) => number = Reflect.get(page, 'setTimeout');
  const pending = new Set<unknown>();
  const limits = new WeakMap<object, number>();
  const state = {
    /**
     * Delay in milliseconds of the timer whose callback is running, or whose callback's microtasks are running; undefined if there is none.
     */
    timer: undefined as number | undefined,
    limits,
    pending: () => pending.size,
    async wait(milliseconds: number, signal: Signal | undefined): Promise<void> {
      await new Promise<void>((resolve) => {
        signal?.addEventListener('abort', resolve);
        setTimer.call(page, resolve, milliseconds);
      });
    },
  };
  wrap(page, 'setTimeout', (native, self, [run, delay, ...args]) => {
    if (typeof run !== 'function') return Reflect.apply(native, self, [run, delay, ...args]);
    const milliseconds = Number(delay ?? 0) || 0;
    const id = Reflect.apply(native, self, [
      (...given: readonly unknown[]) => {
        pending.delete(id);
        state.timer = milliseconds;
        // After the microtasks that the callback leaves.
        setTimer.call(page, () => (state.timer = undefined), 0);
        Reflect.apply(run, page, given);
      },
      delay,
      ...args,
    ]);
    if (milliseconds <= SHORT) pending.add(id);
    return id;
  });
  wrap(page, 'clearTimeout', (native, self, args) => {
    pending.delete(args[0]);
    return Reflect.apply(native, self, args);
  });
  const { AbortSignal } = globalThis;
  wrap(AbortSignal, 'timeout', (native, self, args) => {
    const signal = Reflect.apply(native, self, args);
    limits.set(Object(signal), Number(args[0]));
    return signal;
  });
  return state;
}

/** Records the shadow root of each element, even a closed one. */
function watchRoots(page: object): WeakMap<object, RootLike> {
  const roots = new WeakMap<object, RootLike>();
  wrap(Object(Reflect.get(Object(Reflect.get(page, 'Element')), 'prototype')), 'attachShadow', (native, self, args) => {
    const shadow: RootLike = Object(Reflect.apply(native, self, args));
    roots.set(Object(self), shadow);
    return shadow;
  });
  return roots;
}

/** Checks whether a field has content or is checked. */
const isFilled = (field: ElementLike): boolean =>
  field.matches(
    'input:not([type=button], [type=submit], [type=reset], [type=hidden], [type=image], [type=checkbox], [type=radio]), textarea',
  )
    ? Reflect.get(field, 'value') !== ''
    : field.matches('input:checked');

const describe = (element: ElementLike): string => {
  const own = ['id', 'aria-label', 'value', 'type'].map((attribute) => element.getAttribute(attribute));
  return JSON.stringify([element.tagName, element.textContent?.trim(), ...own]);
};

function readOptions(publicKey: unknown): JsonObject | undefined {
  try {
    return optionsToJson(asObject(publicKey));
  } catch {
    return undefined;
  }
}

/** Converts a credential to JSON. */
function readResponse(credential: unknown): JsonObject {
  const toJson: Method | undefined = Reflect.get(Object(credential), 'toJSON');
  return asObject(toJson?.call(credential));
}

function readSignal(signal: unknown): Signal | undefined {
  return typeof signal === 'object' && signal !== null && 'addEventListener' in signal ? (signal as Signal) : undefined;
}

const readName = (error: unknown): string => String(Reflect.get(Object(error), 'name') ?? typeof error);

const nameError = (error: unknown): string => `${readName(error)}: ${String(Reflect.get(Object(error), 'message') ?? error)}`.slice(0, 300);
