import { createHash } from 'node:crypto';
import { signingAlgorithm } from '../../../authenticator/algorithms.js';
import type { AttestationInput } from '../../../authenticator/attestation/format.js';
import type { CredentialSource } from '../../../authenticator/credential-source.js';
import { systemRandom } from '../../../authenticator/key-pair.js';
import { openSigningKey } from '../../../authenticator/signing-key.js';
import { parseAaguid } from '../../../webauthn/aaguid.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../../webauthn/attestation-object.js';
import { decodeAuthenticatorData, OFFSETS } from '../../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import { decodeCoseKey } from '../../../webauthn/cose-key.js';
import type { RegistrationResponseJSON } from '../../../webauthn/json.js';
import type { ByteEdit } from '../../engine/edits.js';
import type { AttestationRow } from './row.js';

/** A model of no vendor, which the statements are about. */
const AAGUID = parseAaguid('70617373-6b65-4079-a074-657374737465');

/** Puts an AAGUID into authenticator data with attested credential data. */
export function setAaguid(aaguid: Uint8Array): ByteEdit {
  return (bytes) => {
    const edited = bytes.slice();
    edited.set(aaguid, OFFSETS.aaguid);
    return edited;
  };
}

/** What a statement is about: the authenticator data, client data and credential key of a finished registration. */
export async function attestationInputOf(
  authenticatorData: Uint8Array,
  clientDataHash: Uint8Array,
  source: CredentialSource,
  now: () => number,
): Promise<AttestationInput> {
  const { attestedCredentialData, flags, rpIdHash } = decodeAuthenticatorData(authenticatorData);
  if (attestedCredentialData === undefined) throw new TypeError('Expected authenticator data with attested credential data; got none.');
  const { aaguid, credentialId, credentialPublicKey } = attestedCredentialData;
  const key = await openSigningKey(signingAlgorithm(source.algorithm), source.privateKey);
  return {
    authenticatorData,
    clientDataHash,
    algorithm: source.algorithm,
    sign: (data) => key.sign(data),
    credentialPublicKey: decodeCoseKey(credentialPublicKey),
    credentialId,
    aaguid,
    flags,
    rpId: source.rpId,
    rpIdHash,
    enterprise: false,
    random: systemRandom,
    now,
  };
}

/**
 * Replaces the statement of a finished registration with that of a row.
 *
 * @param source the credential's private side
 * @param now milliseconds since the epoch
 */
export async function attestAnew(
  { authenticatorData: edit = setAaguid(AAGUID), make }: Pick<AttestationRow, 'authenticatorData' | 'make'>,
  honest: RegistrationResponseJSON,
  source: CredentialSource,
  now: () => number,
): Promise<RegistrationResponseJSON> {
  const { clientDataJSON, attestationObject, ...rest } = honest.response;
  const authData = edit(decodeAttestationObject(decodeBase64url(attestationObject)).authData);
  const clientDataHash = new Uint8Array(createHash('sha256').update(decodeBase64url(clientDataJSON)).digest());
  const made = await make(await attestationInputOf(authData, clientDataHash, source, now));
  return {
    ...honest,
    response: {
      ...rest,
      clientDataJSON,
      // The client's copy, for pages that cannot read CBOR.
      authenticatorData: encodeBase64url(authData),
      attestationObject: encodeBase64url(encodeAttestationObject({ ...made, authData })),
    },
  };
}
