import type { ClientOptions } from '../../client/client.js';
import type { Ceremony } from './ceremony.js';
import type { Capabilities, PageMessage, Reply, SignalName } from './messages.js';
import { describeException } from './realm.js';

/** The page that calls `navigator.credentials`, described as a browser sees it. */
export type CallingPage = Pick<ClientOptions, 'origin' | 'topOrigin' | 'crossOrigin' | 'permissionsPolicy'>;

/** Connection to one document that calls the client, until the document is gone. */
export interface Connection {
  /**
   * Responds to a message from the document.
   *
   * @param page returns the calling page; it is called late, so that the page can abort in the meantime.
   */
  answer(message: PageMessage, page: () => CallingPage | Promise<CallingPage>): Promise<Reply>;
  /** Aborts all pending calls of the document. */
  close(): void;
}

interface Surroundings {
  readonly tab: object;
  /** The pending request of each tab; a tab can have only one. */
  readonly pending: WeakMap<object, AbortController>;
  readonly call: (page: CallingPage, ceremony: Ceremony, isFree: boolean) => Promise<unknown>;
  readonly capabilities: () => Capabilities;
  readonly signal: (page: CallingPage, name: SignalName, options: unknown) => Promise<void>;
}

/**
 * Makes the error with which Chromium refuses a request while another is pending in any frame of the same tab. A waiting conditional
 * request counts as pending.
 */
export function alreadyPending(): Error {
  return new DOMException('Expected no request of this page to be pending; there is one. Abort it first.', 'OperationError');
}

/** Creates the connection that responds to the messages of one document and keeps track of the document's pending ceremonies. */
export function createConnection({ tab, pending, call, capabilities, signal }: Surroundings): Connection {
  const running = new Map<number, AbortController>();

  const forget = (ceremony: number): void => {
    if (pending.get(tab) === running.get(ceremony)) pending.delete(tab);
    running.delete(ceremony);
  };
  /** Aborts a ceremony at once, because a page that has aborted may call again. */
  const abort = (ceremony: number): void => {
    running.get(ceremony)?.abort();
    forget(ceremony);
  };

  const valueOf = async (message: PageMessage, page: () => CallingPage | Promise<CallingPage>): Promise<unknown> => {
    switch (message.operation) {
      case 'begin':
        return undefined;
      case 'capabilities':
        return capabilities();
      case 'abort':
        return abort(message.ceremony);
      case 'create':
      case 'get': {
        const { operation, ceremony, options, isSecond } = message;
        const controller = new AbortController();
        const isFree = !isSecond && !pending.has(tab);
        running.set(ceremony, controller);
        if (isFree) pending.set(tab, controller);
        try {
          return await call(await page(), { operation, options, signal: controller.signal }, isFree);
        } finally {
          forget(ceremony);
        }
      }
      default:
        if (message.isSecond || pending.has(tab)) throw alreadyPending();
        return await signal(await page(), message.operation, message.options);
    }
  };

  return {
    async answer(message, page) {
      try {
        return { ok: true, value: await valueOf(message, page) };
      } catch (error) {
        return { ok: false, error: describeException(error) };
      }
    },
    close() {
      for (const ceremony of running.keys()) abort(ceremony);
    },
  };
}
