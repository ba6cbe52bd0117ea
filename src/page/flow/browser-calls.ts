import type { Explanation } from '../../explain/error-texts/meaning.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { credentialToJson, parseOptions } from '../../webauthn/credential-json.js';
import type { Api } from '../api.js';
import { listAt, stringAt } from '../json.js';
import { type BrowserLeg, describeFailure, succeeded } from '../run.js';

export interface CallRequest {
  readonly call: 'create' | 'get';
  readonly mediation?: 'conditional';
  readonly options: JsonObject;
}

/**
 * Calls of `navigator.credentials`. A browser runs only one request of a page at a time, so a new request aborts the previous one and waits
 * until that has ended. `aborted` means that the page ended the call itself.
 */
export interface BrowserCalls {
  /** Makes a call. The caller can end it by aborting `cancelled`. */
  run(request: CallRequest, cancelled?: AbortSignal): Promise<{ readonly leg: BrowserLeg; readonly aborted: boolean }>;
  abort(): Promise<void>;
}

interface CallParts {
  readonly clock: () => number;
  /** Lists the credential IDs (base64url) that the page has asked the browser to hide or delete. */
  readonly signalled: () => readonly string[];
  readonly explain: ExplainThrown;
}

export function createBrowserCalls({ clock, signalled, explain }: CallParts): BrowserCalls {
  let current: { readonly controller: AbortController; readonly settled: Promise<unknown> } | undefined;

  const abort = async (): Promise<void> => {
    const ending = current;
    ending?.controller.abort();
    await ending?.settled;
  };

  return {
    abort,
    async run(request, cancelled) {
      await abort();
      const controller = new AbortController();
      const signal = cancelled === undefined ? controller.signal : AbortSignal.any([controller.signal, cancelled]);
      const start = clock();
      const pending = callBrowser(request, signal);
      const mine = { controller, settled: pending };
      current = mine;
      const result = await pending;
      if (current === mine) current = undefined;
      const { aborted } = signal;
      const { call, options } = request;
      const milliseconds = clock() - start;
      const common = { kind: 'browser', call, mediation: request.mediation, options, milliseconds, software: undefined } as const;
      if ('response' in result) return { leg: { ...common, response: result.response, error: undefined }, aborted };
      const thrown = { ...result.error, ...request, milliseconds, ...circumstances(request, signalled()) };
      const explanation = aborted ? ABORTED : await explain(thrown);
      return { leg: { ...common, response: undefined, error: { ...result.error, explanation } }, aborted };
    },
  };
}

const ABORTED = {
  title: 'Aborted by the page',
  causes: ['You cancelled it, or another request of the page began: browsers run one at a time.'],
  next: 'Nothing to do.',
};

/** Collects the circumstances of the call that only this page knows and an explanation of its error needs. */
function circumstances({ call, options }: CallRequest, signalled: readonly string[]) {
  const allowed = listAt(options, 'allowCredentials');
  return {
    origin: location.origin,
    signalled: allowed.length === 0 ? signalled.length > 0 : allowed.some((entry) => signalled.includes(stringAt(entry, 'id') ?? '')),
    secure_context: isSecureContext,
    permitted: permitted(`publickey-credentials-${call}`) ?? null,
    framed: window.top !== window,
    focused: document.hasFocus(),
  };
}

/** Tests whether the permissions policy allows a feature on this page; undefined if the browser has no API for that (Firefox, Safari). */
export function permitted(feature: string): boolean | undefined {
  interface PolicyHolder {
    readonly permissionsPolicy?: { allowsFeature(feature: string): boolean };
    readonly featurePolicy?: { allowsFeature(feature: string): boolean };
  }
  const holder: PolicyHolder = document as Document & PolicyHolder;
  return (holder.permissionsPolicy ?? holder.featurePolicy)?.allowsFeature(feature);
}

/** Result of a call of `navigator.credentials`, either a response or an exception. */
type CallResult = { readonly response: JsonObject } | { readonly error: { readonly name: string; readonly message: string } };

/** Calls `navigator.credentials` with options and response in JSON. Never throws. */
async function callBrowser({ call, options, mediation }: CallRequest, signal: AbortSignal): Promise<CallResult> {
  const request = { signal, ...(mediation === undefined ? {} : { mediation }) };
  try {
    const credential =
      call === 'create'
        ? await navigator.credentials.create({ publicKey: creationOptions(options), ...request })
        : await navigator.credentials.get({ publicKey: requestOptions(options), ...request });
    if (!isPublicKeyCredential(credential)) {
      return { error: { name: 'NoCredential', message: `The browser answered ${credential === null ? 'null' : credential.type}.` } };
    }
    return { response: toJson(credential) };
  } catch (error) {
    return error instanceof Error || error instanceof DOMException
      ? { error: { name: error.name, message: error.message } }
      : { error: { name: 'Error', message: String(error) } };
  }
}

/**
 * Tests by its members whether a value is a public key credential, because some password managers return an object that fails `instanceof`.
 */
function isPublicKeyCredential(credential: Credential | null): credential is PublicKeyCredential {
  return credential !== null && credential.type === 'public-key' && 'rawId' in credential;
}

function creationOptions(options: object): PublicKeyCredentialCreationOptions {
  return typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
    ? PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
    : (parseOptions(options as JsonObject) as object as PublicKeyCredentialCreationOptions);
}

function requestOptions(options: object): PublicKeyCredentialRequestOptions {
  return typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
    ? PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
    : (parseOptions(options as JsonObject) as object as PublicKeyCredentialRequestOptions);
}

function toJson(credential: PublicKeyCredential): JsonObject {
  if (typeof credential.toJSON === 'function') {
    try {
      const json: object = credential.toJSON();
      return json as JsonObject;
    } catch {
      // The credentials of some password managers inherit a toJSON() that throws; their members can still be read.
    }
  }
  return credentialToJson(credential);
}

/** An error of the browser, with the call that threw it, in the form that `POST /dev/browser-error` accepts. */
type Thrown = JsonObject & { readonly name: string; readonly message: string };

type ExplainThrown = (thrown: Thrown) => Promise<Explanation>;

/**
 * Asks the server to explain an error of the browser. If the server does not respond, the explanation is only the browser's own message.
 */
export async function explainThrown(api: Api, thrown: Thrown): Promise<Explanation> {
  const leg = await api.call('POST', '/dev/browser-error', thrown);
  if (succeeded(leg) && isExplanation(leg.answer)) return leg.answer;
  const { name, message } = thrown;
  return {
    title: `The browser answered ${name}`,
    causes: [message === '' ? 'It gave no message.' : message],
    next: `The server gave no explanation: ${stringAt(leg.answer, 'detail') ?? describeFailure(leg)}`,
  };
}

function isExplanation(value: unknown): value is Explanation {
  return isObject(value) && Array.isArray(value['causes']);
}

/** Reads the result of `PublicKeyCredential.getClientCapabilities()` (WebAuthn L3 §5.1.7). Empty if the browser lacks this method. */
export async function readCapabilities(): Promise<Readonly<Record<string, boolean>>> {
  if (!('PublicKeyCredential' in window)) return {};
  const capabilities: Record<string, boolean> =
    typeof PublicKeyCredential.getClientCapabilities === 'function' ? { ...(await PublicKeyCredential.getClientCapabilities()) } : {};
  if (Object.keys(capabilities).length === 0) {
    capabilities['userVerifyingPlatformAuthenticator'] = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  }
  return capabilities;
}
