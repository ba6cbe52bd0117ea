import { credentialToJson, parseOptions } from './credential-json.js';
import type { JsonObject } from './json.js';

/** What a call of `navigator.credentials` came to; `error` is what it threw. */
export type CallResult = { readonly response: JsonObject } | { readonly error: { readonly name: string; readonly message: string } };

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly mediation?: 'conditional';
}

/** `navigator.credentials.create()` with options and response in JSON. Never throws. */
export async function createCredential(options: JsonObject, { signal, mediation }: CallOptions): Promise<CallResult> {
  return attempt(async () => {
    const publicKey = creationOptions(options);
    return await navigator.credentials.create({ publicKey, signal, ...(mediation === undefined ? {} : { mediation }) });
  });
}

/** `navigator.credentials.get()` with options and response in JSON. Never throws. */
export async function getCredential(options: JsonObject, { signal, mediation }: CallOptions): Promise<CallResult> {
  return attempt(async () => {
    const publicKey = requestOptions(options);
    return await navigator.credentials.get({ publicKey, signal, ...(mediation === undefined ? {} : { mediation }) });
  });
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

/** By its members and not by `instanceof`: some password managers answer with an object of their own. */
function isPublicKeyCredential(credential: Credential | null): credential is PublicKeyCredential {
  return credential !== null && credential.type === 'public-key' && 'rawId' in credential;
}

function creationOptions(options: object): PublicKeyCredentialCreationOptions {
  if (typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function') {
    return PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  }
  const parsed: object = parseOptions(options as JsonObject);
  return parsed as PublicKeyCredentialCreationOptions;
}

function requestOptions(options: object): PublicKeyCredentialRequestOptions {
  if (typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function') {
    return PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  }
  const parsed: object = parseOptions(options as JsonObject);
  return parsed as PublicKeyCredentialRequestOptions;
}

function toJson(credential: PublicKeyCredential): JsonObject {
  if (typeof credential.toJSON === 'function') {
    try {
      const json: object = credential.toJSON();
      return json as JsonObject;
    } catch {
      // Some password managers' credentials inherit a toJSON that throws for them; their members are still there.
    }
  }
  return credentialToJson(credential);
}
