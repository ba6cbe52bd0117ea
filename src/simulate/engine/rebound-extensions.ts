import { EXTENSIONS, type ExtensionId } from '../../authenticator/extensions.js';
import type { Fixture } from '../../fixture/format.js';
import { isObject, type JsonObject, objectOf } from '../../kernel/json-value.js';
import { knownValue, namesOf } from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION } from '../../webauthn/extensions.js';
import type { ExtensionsJSON } from '../../webauthn/json.js';
import type { Behaviour } from './behaviour.js';
import { notApplicable } from './scenario.js';

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
  const inputs = { ...withoutProtection(asked), ...protectionInputs(asked, protection) };
  return asked === undefined && Object.keys(inputs).length === 0 ? undefined : inputs;
}

function withoutProtection(inputs: JsonObject = {}): JsonObject {
  const { credentialProtectionPolicy: _policy, enforceCredentialProtectionPolicy: _enforce, ...others } = inputs;
  return others;
}

/**
 * What makes the recorded protection, which need not be the one that was asked for: browsers ask security keys for one that no page has asked
 * for, and some authenticators have one of their own. Where none came, the authenticator has none, and asking changes nothing.
 */
function protectionInputs(asked: JsonObject = {}, protection: number | undefined): JsonObject {
  const policy = namesOf(CREDENTIAL_PROTECTION).find((name) => CREDENTIAL_PROTECTION[name] === protection);
  if (policy === undefined) return {};
  const enforced = asked['enforceCredentialProtectionPolicy'] === true && policy !== 'userVerificationOptional';
  return { credentialProtectionPolicy: policy, ...(enforced && { enforceCredentialProtectionPolicy: true }) };
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

/**
 * Chromium refuses some protections beside a weaker selection, and other browsers do not: then the page asks for the weakest selection that
 * fits, and else for the recorded one.
 *
 * @throws ScenarioEnded where the user who should be verified was not.
 */
export function selectionFor(
  extensions: ExtensionsJSON | undefined,
  { ceremony: { policy } }: Fixture,
  { userVerified }: Behaviour,
): JsonObject {
  const { residentKey, userVerification } = policy;
  switch (knownValue(extensions?.['credentialProtectionPolicy'], namesOf(CREDENTIAL_PROTECTION))) {
    case undefined:
      return {};
    case 'userVerificationRequired':
      if (!userVerified) throw notApplicable('Chromium makes no credential that requires user verification without verifying the user');
      return { residentKey, userVerification: 'required' };
    case 'userVerificationOptional':
      return { residentKey: residentKey === 'discouraged' ? 'preferred' : residentKey, userVerification };
    case 'userVerificationOptionalWithCredentialIDList':
      return { residentKey, userVerification };
  }
}
