import type { RelyingPartyEvent, RelyingPartyListener } from './events.js';

export type ListenerErrorHandler = (error: unknown, event: RelyingPartyEvent) => void;

export interface Emitter {
  readonly on: (listener: RelyingPartyListener) => () => void;
  readonly emit: (event: RelyingPartyEvent) => void;
}

/** Hands events to listeners in the order they came. A listener that throws disturbs neither the others nor the operation. */
export function createEmitter(onListenerError?: ListenerErrorHandler): Emitter {
  const listeners = new Set<{ readonly listener: RelyingPartyListener }>();
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

function report(handler: ListenerErrorHandler | undefined, error: unknown, event: RelyingPartyEvent): void {
  try {
    handler?.(error, event);
  } catch {
    // The one who watches the watchers changes no outcome either.
  }
}
