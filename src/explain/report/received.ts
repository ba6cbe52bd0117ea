import { PasskeyError } from '../../errors.js';
import { asObject } from '../../kernel/json-value.js';
import { requireShallow } from '../../relying-party/operation.js';
import { requireId, requireSameIds, requireType } from '../../relying-party/response.js';
import type { AuthenticationBytes, RegistrationBytes } from '../../relying-party/steps/context.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { type EncodedText, isEncoded } from '../../webauthn/text-encoding.js';
import { type DecodedMember, decodeText, type EncodedMember, type ReadCredential, readMember } from '../annotate/read-credential.js';
import { type EncodingMistake, encodingMistake, isBytes } from './encoding.js';

/** A credential in the form that the steps expect, and the encoding mistakes in its members. */
interface ReceivedCredential<Bytes> {
  readonly bytes: Bytes;
  /** Encoding mistakes in the order of the credential's members. For a member that cannot be decoded at all, an error is thrown instead. */
  readonly mistakes: readonly EncodingMistake[];
  /**
   * Which of `id` and `rawId` is missing; undefined if neither. If both are missing, an error is thrown instead, because the credential
   * cannot be identified.
   */
  readonly absent: 'id' | 'rawId' | undefined;
}

/**
 * Converts a registration to the form that the steps expect.
 *
 * @throws PasskeyError `validation_failed` naming the wrong member and its first wrong character.
 */
export function receiveRegistration(credential: ReadCredential): ReceivedCredential<RegistrationBytes> {
  const { clientDataJSON, attestationObject, attestedData } = credential;
  const mistakes = [
    ...idMistakes(credential),
    structureMistake('/response/clientDataJSON', clientDataJSON, decodeClientData),
    structureMistake('/response/attestationObject', attestationObject, decodeAttestationObject),
  ].filter((mistake) => mistake !== undefined);
  refuseUnreadable(mistakes);
  return {
    bytes: {
      ...readEnvelope(credential),
      attestationObject: readText(attestationObject).bytes,
      decodedObject: attestationObject.decoded,
      attestedData,
    },
    mistakes,
    absent: absentId(credential),
  };
}

/**
 * Converts an authentication to the form that the steps expect.
 *
 * @throws PasskeyError `validation_failed` naming the wrong member and its first wrong character.
 */
export function receiveAuthentication(credential: ReadCredential): ReceivedCredential<AuthenticationBytes> {
  const { response, clientDataJSON, authenticatorData } = credential;
  const signature = readMember(response['signature']);
  // Clients that cannot send null for "none" send an empty string; a user handle has at least one byte (§4).
  const userHandle = readMember(response['userHandle'] || undefined);
  const mistakes = [
    ...idMistakes(credential),
    structureMistake('/response/clientDataJSON', clientDataJSON, decodeClientData),
    structureMistake('/response/authenticatorData', authenticatorData, decodeAuthenticatorData),
    encodingMistake('/response/signature', signature),
    userHandle.value === undefined ? undefined : encodingMistake('/response/userHandle', userHandle),
  ].filter((mistake) => mistake !== undefined);
  refuseUnreadable(mistakes);
  return {
    bytes: {
      ...readEnvelope(credential),
      authenticatorData: readText(authenticatorData).bytes,
      decodedData: authenticatorData.decoded,
      signature: readText(signature).bytes,
      userHandle: decodeText(userHandle),
    },
    mistakes,
    absent: absentId(credential),
  };
}

/** Reads `id` and `rawId`. If one is missing, the other is used instead: then one step fails, but the rest can run. */
function readIds({ json }: ReadCredential) {
  return { id: readMember(json['id'] ?? json['rawId']), rawId: readMember(json['rawId'] ?? json['id']) };
}

function absentId({ json }: ReadCredential): 'id' | 'rawId' | undefined {
  return (['id', 'rawId'] as const).find((name) => json[name] === undefined || json[name] === null);
}

function idMistakes(credential: ReadCredential): (EncodingMistake | undefined)[] {
  const { id, rawId } = readIds(credential);
  const bytes = decodeText(id);
  return [encodingMistake('/id', id), encodingMistake('/rawId', rawId, bytes && isBytes(bytes))];
}

/** Reads the credential's members next to `response`, and its client data. */
function readEnvelope(credential: ReadCredential) {
  const { json, clientDataJSON } = credential;
  const ids = readIds(credential);
  const { bytes: id, canonical: canonicalId } = readText(ids.id);
  const { decoded } = clientDataJSON;
  if (decoded === undefined) throw new TypeError('Expected client data that was already read.');
  const clientExtensionResults = asObject(json['clientExtensionResults']);
  requireType(json['type'] === undefined ? 'public-key' : String(json['type']));
  requireShallow('/clientExtensionResults', clientExtensionResults);
  requireId({ id, canonicalId });
  requireSameIds({ id, rawId: readText(ids.rawId).bytes });
  return { id, clientDataJSON: readText(clientDataJSON).bytes, clientData: decoded, clientExtensionResults };
}

/** Gets the decoded value of a member whose decoding has already succeeded. */
function readText({ text }: EncodedMember): EncodedText {
  if (text === undefined || !isEncoded(text)) throw new TypeError('Expected a member that was already read.');
  return text;
}

/**
 * Finds an encoding mistake in a member whose bytes have a structure. If the decoded bytes make no sense, tries other encodings of the
 * text.
 */
function structureMistake<T>(pointer: string, member: DecodedMember<T>, decode: (bytes: Uint8Array) => T): EncodingMistake | undefined {
  const own = decodeText(member);
  return encodingMistake(pointer, member, (bytes) => {
    if (bytes === own) return member.decoded?.ok === true;
    try {
      decode(bytes);
      return true;
    } catch {
      return false;
    }
  });
}

const UNREADABLE: readonly EncodingMistake['mistake'][] = [
  'missing',
  'not-text',
  'wrong-character',
  'raw-characters',
  'plus-as-space',
  'plain-json',
];

function refuseUnreadable(mistakes: readonly EncodingMistake[]): void {
  const unreadable = mistakes.find(({ mistake }) => UNREADABLE.includes(mistake));
  if (unreadable !== undefined) {
    const { pointer, message } = unreadable;
    throw new PasskeyError('validation_failed', message, { errors: [{ pointer, detail: message }] });
  }
}
