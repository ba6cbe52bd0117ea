import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { AuthenticatorTraits } from '../../authenticator/settings.js';
import type { Assertion, CreatedCredential } from '../../client/dictionaries.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { mutateAuthentication, mutateRegistration } from '../../simulate/mutations/mutate.js';
import { findMutation, type Mutation } from '../../simulate/mutations/mutation.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';

interface Tampering<Options, Response> {
  /** The ID of the mutation, or the part of the ID after its first dot. */
  readonly id: string;
  readonly options: Options;
  readonly origin: string;
  readonly topOrigin: string | undefined;
  /** The correct response, before it is broken. */
  readonly honest: Response;
  readonly credential: CredentialSource;
}

interface Tampered {
  readonly mutation: Mutation;
  readonly response: JsonObject;
  /**
   * The credential of the broken response. If the mutation changes the authenticator, this is another credential than that of the honest
   * response.
   */
  readonly credential: CredentialSource;
}

/**
 * Breaks a registration response. @throws PasskeyError `usage` for an unknown mutation; `not_applicable` for a mutation that does not fit
 * the options or the credential.
 */
export async function tamperRegistration({
  topOrigin,
  authenticator,
  ...asked
}: Tampering<PublicKeyCredentialCreationOptionsJSON, CreatedCredential> & {
  readonly authenticator: AuthenticatorTraits;
}): Promise<Tampered> {
  const mutation = findMutation(asked.id, 'registration');
  const made = await mutateRegistration({ ...asked, ...(topOrigin !== undefined && { topOrigin }), authenticator });
  return { mutation, ...made };
}

/** Breaks a login response. Throws the same errors as {@link tamperRegistration}. */
export async function tamperLogin({ topOrigin, ...asked }: Tampering<PublicKeyCredentialRequestOptionsJSON, Assertion>): Promise<Tampered> {
  const mutation = findMutation(asked.id, 'authentication');
  const { response } = await mutateAuthentication({ ...asked, ...(topOrigin !== undefined && { topOrigin }) });
  return { mutation, response, credential: asked.credential };
}
