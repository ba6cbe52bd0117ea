import { attestationObject } from '../../authenticator/attestation/format.js';
import { ATTESTATION_NAMES, type AttestationName, attestationFormats } from '../../authenticator/attestation/named-formats.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { PasskeyError } from '../../errors.js';
import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { type AttestationObject, certificatesOf, decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { knownValue } from '../../webauthn/enumerations.js';
import type { RegistrationResponseJSON } from '../../webauthn/json.js';
import { attestationInputOf } from '../cases/attestation/attest-anew.js';
import { sha256 } from '../cases/attestation/makers/edits.js';
import type { RegistrationEdits } from '../engine/edits.js';

interface Made {
  readonly honest: RegistrationResponseJSON;
  readonly source: CredentialSource;
  readonly edits: RegistrationEdits;
}

/**
 * A registration whose signed data were changed gets a new statement in the format that it had, so that nothing else is wrong. Certificates
 * are those of the public test authority. What is about the statement stays as it is, and so do data that no statement can be about.
 */
export async function attestedAgain(edited: JsonObject, { honest, source, edits }: Made): Promise<JsonObject> {
  if (edits.attestation !== undefined || edits.attestationObject !== undefined) return edited;
  const { clientDataJSON, attestationObject: changed } = objectOf(edited.response);
  const { attestationObject: before, clientDataJSON: dataBefore } = honest.response;
  const name = attestationNameOf(decodeAttestationObject(decodeBase64url(before)));
  if (name === undefined || name === 'none' || (changed === before && clientDataJSON === dataBefore)) return edited;
  try {
    const { authData } = decodeAttestationObject(decodeBase64url(String(changed)));
    const clientDataHash = sha256(decodeBase64url(String(clientDataJSON)));
    const input = await attestationInputOf(authData, clientDataHash, source, Date.now);
    const [format] = attestationFormats({ attestation: name });
    const bytes = await attestationObject(format, input);
    return { ...edited, response: { ...objectOf(edited.response), attestationObject: encodeBase64url(bytes) } };
  } catch (error) {
    if (!(error instanceof PasskeyError || error instanceof TypeError)) throw error;
    return edited;
  }
}

/** What an authenticator of ours is told to attest in the same way; undefined for a format that it does not have. */
export function attestationNameOf(object: AttestationObject): AttestationName | undefined {
  const isCertified = object.fmt === 'packed' && certificatesOf(object).length > 0;
  return knownValue(isCertified ? 'packed-x5c' : object.fmt, ATTESTATION_NAMES);
}
