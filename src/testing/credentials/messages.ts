import type { JsonObject } from '../../kernel/json-value.js';

/**
 * Names of the signal methods in messages between a page and the client behind its `navigator.credentials`. Messages are plain JSON, so
 * that they can cross from a browser to Node.
 */

export const SIGNALS = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'] as const;
export type SignalName = (typeof SIGNALS)[number];

/** CredentialCreationOptions or CredentialRequestOptions without `signal`, with bytes in base64url. */
export interface CallOptions {
  readonly publicKey: JsonObject;
  readonly mediation?: unknown;
  readonly uiMode?: unknown;
}

interface Request {
  /** Whether an earlier request of the same document is still pending. */
  readonly isSecond: boolean;
}

/** Message from a page. Ceremony numbers are unique within one document. */
export type PageMessage =
  /** A new document has begun in this frame, which means that the previous document has ended. */
  | { readonly operation: 'begin' }
  | (Request & { readonly operation: 'create' | 'get'; readonly ceremony: number; readonly options: CallOptions })
  /** The page has aborted a ceremony. */
  | { readonly operation: 'abort'; readonly ceremony: number }
  | (Request & { readonly operation: SignalName; readonly options: unknown })
  | { readonly operation: 'capabilities' };

/** An exception that the page throws, as an instance of its own realm's class. */
export interface ThrownByClient {
  readonly kind: 'TypeError' | 'RangeError' | 'DOMException';
  /** Name of the `DOMException`, e.g. `NotAllowedError`. */
  readonly name: string;
  readonly message: string;
}

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: ThrownByClient };

/** Result of `getClientCapabilities()` (§5.1.7): keys are ClientCapability names, or `extension:` followed by an extension's name. */
export type Capabilities = Readonly<Record<string, boolean>>;
