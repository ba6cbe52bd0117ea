import type { JsonObject } from '../../kernel/json-value.js';

/**
 * Messages between a page and the client behind its `navigator.credentials`: JSON only, so that it crosses from a browser to Node.
 */

export const SIGNALS = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'] as const;
export type SignalName = (typeof SIGNALS)[number];

/** CredentialCreationOptions or CredentialRequestOptions without `signal`, bytes as base64url. */
export interface CallOptions {
  readonly publicKey: JsonObject;
  readonly mediation?: unknown;
  readonly uiMode?: unknown;
}

interface Request {
  /** Whether another request of the document has no answer yet. */
  readonly isSecond: boolean;
}

/** Numbers of ceremonies are unique within one document. */
export type PageMessage =
  /** A document has begun; the previous one in this frame has ended. */
  | { readonly operation: 'begin' }
  | (Request & { readonly operation: 'create' | 'get'; readonly ceremony: number; readonly options: CallOptions })
  /** The page aborted the ceremony. */
  | { readonly operation: 'abort'; readonly ceremony: number }
  | (Request & { readonly operation: SignalName; readonly options: unknown })
  | { readonly operation: 'capabilities' };

/** An exception, with the realm's class that the page throws. */
export interface ThrownByClient {
  readonly kind: 'TypeError' | 'RangeError' | 'DOMException';
  /** Name of a `DOMException`. */
  readonly name: string;
  readonly message: string;
}

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: ThrownByClient };

/** The answer of `getClientCapabilities()` (§5.1.7), by ClientCapability or `extension:` and the name of an extension. */
export type Capabilities = Readonly<Record<string, boolean>>;
