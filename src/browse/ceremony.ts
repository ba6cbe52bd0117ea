import type { HarFinding } from '../explain/annotate/har.js';
import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Exchange } from './network.js';

/** A call of `navigator.credentials` that awaits a response. The browser states the origins of the call, so no page can forge them. */
export interface Call {
  readonly kind: CeremonyKind;
  readonly options: JsonObject;
  readonly origin: string;
  /** Whether the call comes from a frame that is inside a page of another origin. */
  readonly crossOrigin: boolean;
  /** Origin of the top-level page around the calling frame. Undefined if several origins are possible. */
  readonly topOrigin: string | undefined;
  /** Whether the call is conditional. A conditional call ends when the user picks a passkey from autofill. */
  readonly isConditional: boolean;
}

/** The response of the software authenticator to a call. It replaces the response of the browser's own authenticators. */
export interface SoftwareAnswer {
  readonly persona: string | null;
  /** ID of the mutation that broke the response, if one did. */
  readonly tamper: string | null;
  readonly response: JsonObject;
}

/** A ceremony of a site: the call of the page, and everything that followed. */
export interface SiteCeremony extends Call {
  /** Number of the ceremony in this run. The first is 1. */
  readonly number: number;
  /** When the page called, in milliseconds since the epoch. */
  readonly at: number;
  /**
   * The options as the site sent them, without the defaults that the browser adds. Undefined if the browser's traffic did not show them.
   */
  readonly offered: JsonObject | undefined;
  /** The HTTP exchange that delivered the options. Undefined if the browser's traffic did not show it. */
  readonly asked: Pick<HarFinding, 'url' | 'at' | 'sendsCookie' | 'setsCookie'> | undefined;
  /** The persona that responded. Null if a real authenticator did. */
  readonly persona: string | null;
  readonly tamper: string | null;
  /** The response that the page got. Undefined if the page got an exception. */
  readonly response: JsonObject | undefined;
  readonly error: { readonly name: string; readonly message: string } | undefined;
  /** The request that carried the response, with the site's reply. Undefined if the browser's traffic did not show it. */
  readonly exchange: Exchange | undefined;
}

/** A ceremony that has ended, and that was checked by the data that the browser saw. */
export interface EndedCeremony extends SiteCeremony {
  readonly explanation: ExplainDocument;
  /**
   * HTTP archive of the ceremony. A login's archive also contains the registration of the credential if the browser saw it. Undefined if
   * the page got no response.
   */
  readonly archive: JsonObject | undefined;
}
