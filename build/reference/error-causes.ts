import type { ErrorCode } from '../../src/errors.js';
import type { Explanation } from '../../src/explain/error-texts/meaning.js';
import { MEANINGS } from '../../src/explain/error-texts/meanings.js';
import { CHALLENGE_HINTS } from '../../src/relying-party/diagnosis/challenge.js';
import { BACKUP_STATE_HINT, MISCOUNTED_KEY_HINT, MISSING_USER_HANDLE } from '../../src/relying-party/diagnosis/hints.js';

/** The usual causes of an error, the likeliest first, and what to do about it. */
export type ErrorCauses = Pick<Explanation, 'causes' | 'next'>;

/** Text for docs/errors.md alone. What the program says itself is taken from there. */
export const ERROR_CAUSES: Readonly<Record<ErrorCode, ErrorCauses>> = {
  client_data_malformed: {
    causes: [
      '`response.clientDataJSON` was encoded twice, cut off, or sent as text instead of base64url.',
      'A program parsed the client data and wrote it again, which changes its bytes.',
    ],
    next: 'Send the bytes of the browser unchanged: `credential.toJSON()` encodes them.',
  },
  type_mismatch: MEANINGS.type,
  challenge_unknown: MEANINGS.challenge,
  challenge_expired: {
    causes: [
      'The page asked for options when it loaded, and the user acted much later.',
      'The dialog of the browser was open for minutes.',
    ],
    next: CHALLENGE_HINTS.expired,
  },
  challenge_used: {
    causes: ['A form or a retry sent the same response twice.', 'An attempt failed, and the next one answered the same options.'],
    next: CHALLENGE_HINTS.used,
  },
  origin_mismatch: MEANINGS.origin,
  top_origin_mismatch: MEANINGS.topOrigin,
  cross_origin_not_allowed: {
    causes: ['The page was in an iframe of another origin.'],
    next: 'Open the page on its own. If the iframe is intended, the outer page needs `<iframe allow="publickey-credentials-get">`, and the server needs the origin of the outer page.',
  },
  rp_id_mismatch: MEANINGS.rpId,
  user_not_present: MEANINGS.userPresent,
  user_not_verified: MEANINGS.userVerified,
  backup_state_invalid: {
    causes: ['A software authenticator or a test sets the flags by hand.', 'The firmware of the authenticator has a fault.'],
    next: BACKUP_STATE_HINT,
  },
  backup_eligibility_changed: {
    causes: ['The server did not store the flag, or overwrites it after a login.', 'A passkey provider imported the passkey from another.'],
    next: 'Store the flag at registration and never change it. If the passkey itself moved, register it again.',
  },
  algorithm_not_allowed: MEANINGS.algorithm,
  authenticator_data_malformed: {
    causes: [
      'The authenticator data was cut off, or encoded in another way than base64url.',
      'The flags announce a credential or extensions that the bytes do not have.',
      `A faulty authenticator. ${MISCOUNTED_KEY_HINT}`,
    ],
    next: 'Look at the bytes with `passkey explain FILE`: it shows where they stop making sense.',
  },
  attestation_malformed: {
    causes: [
      '`response.attestationObject` was changed on its way: encoded twice, cut off, or written again by a CBOR library.',
      'The statement was signed over other client data, or over other authenticator data.',
      'The certificate of the authenticator breaks a rule of its format (§8).',
    ],
    next: 'Send the bytes unchanged. Ask for attestation "none" unless you need to know the model of the authenticator.',
  },
  attestation_untrusted: {
    causes: [
      'Passkeys of phones and password managers attest nothing, and roots are configured.',
      'The root of this model is not among the roots.',
      'FIDO metadata reports the model as revoked or compromised.',
    ],
    next: 'Add the root of the model, or configure none and accept passkeys without attestation.',
  },
  attestation_format_unsupported: {
    causes: ['The authenticator is newer than the list of formats (§8), or the format is misspelled in a test.'],
    next: 'Ask for attestation "none".',
  },
  credential_id_mismatch: {
    causes: ['`id` was taken from another response, or from the account instead of the response.'],
    next: 'Send `id` and `rawId` as the browser gave them.',
  },
  credential_id_too_long: {
    causes: ['A software authenticator stores its data in the credential ID.'],
    next: 'Register with another authenticator: the standard allows 1023 bytes (§6.5.1).',
  },
  credential_not_allowed: {
    causes: [
      'The response answers options that were made for another user.',
      'The server compares credential IDs as text in two encodings: compare their bytes.',
    ],
    next: 'Answer with one of the credentials that `allowCredentials` names.',
  },
  public_key_malformed: {
    causes: [
      'The stored key is not the COSE_Key of the registration: PEM, JWK or text in its place.',
      'The database column cut the key off, or changed its encoding.',
      'The authenticator made a key that no algorithm can use.',
    ],
    next: 'Store the bytes of `credentialPublicKey` as they are. `passkey explain` names the fault of a key.',
  },
  user_handle_missing: {
    causes: [
      'The passkey is not discoverable: a security key leaves the user handle out.',
      'The page did not send `response.userHandle` on.',
    ],
    next: MISSING_USER_HANDLE,
  },
  user_handle_mismatch: {
    causes: [
      '`response.userHandle` was decoded once too often or not at all.',
      'The server changed the `user.id` of an account after registrations.',
      'The response is of another user.',
    ],
    next: 'Compare bytes with the `user.id` of the registration, and keep that for the life of the account.',
  },
  signature_invalid: MEANINGS.signature,
  counter_regressed: MEANINGS.signCount,
  verifiers_disagree: {
    causes: ['A ceremony that no known difference between the steps and `@simplewebauthn/server` explains.'],
    next: 'Report the response: `passkey explain FILE --json` has what is needed.',
  },
  malformed_json: {
    causes: ['The body was cut off, or is a form.', 'Content-Length does not fit the body.'],
    next: 'Send `JSON.stringify(value)`, once.',
  },
  malformed_request: {
    causes: ['A hand-written client or a proxy sent no `Host` field, two of them, or a header that is not HTTP.'],
    next: 'Read `detail`: it names the field.',
  },
  unauthenticated: {
    causes: [
      'No bearer token was sent. Registrations need one; a session is not enough.',
      'The token or session has expired or was revoked, or belongs to another store.',
      "A page of another origin called fetch() without credentials: 'include'.",
    ],
    next: 'Make a token with `passkey token create --user E-MAIL`, and send it as `Authorization: Bearer TOKEN`.',
  },
  origin_not_allowed: {
    causes: [
      'The page that calls is on another origin than the server, such as a dev server on another port.',
      '`app_url` names an origin that `--origin` does not.',
    ],
    next: 'Start the server with `--origin` of the page, or serve the page through it with `--app`.',
  },
  host_not_allowed: {
    causes: ['A proxy, a tunnel or a container name is in the address.'],
    next: 'Name the host with `--allowed-host`.',
  },
  development_only: {
    causes: ['The request came through a proxy, or from another machine.', 'The key of `--dev-sign-in key` is that of an earlier start.'],
    next: 'Open the page on the machine of the server, or send a bearer token.',
  },
  passkey_not_found: MEANINGS.unknownCredential,
  owner_not_found: { causes: ['The user was removed, or is in another store.'], next: 'Run `passkey user list`.' },
  token_not_found: { causes: ['The token was purged, or is in another store.'], next: 'Run `passkey token list --all`.' },
  route_not_found: {
    causes: ['The path is misspelled.', 'The path is one of development mode (`/dev`), and the server is in production mode.'],
    next: 'Read `GET /openapi.json`, which lists the endpoints.',
  },
  method_not_allowed: {
    causes: ['A form or a link sent GET; ceremonies are POST.'],
    next: 'Use a method that the `Allow` field of the answer names.',
  },
  request_timeout: {
    causes: ['The client announced a longer body than it sent.', 'The connection is very slow.'],
    next: 'Send the request again.',
  },
  credential_already_registered: {
    causes: [
      'The response was sent twice.',
      'The authenticator offered the same credential again, since the options had no `excludeCredentials`.',
      'The passkey was revoked: its ID stays taken.',
    ],
    next: 'Create a new credential, or restore the old one with `passkey restore`.',
  },
  owner_already_exists: { causes: ['The e-mail or the ID belongs to a user already.'], next: 'Choose another, or edit that user.' },
  too_many_passkeys: { causes: ['A test registers again and again for one user.'], next: 'Revoke some, or raise `--max-passkeys`.' },
  passkey_not_restorable: { causes: ['The user of the passkey was removed.'], next: 'Restore the others with `--skip-removed`.' },
  payload_too_large: {
    causes: ['The body holds more than the credential.', 'The attestation statement has a long chain of certificates.'],
    next: 'Send the credential alone, or raise `--body-limit`.',
  },
  unsupported_media_type: {
    causes: ['fetch() was called without the header, or with FormData.', 'The body is compressed.'],
    next: 'Send `Content-Type: application/json` and a body of JSON.',
  },
  expectation_failed: { causes: ['The client sends an `Expect` field other than `100-continue`.'], next: 'Leave the field out.' },
  options_refused: {
    causes: [
      'The RP ID of the options is not the host of the page or a parent of it.',
      'The software authenticator has no credential for these options, or one that `excludeCredentials` names.',
      'The options ask for an algorithm or for user verification that the persona lacks.',
    ],
    next: 'Read `detail`: it names the exception that a browser would throw.',
  },
  validation_failed: {
    causes: [
      'JSON.stringify() of a credential without toJSON() gives `{}` for its bytes.',
      'A member is missing, misspelled or nested one level too deep.',
      'Bytes are hexadecimal or text instead of base64url.',
    ],
    next: 'Read `errors`: each names a member of the body.',
  },
  rate_limited: {
    causes: ['A test calls a server in production mode in a loop.', 'All clients share the address of a proxy.'],
    next: 'Wait as long as `Retry-After` says, start with `--rate-limit off`, or name the proxy with `--trust-proxy`.',
  },
  headers_too_large: { causes: ['Many projects on `localhost` left their cookies.'], next: 'Delete the cookies of the host.' },
  internal_error: {
    causes: ['The module of `--auth-action` threw.', 'A mistake of this program.'],
    next: 'Look in the log of the server for the `request_id`.',
  },
  shutting_down: { causes: ['The server was told to stop.'], next: 'Send the request again once it is back.' },
  overloaded: {
    causes: ['The bodies of the requests that are under way take a quarter of the memory that Node may use.'],
    next: 'Send the request again once others are answered, fewer at a time.',
  },
  store_unavailable: {
    causes: [
      'The disk is full or read-only, or the folder belongs to another user.',
      'The database cannot be reached.',
      'Another process holds the lock.',
    ],
    next: 'Read the log of the server, or the message of the command: it names the file or the address.',
  },
  store_absent: {
    causes: ['The command runs in another folder than `passkey serve` did.', 'No passkey was ever registered.'],
    next: 'Name the store with `--store` or `PASSKEY_STORE`.',
  },
  store_damaged: {
    causes: ['The file was edited by hand or by a merge.', 'The disk lost a part of it.'],
    next: 'Run `passkey store check`, then `passkey store repair`, or restore a backup.',
  },
  not_applicable: {
    causes: ['The mutation changes something that this response does not have, such as a user handle.'],
    next: 'Choose another mutation, or other options.',
  },
  usage: { causes: ['A flag is misspelled, lacks its value, or excludes another.'], next: 'Run the command with `--help`.' },
  configuration_invalid: {
    causes: ['A key of passkey.config.json is misspelled or has a value of another type.', 'A file that a setting names does not exist.'],
    next: 'Compare with the [settings](reference/cli.md#settings).',
  },
  ambiguous_user: { causes: ['Two types of users have the same e-mail or ID.'], next: 'Name the user as `TYPE:ID`.' },
  fixture_invalid: {
    causes: ['The file is no fixture, or was changed after it was recorded.', 'Two fixtures have the same name.'],
    next: 'Run `passkey fixture check PATH`.',
  },
  target_unreachable: {
    causes: ['The server is not running, or listens on another port.', 'Its certificate is not trusted.', 'It died from a request.'],
    next: 'Start it, or correct `--url`; name its certificate with `--ca`, and a command that starts it again with `--restart`.',
  },
  interrupted: { causes: ['Ctrl+C, or a signal.'], next: 'Run it again.' },
};
