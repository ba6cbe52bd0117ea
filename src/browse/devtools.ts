import { PasskeyError } from '../errors.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';

/** Carries messages of the DevTools protocol to a browser. */
interface Transport {
  send(text: string): void;
  close(): void;
}

/** Hears what a transport brings. */
interface Receiver {
  receive(text: string): void;
  /** The browser has gone, or lets nobody talk to it any more. */
  closed(): void;
}

export interface DevToolsEvent {
  readonly method: string;
  readonly params: JsonObject;
  /** Session of the page, frame or worker; undefined for the browser itself. */
  readonly session: string | undefined;
}

/** Sends commands of the DevTools protocol to one browser, and hears its events. */
export class DevTools {
  readonly closed: Promise<void>;
  readonly #transport: Transport;
  readonly #waiting = new Map<number, { resolve(result: JsonObject): void; reject(error: PasskeyError): void }>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #last = 0;
  #isClosed = false;

  constructor(connect: (receiver: Receiver) => Transport) {
    const { promise, resolve } = withResolver();
    this.closed = promise;
    this.#transport = connect({
      receive: (text) => this.#receive(asObject(JSON.parse(text))),
      closed: () => {
        this.#isClosed = true;
        for (const { reject } of this.#waiting.values()) reject(gone());
        this.#waiting.clear();
        resolve();
      },
    });
  }

  on(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener);
  }

  /** @throws PasskeyError `target_unreachable` with the reason of the browser, or where it has gone. */
  send(method: string, params: JsonObject = {}, session?: string): Promise<JsonObject> {
    if (this.#isClosed) return Promise.reject(gone());
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#transport.send(JSON.stringify({ id, method, params, ...(session !== undefined && { sessionId: session }) }));
    });
  }

  close(): void {
    this.#transport.close();
  }

  #receive({ id, method, params, result, error, sessionId }: JsonObject): void {
    const session = typeof sessionId === 'string' ? sessionId : undefined;
    if (typeof method === 'string') {
      for (const listener of this.#listeners) listener({ method, params: asObject(params), session });
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(Number(id));
    if (error === undefined) waiting.resolve(asObject(result));
    else waiting.reject(new PasskeyError('target_unreachable', `The browser refused a command: ${String(asObject(error)['message'])}.`));
  }
}

function gone(): PasskeyError {
  return new PasskeyError('target_unreachable', 'The browser has ended, or has closed the connection.');
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
