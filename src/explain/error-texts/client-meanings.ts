import type { Meaning } from './meaning.js';

/** Explanations of error messages that browsers, operating systems and pages show. */
export const CLIENT_MEANINGS = {
  certificate: {
    title: 'The browser does not trust the TLS certificate of the page',
    causes: ['The certificate is self-signed, expired or for another name; clicking the warning away does not help passkeys.'],
    next: 'Open http://localhost without TLS, or trust a certificate of a local authority (mkcert). Then restart the browser.',
  },
  focus: {
    title: 'The page did not have the focus',
    causes: ['The developer tools, the address bar or another window had the focus when the call was made.'],
    next: 'Click into the page first, and make the call in the handler of that click.',
  },
  gesture: {
    title: 'The call was not made in a click',
    causes: [
      'Safari, and every browser in a frame of another origin, requires a user gesture: the call came when the page loaded, or from a timer.',
      'The click was used up: the handler waited for a request first, or made a second call.',
    ],
    next: 'Fetch the options before the click, or call create() and get() first thing in its handler.',
  },
  opaqueOrigin: {
    title: 'The page has no origin that can have passkeys',
    causes: ['It is a file opened from disk, a data: URL or a sandboxed iframe.'],
    next: 'Serve the page over https, or from http://localhost. In a sandbox, add allow-same-origin.',
  },
  insecure: {
    title: 'The page is not in a secure context',
    causes: ['It was opened with http on another host than localhost.', 'Its certificate is not valid.'],
    next: 'Use https, or http://localhost.',
  },
  relatedOrigins: {
    title: 'rp.id does not match the page, and no file of related origins allows it',
    causes: [
      'rp.id is another site than the page, so the browser reads https://RP-ID/.well-known/webauthn. That failed, as the message says: the file is missing, is not `application/json`, is not JSON, or lacks the origin of the page.',
      'rp.id is a typo: it should be the host of the page or a parent domain.',
    ],
    next: 'Serve the file with the origin of the page in `origins`; `passkey doctor URL --rp-id ID` says why browsers do not read it. Or set rp.id to the host of the page.',
  },
  screenLock: {
    title: 'The device has no screen lock',
    causes: ['The options require user verification, and the device has no PIN, pattern or biometrics.'],
    next: 'Set a screen lock, or ask for userVerification "preferred".',
  },
  discoverable: {
    title: 'The device does not support discoverable passkeys here',
    causes: ['`allowCredentials` is empty, or a resident key is required: an old Android, or Google Play services without passkeys.'],
    next: 'Name the IDs in `allowCredentials`, ask for residentKey "preferred", or update Google Play services.',
  },
  unexpectedParameters: {
    title: 'The device cannot handle the options',
    causes: ['This version of Android does not support an option or extension.'],
    next: 'Remove the extensions one at a time, and update Google Play services.',
  },
  aborted: {
    title: 'The page ended the call itself',
    causes: [
      'Its AbortController was aborted: a new call of create() or get() ends the pending one (autofill and button).',
      'The page was left, or a component was unmounted.',
    ],
    next: 'Expect this error and show nothing. Make one call at a time.',
  },
  cancelled: {
    title: 'The user closed the dialog, or the browser ended it',
    causes: [
      'The dialog was closed, or its time ran out.',
      'No passkey on this device fits, and the user gave up.',
      'The call was not made in a click, and Safari refused it without a dialog.',
    ],
    next: 'Let the user try again. If no dialog was shown, make the call first thing in the handler of a click.',
  },
  credentialManager: {
    title: 'The credential manager of the device failed',
    causes: [
      'On Android, Google Play services or the password manager could not answer: an account that needs to sign in again, an old version, no screen lock, or no network.',
      'The RP ID is not linked to the app that shows the page.',
    ],
    next: 'Try another passkey provider or account on the device (Settings, Passwords and accounts), and update Google Play services.',
  },
  passkeySync: {
    title: 'Google Password Manager cannot decrypt its passkeys on this device',
    causes: [
      'The passkeys of the Google account are encrypted with a key that this device does not have yet: its PIN or the screen lock of another device was not entered.',
      'Google Play services are old, or the account needs to sign in again. Neither the options nor assetlinks.json are the cause.',
    ],
    next: 'Open Google Password Manager on the device, enter the PIN it asks for, and update Google Play services. Or use another passkey provider.',
  },
  webauthnMissing: {
    title: 'The page has no WebAuthn',
    causes: [
      'The page is not in a secure context: https, or http://localhost.',
      'The code runs on the server (Node, server-side rendering, jsdom), where there is no browser.',
      'The page is in a web view of an app that does not support it.',
    ],
    next: 'Open the page with https or on http://localhost, and call WebAuthn only in the browser.',
  },
  notBytes: {
    title: 'The options have text where the browser wants bytes',
    causes: [
      '`challenge`, `user.id` or a credential ID was passed as in the JSON: the browser does not decode base64url by itself.',
      'A member is missing, or the options are one level deeper than the page reads them.',
    ],
    next: 'Decode the options with PublicKeyCredential.parseCreationOptionsFromJSON() or parseRequestOptionsFromJSON(), or call startRegistration() of a library.',
  },
  base64: {
    title: 'The page decodes base64url as if it were base64',
    causes: [
      'atob() does not accept "-" and "_", which base64url has; some decoders require the padding "=".',
      'The value is missing, or is not a string.',
    ],
    next: 'Use PublicKeyCredential.parseCreationOptionsFromJSON(), or replace "-" by "+" and "_" by "/" before atob().',
  },
  userIdLength: {
    title: '`user.id` is empty or longer than 64 bytes',
    causes: ['The server sends no ID, or a long text such as a token.'],
    next: 'Send 1 to 64 random bytes for each account.',
  },
  tooManyCredentials: {
    title: 'The options are larger than the browser accepts',
    causes: ['`allowCredentials` or `excludeCredentials` has more than 64 entries, or a value is too long.'],
    next: 'List only the credentials of this account.',
  },
  foreignCredential: {
    title: 'A password manager returned an object that is not a PublicKeyCredential',
    causes: [
      'Its extension replaces navigator.credentials, and its credential lacks methods such as toJSON() or getPublicKey(): JSON.stringify() and toJSON() throw.',
    ],
    next: 'Update the extension, or turn it off for this page. If toJSON() throws, copy id, rawId, type and response by hand in the page.',
  },
  managerRefused: {
    title: 'The password manager refused the request',
    causes: [
      'It is locked, was closed, or does not support an option.',
      'It does not support related origins or frames, although browsers do.',
    ],
    next: 'Unlock it and try again, or turn it off for this page to let the browser answer.',
  },
  assetLinks: {
    title: 'Android does not link the app to the RP ID',
    causes: [
      'https://RP-ID/.well-known/assetlinks.json is missing, redirects, or does not name the package and the SHA-256 of the certificate that signed this build (debug, upload key and Play App Signing differ).',
      'The file lacks the relation delegate_permission/common.get_login_creds or handle_all_urls.',
      'rp.id is not a domain: it is localhost, an IP address, or has a scheme.',
    ],
    next: 'Run `passkey doctor URL` on the site: it checks assetlinks.json. Compare the fingerprint with that of the installed build, then install the app anew.',
  },
  androidRequest: {
    title: 'Google Play services cannot read the request',
    causes: [
      'The JSON of the options is not what Android expects: `challenge`, `user.id` and IDs in base64url without padding, `alg` as a number, no null.',
      'The app is not linked to the RP ID (assetlinks.json).',
    ],
    next: 'Give the JSON of the options to `passkey explain`, and check assetlinks.json with `passkey doctor URL`.',
  },
  noCreateOption: {
    title: 'No password manager on the device can create a passkey',
    causes: [
      'No Google account is signed in, no screen lock is set, or no provider is switched on (Settings, Passwords and accounts).',
      'The emulator has no Google Play.',
    ],
    next: 'Sign in to a Google account, set a screen lock, and choose a provider. Offer another way to sign in.',
  },
  noCredential: {
    title: 'The device has no passkey for this request',
    causes: [
      'No passkey of this RP ID is on the device or in its providers, or none of `allowCredentials`.',
      'The app is not linked to the RP ID, or is signed with another certificate.',
      'The passkey was registered without residentKey "required" and cannot be found without its ID.',
    ],
    next: 'Register a passkey on this device first, and compare `rpId` with that of the registration. Offer another way to sign in.',
  },
  androidProvider: {
    title: 'The app has no provider of passkeys',
    causes: [
      'The dependency androidx.credentials:credentials-play-services-auth is missing, or Google Play services are old or switched off.',
    ],
    next: 'Add the dependency, and update Google Play services.',
  },
  playServices: {
    title: 'Google Play services refused the request',
    causes: [
      'The code in brackets is one of theirs; the words after it say why.',
      'Often the app is not linked to the RP ID, the device has no screen lock, or the user closed the dialog.',
    ],
    next: 'Read the log of the device (`adb logcat`, tag Auth.Api.Credentials), and check assetlinks.json with `passkey doctor URL`.',
  },
  appleAssociation: {
    title: 'Apple does not link the app to the RP ID',
    causes: [
      'https://RP-ID/.well-known/apple-app-site-association is missing or redirects, or `webcredentials.apps` does not list TEAM-ID.BUNDLE-ID of this build.',
      'The entitlement com.apple.developer.associated-domains lacks webcredentials:RP-ID.',
      "Apple's servers have an old copy of the file, or cannot reach the site (localhost, private network).",
    ],
    next: 'Run `passkey doctor URL` on the site: it checks the file. Try again some seconds after an installation; while you develop, write webcredentials:RP-ID?mode=developer.',
  },
  appleEntitlement: {
    title: 'The app is not signed as passkeys need it',
    causes: ['The build has no application identifier or entitlements: no team, a wrong provisioning profile, or a command-line build.'],
    next: 'Sign the app with a team and the capability Associated Domains.',
  },
  appleCancelled: {
    title: 'The user closed the dialog, or the device has no passkey for it',
    causes: ['The dialog was closed (1001).', 'No passkey fits the request: iOS refuses at once with the same code.'],
    next: 'Let the user try again, or offer another way to sign in.',
  },
  appleFailed: {
    title: 'Apple refused the request',
    causes: [
      'The app is not linked to the RP ID: apple-app-site-association, or the entitlement webcredentials.',
      'Another request is pending, or iCloud Keychain is off.',
    ],
    next: 'Print NSLocalizedFailureReason of the error, which says why, and run `passkey doctor URL` on the site.',
  },
  network: {
    title: 'The request did not reach the server, or its answer was withheld',
    causes: [
      'CORS: the API has another origin than the page and does not allow it; the console of the browser says so.',
      'The server is not running, or listens on another port.',
      'Its certificate is not trusted, or the page uses https and the API http.',
    ],
    next: 'Open the URL of the request in a tab. On your server allow the origin of the page, with credentials, or serve both on one origin (`--app`). For our server, `passkey serve --origin` does it.',
  },
  cors: {
    title: 'The API does not allow the origin of the page (CORS)',
    causes: [
      'The response lacks Access-Control-Allow-Origin with the origin of the page; with cookies, `*` is not enough and Access-Control-Allow-Credentials is needed.',
      'The preflight (OPTIONS) is refused, or redirected.',
    ],
    next: 'Allow the origin of the page on the API, with credentials; for our server, `passkey serve --origin ORIGIN` does it. Or serve both on one origin (`--app`, a proxy of the dev server).',
  },
  htmlAnswer: {
    title: 'The server answered with a page, not with JSON',
    causes: [
      'The path is wrong, and the dev server answers with index.html.',
      'The session has expired, and the response is the login page; or it is an error page.',
    ],
    next: 'Look at status and body of the response in the network tab, and parse it only if `response.ok`.',
  },
  optionsMissing: {
    title: 'The code of the page has no options',
    causes: [
      'The server responded with an error, and the page took it for options: check `response.ok`.',
      'The options are one level higher or deeper than the page reads them: `options.publicKey` or `options`.',
      'startRegistration() and startAuthentication() of SimpleWebAuthn 11 and later take `{ optionsJSON }`.',
    ],
    next: 'Log the response to the options request, and pass on exactly the object with `challenge`.',
  },
  recordMissing: {
    title: 'The code of the server has no credential record',
    causes: [
      'The look-up by credential ID found nothing: it compares another encoding, or another user.',
      'verifyAuthenticationResponse() of SimpleWebAuthn 11 and later takes `credential`, where earlier ones took `authenticator`.',
    ],
    next: 'Log the ID that is looked up and those that are stored, and pass on `credential` with `id`, `publicKey` and `counter`.',
  },
} as const satisfies Readonly<Record<string, Meaning>>;
