import type { OwnerRef } from './owner.js';

/** Origin of an operation; passed on to listeners unchanged. */
export interface OperationContext {
  readonly requestId?: string;
  readonly userAgent?: string;
  readonly address?: string;
  /** Endpoint or command, e.g. `/api/passkeys/login` or `passkey revoke`. */
  readonly via?: string;
  /** The caller, if the request proved it with a token or a session. */
  readonly user?: OwnerRef & { readonly email: string };
  /** Whether the request bears the mark of the test page. Any client can send it: it separates requests, and proves nothing. */
  readonly page?: boolean;
  /** Id of the bulk change that the operation belongs to. A revocation keeps it with each passkey. */
  readonly change?: string;
}

/** Members of every event. */
export interface Stamped {
  /** Milliseconds since the epoch, by the clock of the operation. */
  readonly at: number;
  readonly context: OperationContext;
}

export type ListenerErrorHandler<Event> = (error: unknown, event: Event) => void;

interface Emitter<Event> {
  /** Hands every event to `listener`. Answers a function that takes it away again. */
  readonly on: (listener: (event: Event) => void) => () => void;
  readonly emit: (event: Event) => void;
}

/** Hands events to listeners in the order they came. A listener that throws disturbs neither the others nor the operation. */
export function createEmitter<Event>(onListenerError?: ListenerErrorHandler<Event>): Emitter<Event> {
  const listeners = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    on(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    emit(event) {
      for (const { listener } of listeners) {
        try {
          listener(event);
        } catch (error) {
          report(onListenerError, error, event);
        }
      }
    },
  };
}

function report<Event>(handler: ListenerErrorHandler<Event> | undefined, error: unknown, event: Event): void {
  try {
    handler?.(error, event);
  } catch {
    // An error handler that throws must not change the outcome either.
  }
}
