import type { Severity } from '../../simulate/report/severity.js';

/** A mistake of a page. */
export interface PageCause {
  readonly severity: Severity;
  /** The rule that the page breaks, as a noun phrase. */
  readonly expected: string;
  /** The mistake, in a sentence. */
  readonly says: string;
  readonly remedy: string;
  readonly reference?: string;
}

const SIGNALS = 'https://www.w3.org/TR/webauthn-3/#sctn-signal-methods';
const CREATE = 'https://www.w3.org/TR/webauthn-3/#sctn-createCredential';
const GET = 'https://www.w3.org/TR/webauthn-3/#sctn-getAssertion';
const CONDITIONAL = 'https://www.w3.org/TR/webauthn-3/#dom-publickeycredential-isconditionalmediationavailable';

/** All causes, the most serious first. A report begins with the one that comes first here. */
export const PAGE_CAUSES = {
  'signal-unknown-after-failure': {
    severity: 'high',
    expected: 'signalUnknownCredential() only when the server says that it does not know the credential',
    says: 'The page calls signalUnknownCredential() after a failure that does not mean that the credential is unknown: authenticators delete the passkey.',
    remedy: 'Call it only when your server says that it does not know the credential ID.',
    reference: SIGNALS,
  },
  'signal-accepted-incomplete': {
    severity: 'high',
    expected: 'signalAllAcceptedCredentials() with the passkey that has just been accepted',
    says: 'The page calls signalAllAcceptedCredentials() without the passkey that has just been accepted: authenticators hide or delete it.',
    remedy: 'Send the IDs of all passkeys of the user in base64url, read after the ceremony.',
    reference: SIGNALS,
  },
  'response-in-url': {
    severity: 'medium',
    expected: 'the response in the body of a request',
    says: 'The page sends a response in a URL, which logs and other sites can read.',
    remedy: 'Send it as JSON in the body of a POST.',
  },
  'buffers-empty': {
    severity: 'medium',
    expected: 'bytes in base64url',
    says: 'The page writes ArrayBuffers as JSON, where they become empty objects.',
    remedy: 'Send credential.toJSON(), or encode each member in base64url.',
    reference: 'https://www.w3.org/TR/webauthn-3/#dom-publickeycredential-tojson',
  },
  'cookie-missing': {
    severity: 'medium',
    expected: 'the cookie of the options with the response',
    says: 'The page sends the response to another origin without the cookie that came with the options.',
    remedy: "Use fetch(…, { credentials: 'include' }) for both requests, and allow credentials in the CORS headers of the server.",
  },
  'rate-limit-ignored': {
    severity: 'medium',
    expected: 'at most two requests in 1.5 seconds without a click',
    says: 'The page keeps sending requests to a server that answers 429.',
    remedy: 'Wait as long as Retry-After says, or for the user.',
    reference: 'https://www.rfc-editor.org/rfc/rfc6585#section-4',
  },
  'retry-loop': {
    severity: 'medium',
    expected: 'at most one further attempt without a click',
    says: 'The page tries again and again without a click.',
    remedy: 'After an error, wait for the user.',
  },
  'called-with-error': {
    severity: 'medium',
    expected: 'no call without options of the server',
    says: 'The page calls navigator.credentials with the body of an error instead of options.',
    remedy: 'Check response.ok and the content type before you use the body.',
  },
  'sent-without-response': {
    severity: 'medium',
    expected: 'no verification without a response',
    says: 'The page asks its server to verify although the authenticator gave no response.',
    remedy: 'Stop when create() or get() throws.',
  },
  'challenge-reused': {
    severity: 'medium',
    expected: 'a new challenge for each response that is sent',
    says: 'The page uses a challenge again that it has already sent to the server in a response.',
    remedy: 'Fetch new options for each attempt; a server accepts a challenge once.',
    reference: 'https://www.w3.org/TR/webauthn-3/#sctn-cryptographic-challenges',
  },
  'control-stuck': {
    severity: 'medium',
    expected: 'a control that can be used again',
    says: 'The control stays disabled or busy after a failure: the user has to reload the page.',
    remedy: 'Enable it in a finally block.',
  },
  'second-attempt-dead': {
    severity: 'medium',
    expected: 'a call of create() or get() after the second click',
    says: 'After a failure, a click on the control calls neither create() nor get(): the user has to reload the page.',
    remedy: 'Reset the state of the first attempt, such as a flag or a promise, in a finally block.',
  },
  'double-success': {
    severity: 'medium',
    expected: 'one ceremony for a double click',
    says: 'A double click runs two ceremonies, and both are accepted.',
    remedy: 'Disable the control, or return while a ceremony is under way.',
  },
  'conditional-not-aborted': {
    severity: 'medium',
    expected: 'the conditional call to be aborted before a modal one',
    says: 'The page starts a modal call while its conditional call is pending; browsers refuse the second.',
    remedy: 'Call abort() on the AbortController of the conditional call first.',
    reference: GET,
  },
  'conditional-twice': {
    severity: 'medium',
    expected: 'one conditional call at a time',
    says: 'The page starts a conditional call while another one is pending; browsers refuse the second.',
    remedy: 'Start the call once, or abort the earlier one first.',
    reference: GET,
  },
  'conditional-unchecked': {
    severity: 'medium',
    expected: 'no conditional call in a browser that says it has no autofill of passkeys',
    says: 'The page starts a conditional call without checking whether the browser has autofill of passkeys.',
    remedy: 'Await PublicKeyCredential.isConditionalMediationAvailable() first.',
    reference: CONDITIONAL,
  },
  'autocomplete-missing': {
    severity: 'medium',
    expected: 'a field with autocomplete="username webauthn"',
    says: 'The page starts a conditional call, but has no field in which the browser could offer passkeys.',
    remedy: 'Add webauthn as the last word of the autocomplete attribute of the user name field.',
    reference: 'https://www.w3.org/TR/webauthn-3/#sctn-autofill',
  },
  'exclude-lost': {
    severity: 'medium',
    expected: 'every entry of excludeCredentials in the call',
    says: "The page drops excludeCredentials of the server's options, so that users can register the same authenticator twice.",
    remedy: 'Pass on all options, through PublicKeyCredential.parseCreationOptionsFromJSON().',
    reference: CREATE,
  },
  'future-values': {
    severity: 'medium',
    expected: 'a call with the options of the server',
    says: 'The page fails when the options have values that are not yet defined. Browsers ignore such values.',
    remedy: 'Leave it to the browser to check the options.',
    reference: 'https://www.w3.org/TR/webauthn-3/#sct-domstring-backwards-compatibility',
  },
  'optional-members': {
    severity: 'medium',
    expected: 'a call with the members that the options have',
    says: 'The page fails when the options lack optional members.',
    remedy: 'Read them with a default, or use PublicKeyCredential.parse…OptionsFromJSON().',
    reference: CREATE,
  },
  'without-webauthn': {
    severity: 'medium',
    expected: 'no uncaught error',
    says: 'The page throws in a browser without PublicKeyCredential.',
    remedy: 'Check that window has it before you use it; hide the control if it is missing.',
  },
  'without-capabilities': {
    severity: 'medium',
    expected: 'no uncaught error, and the same call',
    says: 'The page needs PublicKeyCredential.getClientCapabilities(), which older browsers lack.',
    remedy: 'Check that it is a function before you call it.',
    reference: 'https://www.w3.org/TR/webauthn-3/#sctn-getClientCapabilities',
  },
  'without-signals': {
    severity: 'medium',
    expected: 'no uncaught error, and the same call',
    says: 'The page needs the signal methods of PublicKeyCredential, which older browsers lack.',
    remedy: 'Check that each is a function before you call it.',
    reference: SIGNALS,
  },
  'modal-at-load': {
    severity: 'low',
    expected: 'no dialog before a click',
    says: 'The page opens the passkey dialog at load.',
    remedy: "At load, use mediation: 'conditional', spelt exactly like this. Make a modal call only after a click.",
    reference: CONDITIONAL,
  },
  'gesture-spent': {
    severity: 'low',
    expected: 'the call soon after the click',
    says: "The page's own timer delays the call after the click, so that Safari refuses it for lack of a user gesture.",
    remedy: 'Call without waiting, or fetch the options before the click.',
  },
  'transports-dropped': {
    severity: 'low',
    expected: 'transports as they came',
    says: 'The page drops transports, so that browsers ask for devices that cannot have the passkey.',
    remedy: 'Send getTransports() with a registration, and keep transports in the lists of the options.',
    reference: 'https://www.w3.org/TR/webauthn-3/#dom-publickeycredentialdescriptor-transports',
  },
  'timeout-short': {
    severity: 'low',
    expected: 'five minutes or more, or no timeout',
    says: 'The page sets a timeout of its own that is too short for many users.',
    remedy: 'Use the timeout of the server; the standard recommends 5 to 10 minutes.',
    reference: 'https://www.w3.org/TR/webauthn-3/#sctn-timeout-recommended-range',
  },
  'double-clash': {
    severity: 'low',
    expected: 'one call for a double click',
    says: 'A double click starts two calls, and browsers refuse the second.',
    remedy: 'Disable the control, or return while a ceremony is under way.',
  },
  'rejection-unhandled': {
    severity: 'note',
    expected: 'every exception to be caught',
    says: 'The page does not catch an exception after a failure.',
    remedy: 'Catch it, and say what the user can do.',
  },
  'challenge-kept': {
    severity: 'note',
    expected: 'new options for the second attempt',
    says: 'After the user has cancelled, the page uses the same challenge again, although it may have expired.',
    remedy: 'Fetch new options for each attempt.',
  },
  'autofill-not-rearmed': {
    severity: 'note',
    expected: 'a conditional call after the failure',
    says: 'After a failure, autofill of passkeys is off until the page is reloaded.',
    remedy: 'Start the conditional call again after a modal one has failed.',
    reference: CONDITIONAL,
  },
  'signal-removal-missing': {
    severity: 'note',
    expected: 'signalAllAcceptedCredentials() or signalUnknownCredential()',
    says: 'The page does not tell the browser that a passkey was removed, so the browser still offers it.',
    remedy: 'Call signalAllAcceptedCredentials() with the IDs of the remaining passkeys.',
    reference: SIGNALS,
  },
  'signal-rename-missing': {
    severity: 'note',
    expected: 'signalCurrentUserDetails()',
    says: 'The page does not tell the browser the new name of the user.',
    remedy: 'Call signalCurrentUserDetails() with user ID, name and display name.',
    reference: SIGNALS,
  },
  'signal-unknown-missing': {
    severity: 'note',
    expected: 'signalUnknownCredential()',
    says: 'The page does not tell the browser that the server does not know the passkey, so the browser still offers it.',
    remedy: 'Call signalUnknownCredential() when your server says that it does not know the credential ID.',
    reference: SIGNALS,
  },
} as const satisfies Record<string, PageCause>;

export type PageCauseId = keyof typeof PAGE_CAUSES;
