import { createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import {
  type CredentialSource,
  type CredentialSourceJSON,
  credentialSourceFromJson,
  credentialSourceToJson,
} from '../../authenticator/credential-source.js';
import type { InterchangeShape } from '../../authenticator/interchange/contract.js';
import { exportCredentials, importCredentials } from '../../authenticator/interchange/interchange.js';
import { PERSONA_NAMES, PERSONAS, type PersonaName } from '../../authenticator/personas/personas.js';
import type { AuthenticatorOptions } from '../../authenticator/settings.js';
import type { UserVerifier } from '../../authenticator/user-verifier.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { knownValue } from '../../webauthn/enumerations.js';
import type { OptionNames } from '../refuse-unknown.js';

/** Options for the authenticator behind a page. */
export interface SoftwareOptions {
  /** Product that the authenticator imitates towards a relying party; default: no particular product. */
  readonly persona?: PersonaName;
  /** Traits that replace those of the persona, such as algorithms or attestation, and the store for its credentials. */
  readonly traits?: AuthenticatorOptions;
  /** The user of the authenticator, e.g. `scriptedUser('present')`. Default: a user who cooperates, as far as the persona allows. */
  readonly user?: UserVerifier;
  /** Your own authenticator, instead of one made from the other options. */
  readonly authenticator?: SoftwareAuthenticator;
}

/** Names of all options of {@link SoftwareOptions}, for `refuseUnknown`. */
export const SOFTWARE_OPTIONS: OptionNames<SoftwareOptions> = { persona: true, traits: true, user: true, authenticator: true };

/**
 * Makes an authenticator from the options, or uses the one given as `authenticator`.
 *
 * @throws TypeError for an unknown persona, and if `authenticator` is given together with options for making another one.
 */
export function softwareAuthenticator({ persona, traits, user, authenticator }: SoftwareOptions): SoftwareAuthenticator {
  if (authenticator !== undefined) {
    if (persona === undefined && traits === undefined && user === undefined) return authenticator;
    throw new TypeError('Expected either an authenticator, or persona, traits and user to make one; got both.');
  }
  if (persona !== undefined && knownValue(persona, PERSONA_NAMES) === undefined) {
    throw new TypeError(`Expected persona to be one of ${PERSONA_NAMES.join(', ')}; got ${JSON.stringify(persona)}.`);
  }
  return createAuthenticator({ ...(persona && PERSONAS[persona]), ...traits, ...(user && { userVerifier: user }) });
}

/** Credentials that an authenticator holds, with their private keys. For tests only. */
export interface HeldCredentials {
  /** Lists the credentials, oldest first. `rpId` selects those of one relying party. */
  list(rpId?: string): Promise<readonly CredentialSourceJSON[]>;
  /**
   * Adds a credential that was made elsewhere, given as an object or as JSON.
   *
   * @throws TypeError naming the member that is missing or wrong.
   */
  add(credential: CredentialSource | CredentialSourceJSON): Promise<void>;
  /** Removes a credential by its ID in base64url. Returns false if there is no such credential. */
  remove(id: string): Promise<boolean>;
  /** Returns all credentials as a string in a format of `exportCredentials`. Default: every member, as JSON. */
  export(shape?: InterchangeShape): Promise<string>;
  /** Adds the credentials from a string that `export` returned. */
  import(text: string, shape?: InterchangeShape): Promise<void>;
}

export function heldCredentials({ store }: SoftwareAuthenticator): HeldCredentials {
  return {
    list: async (rpId) => (await store.list(rpId)).map(credentialSourceToJson),
    add: async (credential) => await store.put(isJson(credential) ? credentialSourceFromJson(credential) : credential),
    async remove(id) {
      const bytes = decodeBase64url(id);
      const held = (await store.list()).find((source) => encodeBase64url(source.id) === id);
      return held !== undefined && (await store.remove(held.rpId, bytes));
    },
    export: async (shape = 'json') => (await exportCredentials(shape, await store.list())).text,
    async import(text, shape = 'json') {
      for (const credential of (await importCredentials(shape, text)).credentials) await store.put(credential);
    },
  };
}

function isJson(credential: CredentialSource | CredentialSourceJSON): credential is CredentialSourceJSON {
  return typeof credential.id === 'string';
}
