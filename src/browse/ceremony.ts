import type { HarFinding } from '../explain/annotate/har.js';
import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Exchange } from './network.js';

/** A call of `navigator.credentials` that wants an answer. Its origins come from the browser: no page can forge them. */
export interface Call {
  readonly kind: CeremonyKind;
  readonly options: JsonObject;
  readonly origin: string;
  /** Whether the page is a frame with an ancestor of another origin. */
  readonly crossOrigin: boolean;
  /** Origin of the page around that frame, if only one is possible. */
  readonly topOrigin: string | undefined;
  /** Whether it is conditional: answered when the user picks a passkey from autofill. */
  readonly isConditional: boolean;
}

/** How a call was answered in place of the browser's authenticators. */
export interface SoftwareAnswer {
  readonly persona: string | null;
  /** ID of the mutation that broke the response. */
  readonly tamper: string | null;
  readonly response: JsonObject;
}

/** A ceremony of a site: a call, and what became of it. */
export interface SiteCeremony extends Call {
  /** Counts from 1. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The options as the site sent them, if they were seen: the browser adds its defaults. */
  readonly offered: JsonObject | undefined;
  /** The exchange that brought the options, if it was seen. */
  readonly asked: Pick<HarFinding, 'url' | 'at' | 'sendsCookie' | 'setsCookie'> | undefined;
  /** Null if a real authenticator answered. */
  readonly persona: string | null;
  readonly tamper: string | null;
  /** Undefined if the page got an exception. */
  readonly response: JsonObject | undefined;
  readonly error: { readonly name: string; readonly message: string } | undefined;
  /** The request with the response, and the answer of the site; undefined if not seen. */
  readonly exchange: Exchange | undefined;
}

/** A ceremony that is over, judged from outside. */
export interface EndedCeremony extends SiteCeremony {
  readonly explanation: ExplainDocument;
  /** HTTP archive of the ceremony, with its registration if known; undefined without a response. */
  readonly archive: JsonObject | undefined;
}
