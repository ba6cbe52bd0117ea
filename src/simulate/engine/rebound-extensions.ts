import { EXTENSIONS, type ExtensionId } from '../../authenticator/extensions.js';
import type { Fixture } from '../../fixture/format.js';
import { knownValue, namesOf } from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION } from '../../webauthn/extensions.js';
import type { ExtensionsJSON } from '../../webauthn/json.js';
import { isObject, type JsonObject, objectOf } from '../../webauthn/json-value.js';
import type { Behaviour } from './behaviour.js';

/** Those that answer in the signed data wherever they are there and asked for, so that a recording without them had an authenticator without. */
const SIGNED: readonly ExtensionId[] = ['credProtect', 'credBlob', 'minPinLength', 'hmac-secret', 'hmac-secret-mc'];

/** The extensions of the authenticator that was recorded, as far as the recording shows. */
export function extensionsShown({ extensions }: Behaviour): readonly ExtensionId[] {
  // One with a PRF of its own would not need hmac-secret.
  const hasSecret = extensions.includes('hmac-secret');
  return EXTENSIONS.filter((id) => (SIGNED.includes(id) ? extensions.includes(id) : id !== 'prf' || !hasSecret));
}

/** The recorded extension inputs, naming the new credential wherever they named the recorded one; undefined: there were none. */
export function extensionInputs(
  { ceremony: { options } }: Fixture,
  { protection }: Behaviour,
  [recorded, rebound] = ['', ''],
): ExtensionsJSON | undefined {
  const text = JSON.stringify(options.extensions);
  const asked: JsonObject | undefined =
    text === undefined ? undefined : objectOf(JSON.parse(recorded === '' ? text : text.replaceAll(`"${recorded}"`, `"${rebound}"`)));
  const policy = namesOf(CREDENTIAL_PROTECTION).find((name) => CREDENTIAL_PROTECTION[name] === protection);
  // Chromium asks security keys for protection that no page has asked for.
  const added = policy !== undefined && asked?.['credentialProtectionPolicy'] === undefined;
  return added ? { ...asked, credentialProtectionPolicy: policy } : asked;
}

/** What must have been asked for at registration, so that the recorded login can be answered as it was. */
export function preparationInputs({ ceremony: { options } }: Fixture): ExtensionsJSON | undefined {
  const { prf, largeBlob, getCredBlob } = objectOf(options.extensions);
  const inputs = {
    ...(isObject(prf) && { prf: {} }),
    ...(isObject(largeBlob) && { largeBlob: { support: 'preferred' } }),
    ...(getCredBlob === true && { credBlob: 'AQ' }),
  };
  return Object.keys(inputs).length === 0 ? undefined : inputs;
}

/** A browser refuses some protections beside a weaker selection: then the page asks for the recorded one. */
export function selectionFor(extensions: ExtensionsJSON | undefined, { ceremony: { policy } }: Fixture): JsonObject {
  const asked = extensions?.['credentialProtectionPolicy'];
  return knownValue(asked, namesOf(CREDENTIAL_PROTECTION)) === undefined
    ? {}
    : { residentKey: policy.residentKey, userVerification: policy.userVerification };
}
