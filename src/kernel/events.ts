import type { OwnerRef } from './owner.js';

/** Describes where an operation comes from. Listeners receive this object unchanged. */
export interface OperationContext {
  readonly requestId?: string;
  readonly userAgent?: string;
  readonly address?: string;
  /** Endpoint or command, such as `/api/passkeys/login` or `passkey revoke`. */
  readonly via?: string;
  /** The user who called, if the request carried a valid token or session. */
  readonly user?: OwnerRef & { readonly email: string };
  /** Whether the request carries the header of the test page. Any client can send that header, so it proves nothing. */
  readonly page?: boolean;
  /** Id of the bulk change that includes this operation. The id is stored with each passkey that the bulk change revokes. */
  readonly change?: string;
}

/** Members that every event has. */
export interface Stamped {
  /** When the operation happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly context: OperationContext;
}

export type ListenerErrorHandler<Event> = (error: unknown, event: Event) => void;

interface Emitter<Event> {
  /** Registers a listener for every event. Returns a function that removes the listener. */
  readonly on: (listener: (event: Event) => void) => () => void;
  readonly emit: (event: Event) => void;
}

/**
 * Creates an emitter, which passes events to listeners in the order in which the events happen. An exception of a listener affects neither
 * the operation nor other listeners.
 */
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
