import type { Meaning } from './meaning.js';

/** Explanations of server error messages. docs/errors.md also lists those with a `step` as causes. */
export const SERVER_MEANINGS = {
  origin: {
    step: 'origin',
    title: 'The server expects another origin than that of the page',
    causes: [
      "The server's setting does not name the origin of the page: scheme, host and port must be the same, without a slash at the end.",
      'The page was opened under another name: 127.0.0.1 instead of localhost, or with "www.".',
      'A proxy ends TLS, so the server believes that its own origin is http.',
    ],
    next: 'Set {option} to the origin in the client data, or open the page at the one that the server expects.',
  },
  topOrigin: {
    step: 'top-origin',
    title: 'The server does not expect the page that embeds this one',
    causes: ['The page was in an iframe of another origin.'],
    next: 'Set {option} to the origin of the outer page, or open the page by itself.',
  },
  rpId: {
    step: 'rp-id-hash',
    title: 'The server expects another RP ID than the options requested',
    causes: ['The expected RP ID is not the `rp.id` or `rpId` of the options: a domain, without scheme and port.'],
    next: 'Give {option} and the options the same RP ID. A passkey belongs to one RP ID for good.',
  },
  challenge: {
    step: 'challenge',
    title: 'The response answers another challenge than the server expects',
    causes: [
      'Another tab, or another request for options, has replaced the challenge of the session.',
      "The cookie was not sent, so the session is another: fetch needs credentials: 'include' if the server has another origin.",
      'The response was sent before: a challenge can be used once.',
    ],
    next: 'Keep the challenge with the session when you make the options, and verify against that one; ask for new options for each attempt.',
  },
  noChallenge: {
    step: 'challenge',
    title: 'The server has no challenge for this response',
    causes: [
      "The session cookie was not sent: if the server has another origin, fetch needs credentials: 'include', and the cookie SameSite=None; Secure.",
      'The response was sent before: the challenge was deleted when it was used.',
      'The session has expired, or was lost when the server started again.',
    ],
    next: 'Look for the Cookie header of the request, and for Set-Cookie in the response with the options.',
  },
  type: {
    step: 'type',
    title: 'The response belongs to the other ceremony',
    causes: ['A registration was sent to the login route, or the other way round.'],
    next: 'Send what create() returns to the registration, and what get() returns to the login.',
  },
  userVerified: {
    step: 'user-verified',
    title: 'The server requires user verification, and the user was not verified',
    causes: ['The options request "preferred" or "discouraged", so the authenticator may skip PIN and biometrics.'],
    next: 'Ask for userVerification "required" in the options, or do not require it ({option}).',
    requiresUv: true,
  },
  userPresent: {
    step: 'user-present',
    title: 'The authenticator did not check that the user is present',
    causes: ['The passkey was made without a dialog (conditional create).'],
    next: 'Accept a conditional create without user presence, or ask again with a dialog.',
  },
  signature: {
    step: 'signature',
    title: 'The stored key does not verify the signature',
    causes: [
      'The key is that of another credential: look it up by the ID of the response.',
      'The key was changed on its way into or out of the database: it is bytes, not text.',
    ],
    next: 'Compare the key with that of the registration: give it as `publicKey` (--public-key).',
  },
  signCount: {
    step: 'sign-count',
    title: 'The counter has not grown',
    causes: ['The response was verified before, or the stored counter is that of another credential.', 'The authenticator was cloned.'],
    next: 'Store the new counter after each login, for the credential that answered.',
  },
  unknownCredential: {
    step: 'user-handle',
    title: 'The server does not know this credential',
    causes: ['It was deleted on the server, or is stored under its ID in another encoding.', 'It belongs to another user or database.'],
    next: 'Look it up by the bytes of its ID. Signal passkeys that are gone to the browser (signalUnknownCredential).',
  },
  algorithm: {
    step: 'algorithm',
    title: 'The key has an algorithm that the server does not accept',
    causes: ['The options offer more algorithms than the verification accepts.'],
    next: 'Give the same list to both ({option}).',
  },
  expiredChallenge: {
    step: 'challenge',
    title: 'The challenge has expired',
    causes: [
      'The page asked for options when it loaded, and the user acted much later; or the dialog was open for minutes.',
      'The server keeps the challenge for a shorter time than the `timeout` of the options.',
    ],
    next: 'Ask for options when the user acts, and keep the challenge as long as `timeout` says.',
  },
  crossOrigin: {
    step: 'cross-origin',
    title: 'The server does not expect the page in an iframe of another origin',
    causes: ['The page was in an iframe of another origin (`crossOrigin` is true).'],
    next: 'Open the page by itself, or allow the origin of the outer page ({option}).',
  },
  missingCredentialId: {
    title: 'The verification was given no credential',
    causes: [
      'The body of the request was not parsed: no JSON middleware, or no `Content-Type: application/json`.',
      'The credential is one level deeper than the server reads it, such as `body.credential` instead of `body`.',
      'The credential went through JSON.stringify() without toJSON(), which leaves `{}`.',
    ],
    next: 'Log what the verification is given: it must be the object of `credential.toJSON()` or startRegistration(), with `id` and `rawId`.',
  },
  credentialIdEncoding: {
    title: '`id` and `rawId` of the credential are not the same base64url text',
    causes: [
      '`rawId` was written as base64 (btoa: "+", "/", "="), as hexadecimal, or as an ArrayBuffer that JSON writes as `{}`.',
      'The server or the page decoded one of the two and encoded it again.',
    ],
    next: 'Send `credential.toJSON()`, and pass on `id` and `rawId` unchanged: base64url without padding.',
  },
  malformedResponse: {
    title: 'The response lacks a member, or has it in another form',
    causes: [
      'A member was left out, misspelled, or is nested in another object than the server reads.',
      'Bytes were sent as base64, as a list of numbers or as `{}` instead of base64url: JSON.stringify() of a credential without toJSON() does that.',
      'JSON was stringified twice, or the body was not parsed.',
    ],
    next: 'Send the object of `credential.toJSON()` unchanged. `passkey explain` of the body says which member is wrong.',
  },
  malformedClientData: {
    step: 'client-data',
    title: 'The client data cannot be read',
    causes: [
      '`response.clientDataJSON` was encoded twice, cut off, or sent as text instead of base64url.',
      'It was parsed and written again.',
    ],
    next: 'Send the bytes of the browser unchanged: `credential.toJSON()` encodes them.',
  },
  malformedAuthenticatorData: {
    title: 'The authenticator data cannot be read',
    causes: [
      'It was not encoded as base64url, or was cut off.',
      'The flags announce a credential or extensions that the bytes do not have: a fault of the authenticator.',
    ],
    next: 'Give the response to `passkey explain`: it shows the byte where it stops making sense.',
  },
  malformedKey: {
    step: 'signature',
    title: 'The stored public key cannot be read',
    causes: [
      'The database returned it in another form: text, `{"type":"Buffer"}` or a list of numbers instead of bytes.',
      'It was stored as base64 and is read as base64url, or as UTF-8, which destroys bytes above 127.',
    ],
    next: 'Store the bytes of the COSE_Key and compare them with those of the registration: give the stored value as `publicKey` (--public-key).',
  },
  notAllowedCredential: {
    step: 'allow-credentials',
    title: 'The response comes from a credential that the options did not allow',
    causes: [
      'The options were made for another user.',
      'The server compares credential IDs in two encodings: base64 and base64url, or text and bytes.',
    ],
    next: 'Compare the ID of the response with `allowCredentials` of the options, as bytes.',
  },
  credentialOwner: {
    step: 'user-handle',
    title: 'The credential belongs to another user',
    causes: [
      'The server compares `response.userHandle` with the ID of the user in another encoding: encoded twice, hexadecimal, or text instead of bytes.',
      'The session or the user name is that of another user.',
      'The server changed the `user.id` of the account after the registration.',
    ],
    next: 'Compare the bytes of `response.userHandle` with those of `user.id` at the registration.',
  },
  missingUserHandle: {
    step: 'user-handle',
    title: 'The response has no user handle',
    causes: [
      'The passkey is not discoverable: a security key leaves the user handle out.',
      'The page did not pass on `response.userHandle`.',
    ],
    next: 'Without a user name, find the account by the credential ID, or register with residentKey "required".',
  },
  unknownUser: {
    step: 'user-handle',
    title: 'The server does not find the user',
    causes: [
      'It looks up the user by `response.userHandle` in another encoding than it stores: the handle is bytes, and base64url in JSON.',
      'The account was removed, or is in another database.',
      'The request names no user, and the login does not use a discoverable passkey.',
    ],
    next: 'Compare `response.userHandle` with the stored ID as bytes, or find the user by the credential ID.',
  },
  registeredAlready: {
    step: 'credential-id-unused',
    title: 'The credential is registered already',
    causes: [
      'The response was sent twice.',
      'The options had no `excludeCredentials`, so the authenticator offered the same passkey again.',
    ],
    next: 'Log in with it, or list the IDs of the account in `excludeCredentials`.',
  },
  backupEligibility: {
    step: 'backup-eligibility',
    title: 'The backup eligibility differs from the registration',
    causes: [
      'The server did not store the flag, or stored false: records from before the library stored it lack the flag.',
      'The passkey moved to a provider that syncs, or came from one.',
    ],
    next: 'Store the flag BE at registration ({option}). For old records copy it once from the next login, then never change it.',
  },
  backupState: {
    step: 'backup-flags',
    title: 'The passkey is backed up but not eligible for backup',
    causes: ['The flags contradict each other: the authenticator, or a test that sets them, is at fault.'],
    next: 'Register another authenticator.',
  },
  backupPolicy: {
    title: 'The policy of the server does not accept this kind of backup',
    causes: ['The server requires or forbids synced passkeys, and this one is not of that kind.'],
    next: 'Change the policy: most passkeys of phones and password managers are synced, and security keys are not.',
  },
  aaguid: {
    step: 'attestation-trust',
    title: 'The server does not accept this model of authenticator (AAGUID)',
    causes: [
      'The server has a list of AAGUIDs that does not contain this one.',
      'The AAGUID is all zeros: without attestation, browsers and many providers do not reveal the model.',
    ],
    next: 'Add the AAGUID to the list of the server ({option}), or empty the list. To see the model, ask for attestation "direct".',
  },
  attestation: {
    step: 'attestation-statement',
    title: 'The server refuses the attestation',
    causes: ['The format is not one that the server knows or allows.', 'The statement was changed in transit, or signed over other data.'],
    next: 'Ask for attestation "none" unless you need to know the model of the authenticator.',
  },
  attestationTrust: {
    step: 'attestation-trust',
    title: 'The server does not trust the certificate of the authenticator',
    causes: ['The root of this model is not among the roots of the server.', 'A certificate has expired or was revoked.'],
    next: 'Add the root of the model, or ask for attestation "none".',
  },
} as const satisfies Readonly<Record<string, Meaning>>;
