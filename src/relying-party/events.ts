import type { PasskeyError } from '../errors.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { OwnerRef } from '../webauthn/user-handle.js';
import type { Passkey } from './credential-record.js';
import type { Policy } from './policy.js';
import type { Ceremony } from './ports.js';

/** Where an operation came from; passed on to listeners unchanged. */
export interface OperationContext {
  readonly requestId?: string;
  readonly userAgent?: string;
  readonly address?: string;
  /** Endpoint or command, e.g. `/api/passkeys/login` or `passkey revoke`. */
  readonly via?: string;
}

interface Stamped {
  /** Milliseconds since the epoch, by the relying party's clock. */
  readonly at: number;
  readonly context: OperationContext;
}

export interface CeremonyBegun extends Stamped {
  readonly type: 'ceremony-begun';
  readonly ceremony: Ceremony;
}

export interface CeremonyFinished extends Stamped {
  readonly type: 'ceremony-finished';
  readonly kind: CeremonyKind;
  readonly outcome: 'verified' | 'rejected';
  /** Undefined when the challenge named none. */
  readonly ceremony: Ceremony | undefined;
  /** The response as it came: the standard's JSON dictionary. */
  readonly response: Readonly<Record<string, unknown>>;
  /** Registration: the new passkey. Authentication: the passkey as it stood before the assertion. */
  readonly passkey: Passkey | undefined;
  /** Registration: whose it is or would be. */
  readonly owner: OwnerRef | undefined;
  readonly error: PasskeyError | undefined;
  /** Whose finding the outcome rests on: our steps, the verification library, or both; undefined when it ended before the steps. */
  readonly decidedBy: 'steps' | 'library' | 'both' | undefined;
  /** Why the library says otherwise than the steps; undefined where it does not, or was not asked. */
  readonly difference: string | undefined;
  readonly policy: Policy;
  /** Registration: bytes of `clientExtensionResults` that were too many to be stored with the passkey; then none of them are. */
  readonly droppedExtensionBytes?: number;
}

export interface PasskeyChanged extends Stamped {
  readonly type: 'passkey-renamed' | 'passkey-revoked' | 'passkey-restored';
  readonly passkey: Passkey;
}

export type RelyingPartyEvent = CeremonyBegun | CeremonyFinished | PasskeyChanged;

/** Listens; what it throws or returns changes no outcome. */
export type RelyingPartyListener = (event: RelyingPartyEvent) => void;

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
    // An error handler that throws must not change the outcome either.
  }
}
