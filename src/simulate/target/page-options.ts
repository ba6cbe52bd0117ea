import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { ProfileRequest } from './profile-schema.js';

/** The options that a page builds around a challenge of its server, each a template of a profile. */
export interface PageOptions {
  readonly challenge: string;
  /** Undefined: the host of the page. */
  readonly rpId?: string | undefined;
  readonly user?: unknown;
  readonly algorithms?: readonly number[];
  readonly authenticatorSelection?: JsonObject | undefined;
  readonly attestation?: string | undefined;
  readonly allowCredentials?: unknown;
  readonly userVerification?: string | undefined;
  /** Further members, verbatim. */
  readonly more?: JsonObject | undefined;
}

/** Algorithms that every authenticator or every server has: ES256 and RS256. */
const USUAL_ALGORITHMS = [-7, -257];

/** The step that builds creation options as a page does whose server sends only a challenge. */
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

/** The step that builds request options as a page does. */
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

/** Whether JSON is creation options, not only a challenge with some of them. */
export function isCreation(json: JsonObject): boolean {
  return isObject(json['rp']) && isObject(json['user']) && Array.isArray(json['pubKeyCredParams']);
}
