import type { CredentialDescriptor } from '../authenticator/ports.js';
import { knownValue, type Members, membersOf, readDescriptors } from './members.js';

export const REQUIREMENTS = ['required', 'preferred', 'discouraged'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** PublicKeyCredentialRequestOptions (§5.5) with the defaults that the standard fills in. */
export interface RequestOptions {
  readonly challenge: Uint8Array;
  readonly timeout: number | undefined;
  readonly rpId: string | undefined;
  readonly allowCredentials: readonly CredentialDescriptor[];
  /** The list was not empty: a credential that is not in it will not do, even if no entry could be understood. */
  readonly limited: boolean;
  readonly userVerification: Requirement;
  /** For browsers with a choice among authenticators; here there is one. */
  readonly hints: readonly string[];
  readonly extensions: Members | undefined;
}

/**
 * Reads the JSON of request options (§5.1.9).
 *
 * @throws TypeError naming the member that is missing or of the wrong type.
 * @throws DOMException `EncodingError` for text that is not base64url.
 */
export function readRequestOptions(json: unknown): RequestOptions {
  const options = membersOf(json, 'publicKey');
  const list = options.optionalDictionaries('allowCredentials');
  return {
    challenge: options.bytes('challenge'),
    timeout: options.optionalNumber('timeout'),
    rpId: options.optionalString('rpId'),
    allowCredentials: readDescriptors(list),
    limited: list.length > 0,
    userVerification: knownValue(options.optionalString('userVerification'), REQUIREMENTS) ?? 'preferred',
    hints: options.optionalStrings('hints'),
    extensions: options.optionalDictionary('extensions'),
  };
}
