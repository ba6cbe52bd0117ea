import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { ProfileRequest } from './profile-schema.js';

/** Inputs for options that a page builds itself around a challenge from its server. Each input is a template of a profile. */
export interface PageOptions {
  readonly challenge: string;
  /** Template for the RP ID. Undefined means the host of the page. */
  readonly rpId?: string | undefined;
  readonly user?: unknown;
  readonly algorithms?: readonly number[];
  readonly authenticatorSelection?: JsonObject | undefined;
  readonly attestation?: string | undefined;
  readonly allowCredentials?: unknown;
  readonly userVerification?: string | undefined;
  /** Further members of the options, copied unchanged. */
  readonly more?: JsonObject | undefined;
}

/** Algorithms that nearly every authenticator and server supports: ES256 and RS256. */
const USUAL_ALGORITHMS = [-7, -257];

/** Makes the profile step that builds creation options in the same way as a page whose server sends only a challenge. */
export function buildCreation(page: PageOptions): ProfileRequest {
  const { challenge, rpId = '{rpId}', algorithms = USUAL_ALGORITHMS, authenticatorSelection, attestation, more } = page;
  return {
    value: {
      rp: { id: rpId, name: 'Test' },
      user: page.user ?? { id: '{user.name | bytes}', name: '{user.name}', displayName: '{user.displayName}' },
      challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      ...(authenticatorSelection && { authenticatorSelection }),
      ...(attestation !== undefined && { attestation }),
      ...more,
    },
  };
}

/** Makes the profile step that builds request options in the same way as a page whose server sends only a challenge. */
export function buildRequest({ challenge, rpId = '{rpId}', allowCredentials, userVerification, more }: PageOptions): ProfileRequest {
  return {
    value: {
      challenge,
      rpId,
      ...(allowCredentials !== undefined && { allowCredentials }),
      ...(userVerification !== undefined && { userVerification }),
      ...more,
    },
  };
}

/** Checks whether a JSON object contains complete creation options, not only a challenge with some of their members. */
export function isCreation(json: JsonObject): boolean {
  return isObject(json['rp']) && isObject(json['user']) && Array.isArray(json['pubKeyCredParams']);
}
