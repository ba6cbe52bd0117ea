import { EXTENSIONS, type ExtensionId } from '../../authenticator/extensions.js';
import type { Fixture } from '../../fixture/format.js';
import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { knownValue, listNames } from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION } from '../../webauthn/extensions.js';
import type { ExtensionsJSON } from '../../webauthn/json.js';
import { DIFFERS } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import { notApplicable } from './scenario.js';

/** Properties of the authenticator and the page that a response reveals, apart from keys, IDs and signatures. */
export interface Behaviour {
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly signCount: number;
  /** Identifiers of the extensions for which the authenticator returned an output. */
  readonly extensions: readonly string[];
  /** Protection level of the credential from 1 to 3, as in the output of credProtect (CTAP 2.3 §12.1). */
  readonly protection: number | undefined;
  readonly attachment: string | undefined;
  readonly crossOrigin: boolean;
  readonly topOrigin: string | undefined;
  /** Properties that only a registration reveals; undefined for a login. */
  readonly attested: AttestedBehaviour | undefined;
  /** Whether a login returned a user handle. */
  readonly withUserHandle: boolean;
}

export interface AttestedBehaviour {
  readonly aaguid: string;
  /** Algorithm of the credential (COSEAlgorithmIdentifier). */
  readonly algorithm: number;
  readonly credentialIdLength: number;
  readonly transports: readonly string[];
  readonly format: string;
  /** Whether the attestation statement contains certificates. */
  readonly certified: boolean;
}

/**
 * Reads from a response the properties that it reveals of the authenticator and the page.
 *
 * @throws PasskeyError if the response is malformed.
 */
export function readBehaviour(response: JsonObject): Behaviour {
  const inner = asObject(response.response);
  const bytes = (member: string) => decodeBase64(String(inner[member] ?? ''))?.bytes ?? new Uint8Array();
  const attestation = inner.attestationObject === undefined ? undefined : decodeAttestationObject(bytes('attestationObject'));
  const data = decodeAuthenticatorData(attestation?.authData ?? bytes('authenticatorData'));
  const { crossOrigin = false, topOrigin } = decodeClientData(bytes('clientDataJSON'));
  const { up, uv, be, bs } = data.flags;
  const protection = data.extensions?.get('credProtect');
  const attested = attestation && attestedBehaviour(data, attestation.fmt, attestation.attStmt.has('x5c'), inner.transports);
  return {
    userPresent: up,
    userVerified: uv,
    backupEligible: be,
    backupState: bs,
    signCount: data.signCount,
    extensions: [...(data.extensions?.keys() ?? [])].map(String).toSorted(),
    protection: typeof protection === 'number' ? protection : undefined,
    attachment: typeof response.authenticatorAttachment === 'string' ? response.authenticatorAttachment : undefined,
    crossOrigin,
    topOrigin,
    attested,
    withUserHandle: typeof inner.userHandle === 'string',
  };
}

function attestedBehaviour(
  { attestedCredentialData: data }: AuthenticatorData,
  format: string,
  certified: boolean,
  transports: unknown,
): AttestedBehaviour | undefined {
  if (data === undefined) return undefined;
  return {
    aaguid: formatAaguid(data.aaguid),
    algorithm: readCoseAlgorithm(data.credentialPublicKey),
    credentialIdLength: data.credentialId.length,
    transports: Array.isArray(transports) ? transports.map(String) : [],
    format,
    certified,
  };
}

/**
 * Compares two responses in everything that a relying party can see, except the keys.
 *
 * @param sameAttestation whether both responses were requested with the same attestation conveyance; otherwise the formats may differ.
 */
export function compareBehaviour(recorded: Behaviour, rebound: Behaviour, sameAttestation: boolean): Mismatch[] {
  const { format, certified: _, credentialIdLength: __, ...attested } = recorded.attested ?? {};
  const wanted = {
    ...recorded,
    ...attested,
    attested: undefined,
    // Authenticators may omit it: it must come again only where it was recorded.
    withUserHandle: recorded.withUserHandle || undefined,
    ...(sameAttestation && { format }),
  };
  const received = asObject({ ...rebound, ...rebound.attested });
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(received[member])];
    // What the recording does not say is not compared.
    return value === undefined || expected === got
      ? []
      : [{ at: `behaviour: ${member}`, expected, received: got ?? 'nothing', deviation: DIFFERS }];
  });
}

/**
 * Extensions that produce a signed output whenever the authenticator supports them and the page requests them. If a recorded page requested
 * one of them but the response has no output for it, the authenticator does not support that extension.
 */
const SIGNED: readonly ExtensionId[] = ['credProtect', 'credBlob', 'minPinLength', 'hmac-secret', 'hmac-secret-mc'];

/** Lists the extensions that the recorded authenticator supports, as far as the recording shows. */
export function extensionsShown({ extensions }: Behaviour): readonly ExtensionId[] {
  // One with a PRF of its own would not need hmac-secret.
  const hasSecret = extensions.includes('hmac-secret');
  return EXTENSIONS.filter((id) => (SIGNED.includes(id) ? extensions.includes(id) : id !== 'prf' || !hasSecret));
}

/**
 * Copies the recorded extension inputs and replaces the recorded credential ID in them with the new one. Undefined if the recording has no
 * extension inputs.
 */
export function extensionInputs(
  { ceremony: { options } }: Fixture,
  { protection }: Behaviour,
  [recorded, rebound] = ['', ''],
): ExtensionsJSON | undefined {
  const text = JSON.stringify(options.extensions);
  const asked: JsonObject | undefined =
    text === undefined ? undefined : asObject(JSON.parse(recorded === '' ? text : text.replaceAll(`"${recorded}"`, `"${rebound}"`)));
  const inputs = { ...withoutProtection(asked), ...protectionInputs(asked, protection) };
  return asked === undefined && Object.keys(inputs).length === 0 ? undefined : inputs;
}

function withoutProtection(inputs: JsonObject = {}): JsonObject {
  const { credentialProtectionPolicy: _policy, enforceCredentialProtectionPolicy: _enforce, ...others } = inputs;
  return others;
}

/**
 * Finds the credProtect inputs that produce the recorded level of protection. That level may differ from the requested one: browsers
 * request protection on security keys on their own, and some authenticators have a default. If no level was recorded, the authenticator
 * does not support the extension, so the inputs are empty.
 */
function protectionInputs(asked: JsonObject = {}, protection: number | undefined): JsonObject {
  const policy = listNames(CREDENTIAL_PROTECTION).find((name) => CREDENTIAL_PROTECTION[name] === protection);
  if (policy === undefined) return {};
  const enforced = asked['enforceCredentialProtectionPolicy'] === true && policy !== 'userVerificationOptional';
  return { credentialProtectionPolicy: policy, ...(enforced && { enforceCredentialProtectionPolicy: true }) };
}

/** Lists the extensions that a registration must request so that its passkey can repeat the recorded login. */
export function preparationInputs({ ceremony: { options } }: Fixture): ExtensionsJSON | undefined {
  const { prf, largeBlob, getCredBlob } = asObject(options.extensions);
  const inputs = {
    ...(isObject(prf) && { prf: {} }),
    ...(isObject(largeBlob) && { largeBlob: { support: 'preferred' } }),
    ...(getCredBlob === true && { credBlob: 'AQ' }),
  };
  return Object.keys(inputs).length === 0 ? undefined : inputs;
}

/**
 * Finds the authenticator selection for the repetition of a recorded ceremony. Chromium refuses some levels of credential protection if the
 * selection demands too little. In that case, returns the weakest selection that works, otherwise the recorded one.
 *
 * @throws ScenarioEnded if the protection level requires user verification but the recorded user was not verified.
 */
export function selectionFor(
  extensions: ExtensionsJSON | undefined,
  { ceremony: { policy } }: Fixture,
  { userVerified }: Behaviour,
): JsonObject {
  const { residentKey, userVerification } = policy;
  switch (knownValue(extensions?.['credentialProtectionPolicy'], listNames(CREDENTIAL_PROTECTION))) {
    case undefined:
      return {};
    case 'userVerificationRequired':
      if (!userVerified) {
        throw notApplicable('Chromium does not create a credential that requires user verification unless it verifies the user');
      }
      return { residentKey, userVerification: 'required' };
    case 'userVerificationOptional':
      return { residentKey: residentKey === 'discouraged' ? 'preferred' : residentKey, userVerification };
    case 'userVerificationOptionalWithCredentialIDList':
      return { residentKey, userVerification };
  }
}
