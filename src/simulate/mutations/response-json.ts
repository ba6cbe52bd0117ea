import { PasskeyError } from '../../errors.js';
import { objectOf } from '../../kernel/json-value.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';

/** A response of a browser or of a software authenticator, whole enough to be changed. */
export type ResponseJson =
  | { readonly kind: 'registration'; readonly response: RegistrationResponseJSON }
  | { readonly kind: 'authentication'; readonly response: AuthenticationResponseJSON };

/** @throws PasskeyError `validation_failed` */
export function readResponseJson(response: unknown): ResponseJson {
  if (isRegistrationJson(response)) return { kind: 'registration', response };
  if (isAuthenticationJson(response)) return { kind: 'authentication', response };
  throw new PasskeyError(
    'validation_failed',
    'Expected RegistrationResponseJSON or AuthenticationResponseJSON with id and response.clientDataJSON as text; got something else. A PublicKeyCredential of a browser is turned into it by its toJSON().',
  );
}

function hasTexts(response: unknown, ...members: readonly string[]): boolean {
  const { id, response: inner } = objectOf(response);
  return typeof id === 'string' && members.every((member) => typeof objectOf(inner)[member] === 'string');
}

function isRegistrationJson(response: unknown): response is RegistrationResponseJSON {
  return hasTexts(response, 'clientDataJSON', 'attestationObject');
}

function isAuthenticationJson(response: unknown): response is AuthenticationResponseJSON {
  return hasTexts(response, 'clientDataJSON', 'authenticatorData', 'signature');
}
