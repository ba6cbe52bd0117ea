import type { JsonObject } from '../kernel/json-value.js';
import { credentialToJson, parseOptions } from '../webauthn/credential-json.js';

/** What a call of `navigator.credentials` came to; `error` is what it threw. */
export type CallResult = { readonly response: JsonObject } | { readonly error: { readonly name: string; readonly message: string } };

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly mediation?: 'conditional';
}

/** `navigator.credentials.create()` with options and response in JSON. Never throws. */
export async function createCredential(options: JsonObject, call: CallOptions): Promise<CallResult> {
  return attempt(() => navigator.credentials.create({ publicKey: creationOptions(options), ...call }));
}

/** `navigator.credentials.get()` with options and response in JSON. Never throws. */
export async function getCredential(options: JsonObject, call: CallOptions): Promise<CallResult> {
  return attempt(() => navigator.credentials.get({ publicKey: requestOptions(options), ...call }));
}

async function attempt(call: () => Promise<Credential | null>): Promise<CallResult> {
  try {
    const credential = await call();
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

/** Looks at the members and not at `instanceof`: some password managers return an object of their own. */
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
