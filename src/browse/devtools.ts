import { PasskeyError } from '../errors.js';
import { asObject, isObject, type JsonObject, parseJson } from '../kernel/json-value.js';

/** Carries messages of the DevTools protocol to a browser. */
interface Transport {
  send(text: string): void;
  close(): void;
}

/** Receives the messages that a transport carries. */
interface Receiver {
  receive(text: string): void;
  /** Called when the browser has gone, or no longer accepts connections. */
  closed(): void;
}

export interface DevToolsEvent {
  readonly method: string;
  readonly params: JsonObject;
  /** DevTools session of the page, frame or worker. Undefined for the browser itself. */
  readonly session: string | undefined;
}

/** Sends commands of the DevTools protocol to one browser, and receives its events. */
export class DevTools {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** Resolves when no more messages will arrive, because the connection is closed or has failed. */
  readonly over: Promise<void>;
  readonly #transport: Transport;
  readonly #waiting = new Map<number, { resolve(result: JsonObject): void; reject(error: PasskeyError): void }>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #last = 0;
  #isOver = false;
  #failure: PasskeyError | undefined;
  readonly #end: () => void;

  constructor(connect: (receiver: Receiver) => Transport) {
    const [closed, over] = [withResolver(), withResolver()];
    this.closed = closed.promise;
    this.over = over.promise;
    this.#end = () => {
      this.#isOver = true;
      for (const { reject } of this.#waiting.values()) reject(this.#failure ?? gone());
      over.resolve();
    };
    this.#transport = connect({
      receive: (text) => this.#read(text),
      closed: () => {
        this.#end();
        closed.resolve();
      },
    });
  }

  on(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Sends a command and resolves with its result. @throws PasskeyError `target_unreachable` if the browser refuses the command (the error
   * names the reason) or has ended.
   */
  send(method: string, params: JsonObject = {}, session?: string): Promise<JsonObject> {
    if (this.#isOver) return Promise.reject(this.#failure ?? gone());
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

  /** The error with which this process itself ended the connection. Undefined if this process did not end the connection. */
  get failure(): PasskeyError | undefined {
    return this.#failure;
  }

  /** Ends the connection. Every pending command rejects with `reason`. Later calls have no effect. */
  fail(reason: PasskeyError): void {
    if (this.#isOver) return;
    this.#failure = reason;
    this.#transport.close();
    // A browser that hangs does not close its side.
    this.#end();
  }

  #read(text: string): void {
    const message = parseJson(text);
    if (!isObject(message)) {
      const said = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
      this.fail(
        new PasskeyError('target_unreachable', `Expected messages of the DevTools protocol from the browser; got ${JSON.stringify(said)}.`),
      );
      return;
    }
    try {
      this.#receive(message);
    } catch (cause) {
      this.fail(new PasskeyError('target_unreachable', 'The browser sent an event that this command cannot follow.', { cause }));
    }
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

/** Maximum number of characters of a message from the browser that an error shows. */
const LONGEST_SHOWN = 100;

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
