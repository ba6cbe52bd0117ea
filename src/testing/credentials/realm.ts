import type { ThrownByClient } from './messages.js';

type ErrorConstructor = new (message: string) => Error;

/**
 * The constructors of one global object: the interfaces return and throw objects of the page's own realm, so that `instanceof` holds there.
 */
export interface Realm {
  readonly global: object;
  /** An ArrayBuffer with a copy of the bytes. */
  toBuffer(bytes: Uint8Array): ArrayBuffer;
  /** A copy of a JSON value. */
  copy(value: unknown): unknown;
  promise<T>(run: () => Promise<T>): Promise<T>;
  exception(error: ThrownByClient): Error;
}

/** @param global `globalThis`, or the window of a jsdom; a constructor that it lacks is taken from here. */
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

/** An exception as a message has it: a fault of the authenticator is an `UnknownError`, as it is in browsers. */
export function describeException(error: unknown): ThrownByClient {
  if (error instanceof TypeError) return { kind: 'TypeError', name: error.name, message: error.message };
  if (error instanceof RangeError) return { kind: 'RangeError', name: error.name, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'DOMException', name: isDomException(error) ? error.name : 'UnknownError', message };
}

/** By its legacy code: it may be of another realm. */
function isDomException(error: unknown): error is { readonly name: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number' && 'name' in error;
}
