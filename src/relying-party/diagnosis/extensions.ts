import { isObject, type JsonObject } from '../../webauthn/annotate/json-value.js';
import type { CborMap } from '../../webauthn/cbor.js';
import type { Observation } from './observation.js';

/** Whose output tells whether an extension was processed. `credProps` and the like are the browser's alone. */
const BY_AUTHENTICATOR: readonly string[] = [
  'credProtect',
  'minPinLength',
  'hmacCreateSecret',
  'uvm',
  'credBlob',
  'getCredBlob',
  'payment',
];
/** Names by which authenticators know what browsers call otherwise. */
const AUTHENTICATOR_NAMES: Readonly<Record<string, string>> = {
  hmacCreateSecret: 'hmac-secret',
  credentialProtectionPolicy: 'credProtect',
  getCredBlob: 'credBlob',
};
/** Inputs that are part of another extension, or have no output at all. */
const SILENT: readonly string[] = ['enforceCredentialProtectionPolicy', 'appidExclude', 'remoteClientDataJSON'];

/** Extensions that were asked for, and of which nothing came back. */
export function ignoredExtensions(options: JsonObject | undefined, results: JsonObject, outputs: CborMap | undefined): Observation[] {
  const asked = isObject(options?.['extensions']) ? Object.keys(options['extensions']) : [];
  return asked.flatMap((name) => {
    const known = AUTHENTICATOR_NAMES[name] ?? name;
    if (SILENT.includes(name) || name in results || outputs?.has(known) === true) {
      return [];
    }
    const byAuthenticator = BY_AUTHENTICATOR.includes(name) || name in AUTHENTICATOR_NAMES;
    return [
      {
        slug: 'extension-ignored',
        message: byAuthenticator
          ? `The extension ${name} was asked for and is not in the authenticator data: this authenticator does not know it, or refused it; every extension is optional, so go on without.`
          : `The extension ${name} was asked for and clientExtensionResults has no output of it: this browser does not know it, or the page did not send the results; every extension is optional, so go on without.`,
      },
    ];
  });
}
