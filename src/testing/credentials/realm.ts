import type { ThrownByClient } from './messages.js';

type ErrorConstructor = new (message: string) => Error;

/** Constructors of one global object. The interfaces return and throw objects of the page's own realm, so that `instanceof` works there. */
export interface Realm {
  readonly global: object;
  /** Copies bytes into an ArrayBuffer of the realm. */
  toBuffer(bytes: Uint8Array): ArrayBuffer;
  /** Copies a JSON value into objects of the realm. */
  copy(value: unknown): unknown;
  promise<T>(run: () => Promise<T>): Promise<T>;
  exception(error: ThrownByClient): Error;
}

/**
 * Reads the constructors of a global object.
 *
 * @param global `globalThis`, or the window of a jsdom; constructors that it lacks are read from `globalThis` instead.
 */
export function readRealm(global: object): Realm {
  const own = <T>(name: string): T => {
    const found: T | undefined = Reflect.get(global, name);
    const here: T = Reflect.get(globalThis, name);
    return found ?? here;
  };
  return {
    global,
    toBuffer(bytes) {
      const Buffer = own<{ new (length: number): ArrayBuffer }>('ArrayBuffer');
      const buffer = new Buffer(bytes.length);
      new Uint8Array(buffer).set(bytes);
      return buffer;
    },
    copy(value) {
      const copied: unknown = own<typeof JSON>('JSON').parse(JSON.stringify(value));
      return copied;
    },
    promise(run) {
      const OwnPromise = own<PromiseConstructor>('Promise');
      return new OwnPromise((resolve, reject) => {
        run().then(resolve, reject);
      });
    },
    exception({ kind, name, message }) {
      if (kind !== 'DOMException') return new (own<ErrorConstructor>(kind))(message);
      return new (own<new (text: string, errorName: string) => Error>('DOMException'))(message, name);
    },
  };
}

/** Describes an exception for a message to the page. An internal error of the authenticator becomes an `UnknownError`, as in browsers. */
export function describeException(error: unknown): ThrownByClient {
  if (error instanceof TypeError) return { kind: 'TypeError', name: error.name, message: error.message };
  if (error instanceof RangeError) return { kind: 'RangeError', name: error.name, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'DOMException', name: isDomException(error) ? error.name : 'UnknownError', message };
}

/**
 * Checks whether an error is a DOMException. Compares its legacy code instead of its class, because the error may come from another realm.
 */
function isDomException(error: unknown): error is { readonly name: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number' && 'name' in error;
}
