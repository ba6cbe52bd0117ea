import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { optionsToJson } from '../../webauthn/credential-json.js';
import { createInterfaces } from './interfaces.js';
import type { CallOptions, Capabilities, PageMessage, Reply } from './messages.js';
import { describeException, type Realm, readRealm } from './realm.js';

/** Sends a message to the client and returns its reply. */
export type Ask = (message: PageMessage) => Promise<Reply>;

/** The part of AbortSignal that ceremonies use, from any realm. */
interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

type Method = (this: unknown, options?: unknown) => unknown;

/**
 * Installs `navigator.credentials` and the WebAuthn interfaces in a global object. The previous container still handles credentials of
 * other types.
 *
 * @returns a function that restores the previous state.
 */
export function installContainer(global: object, ask: Ask): () => void {
  const realm = readRealm(global);
  const tell = async (message: PageMessage): Promise<unknown> => makeValue(realm, await ask(message));
  let ceremonies = 0;
  const pending = new Set<number>();
  const { classes, credential } = createInterfaces(realm, {
    capabilities: async () => asObject(await tell({ operation: 'capabilities' })) as Capabilities,
    signal: async (operation, options) => void (await tell({ operation, options: plain(options), isSecond: pending.size > 0 })),
  });

  const call = (operation: 'create' | 'get', native: Method | undefined): Method =>
    function (this: unknown, options) {
      const asked = asObject(options);
      if (asked['publicKey'] === undefined && native !== undefined) return native.call(this, options);
      return realm.promise(async () => {
        if (asked['publicKey'] === undefined) return withoutPublicKey(realm, operation);
        ceremonies += 1;
        const ceremony = ceremonies;
        const call = {
          async run() {
            const message = { operation, ceremony, options: readOptions(asked, realm), isSecond: pending.size > 0 };
            pending.add(ceremony);
            return await tell(message);
          },
          async abort() {
            pending.delete(ceremony);
            await tell({ operation: 'abort', ceremony });
          },
        };
        const answer = untilAborted(readSignal(asked['signal'], realm), call).finally(() => pending.delete(ceremony));
        return credential((await answer) as Parameters<typeof credential>[0]);
      });
    };

  const navigator: object = Reflect.get(global, 'navigator') ?? {};
  const native: object | undefined = Reflect.get(navigator, 'credentials');
  const put = createUndo();
  for (const [name, value] of Object.entries(classes)) put.property(global, name, { value, enumerable: false });
  const container = native ?? createContainer(realm, put);
  const prototype: object = Object.getPrototypeOf(container);
  for (const operation of ['create', 'get'] as const) {
    const original: Method | undefined = native && Reflect.get(native, operation);
    const value = Object.defineProperty(call(operation, original), 'name', { value: operation });
    put.property(prototype, operation, { value, enumerable: true });
  }
  if (native === undefined) put.property(navigator, 'credentials', { value: container, enumerable: true });
  if (!('navigator' in global)) put.property(global, 'navigator', { value: navigator, enumerable: true });
  if (!('isSecureContext' in global)) put.property(global, 'isSecureContext', { value: true, enumerable: true });
  return put.undo;
}

/** Removes the WebAuthn interfaces, as in a browser without WebAuthn or outside a secure context. Returns a function that restores them. */
export function hideContainer(global: object): () => void {
  const navigator: object = Reflect.get(global, 'navigator') ?? {};
  const put = createUndo();
  const names = ['PublicKeyCredential', 'AuthenticatorAttestationResponse', 'AuthenticatorAssertionResponse'];
  for (const name of names) put.absent(global, name);
  put.absent(navigator, 'credentials');
  return put.undo;
}

/** Creates a CredentialsContainer for an environment that has none. */
function createContainer(realm: Realm, put: ReturnType<typeof createUndo>): object {
  class CredentialsContainer {
    store(): Promise<unknown> {
      return realm.promise(async () => withoutPublicKey(realm, 'create'));
    }

    preventSilentAccess(): Promise<void> {
      return realm.promise(async () => undefined);
    }
  }
  Object.defineProperty(CredentialsContainer.prototype, Symbol.toStringTag, { value: 'CredentialsContainer', configurable: true });
  put.property(realm.global, 'CredentialsContainer', { value: CredentialsContainer, enumerable: false });
  return new CredentialsContainer();
}

/** Ends a call whose options name no known type of credential: `create()` fails, and `get()` finds nothing. */
function withoutPublicKey(realm: Realm, operation: 'create' | 'get'): null {
  if (operation === 'get') return null;
  const message = 'Expected options with publicKey: other types of credentials are not supported here.';
  throw realm.exception({ kind: 'DOMException', name: 'NotSupportedError', message });
}

function readOptions({ publicKey, mediation, uiMode }: JsonObject, realm: Realm): CallOptions {
  if (!isObject(publicKey)) {
    const message = `Expected publicKey to be an object; got ${publicKey === null ? 'null' : typeof publicKey}.`;
    throw realm.exception({ kind: 'TypeError', name: 'TypeError', message });
  }
  try {
    const json = {
      publicKey: optionsToJson(publicKey),
      ...(mediation !== undefined && { mediation }),
      ...(uiMode !== undefined && { uiMode }),
    };
    return plain(json) as CallOptions;
  } catch (error) {
    throw realm.exception(describeException(error));
  }
}

/** Copies a value as JSON does, so that only plain data pass between the page and the client. */
function plain(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  const copied: unknown = text === undefined ? undefined : JSON.parse(text);
  return copied;
}

function readSignal(signal: unknown, realm: Realm): AbortSignalLike | undefined {
  if (signal === undefined) return undefined;
  if (isAbortSignal(signal)) return signal;
  throw realm.exception({ kind: 'TypeError', name: 'TypeError', message: `Expected signal to be an AbortSignal; got ${typeof signal}.` });
}

function isAbortSignal(value: unknown): value is AbortSignalLike {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

/** Waits for `run`, or throws the abort reason as soon as the page aborts. */
async function untilAborted(
  signal: AbortSignalLike | undefined,
  { run, abort }: { readonly run: () => Promise<unknown>; readonly abort: () => Promise<void> },
): Promise<unknown> {
  if (signal === undefined) return await run();
  if (signal.aborted) throw signal.reason;
  let listener = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => {
      reject(signal.reason);
      // The page has its answer; that the client cannot be told any more changes nothing.
      abort().catch(() => undefined);
    };
    signal.addEventListener('abort', listener);
  });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

function makeValue(realm: Realm, reply: Reply): unknown {
  if (!reply.ok) throw realm.exception(reply.error);
  return reply.value;
}

/** Makes functions that change properties, and one that restores their previous state. */
function createUndo() {
  const changes: (() => void)[] = [];
  const remember = (object: object, name: string): void => {
    const before = Object.getOwnPropertyDescriptor(object, name);
    changes.unshift(() => {
      if (before === undefined) Reflect.deleteProperty(object, name);
      else Object.defineProperty(object, name, before);
    });
  };
  return {
    property(object: object, name: string, { value, enumerable }: { readonly value: unknown; readonly enumerable: boolean }): void {
      remember(object, name);
      Object.defineProperty(object, name, { value, enumerable, writable: true, configurable: true });
    },
    /** Deletes an object's own property, and hides an inherited one behind `undefined`. */
    absent(object: object, name: string): void {
      remember(object, name);
      Reflect.deleteProperty(object, name);
      if (name in object) Object.defineProperty(object, name, { value: undefined, writable: true, configurable: true });
    },
    undo(): void {
      for (const change of changes.splice(0)) change();
    },
  };
}
