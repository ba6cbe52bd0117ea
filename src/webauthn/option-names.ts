type Ceremony = 'registration' | 'authentication';

/**
 * The most entries that `excludeCredentials` and `allowCredentials` may have. The standard sets no limit; Chromium and the
 * browsers built on it reject `create()` and `get()` with a RangeError above this one, so that a page could not time how long
 * security keys take over long lists (https://crbug.com/1248862, `kPublicKeyCredentialDescriptorListMaxSize`).
 */
export const MAX_LISTED_CREDENTIALS = 64;

/** Members of PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.8, §5.4). */
export const CREATION_MEMBERS: readonly string[] = [
  'rp',
  'user',
  'challenge',
  'pubKeyCredParams',
  'timeout',
  'excludeCredentials',
  'authenticatorSelection',
  'hints',
  'attestation',
  'attestationFormats',
  'extensions',
];

/** Members of PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.9, §5.5). */
export const REQUEST_MEMBERS: readonly string[] = [
  'challenge',
  'timeout',
  'rpId',
  'allowCredentials',
  'userVerification',
  'hints',
  'extensions',
];

const BOTH: readonly Ceremony[] = ['registration', 'authentication'];

/** Client extensions by their names in JavaScript, and the ceremonies they belong to: WebAuthn L3 §10.1, CTAP, payments. */
export const CLIENT_EXTENSIONS: ReadonlyMap<string, readonly Ceremony[]> = new Map([
  ['appid', ['authentication']],
  ['appidExclude', ['registration']],
  ['credProps', ['registration']],
  ['prf', BOTH],
  ['largeBlob', BOTH],
  ['credentialProtectionPolicy', ['registration']],
  ['enforceCredentialProtectionPolicy', ['registration']],
  ['credBlob', ['registration']],
  ['getCredBlob', ['authentication']],
  ['minPinLength', ['registration']],
  ['hmacCreateSecret', ['registration']],
  ['hmacGetSecret', ['authentication']],
  ['payment', BOTH],
  ['uvm', BOTH],
  ['remoteClientDataJSON', BOTH],
]);

/** Names by which authenticators know extensions, and those by which browsers do. */
export const BROWSER_NAMES: ReadonlyMap<string, string> = new Map([
  ['hmac-secret', 'prf'],
  ['credProtect', 'credentialProtectionPolicy'],
]);
