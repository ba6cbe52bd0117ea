import { PasskeyError } from '../../errors.js';
import type { ReceivedAuthentication, ReceivedRegistration } from '../../relying-party/response.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { bytesOf, type DecodedMember, type EncodedMember, type ReadCredential, readMember } from '../annotate/read-credential.js';
import { type EncodingMistake, encodingMistake, isBytes } from './encoding.js';

/** A credential as somebody wrote it down, in the shape that the relying party reads, and how its bytes are written. */
export interface ReceivedCredential<Received> {
  readonly received: Received;
  /** In the order of the members. What cannot be read at all is an error instead. */
  readonly mistakes: readonly EncodingMistake[];
}

/** @throws PasskeyError `validation_failed` naming the member, and the first character of it, that is wrong. */
export function receiveRegistration(credential: ReadCredential): ReceivedCredential<ReceivedRegistration> {
  const { response, clientDataJSON: clientData, attestationObject: object } = credential;
  const { common, mistakes } = receiveCommon(credential, {
    clientDataJSON: { member: clientData, isRight: isDecodable(clientData, decodeClientData) },
    attestationObject: { member: object, isRight: isDecodable(object, decodeAttestationObject) },
  });
  const transports = Array.isArray(response['transports']) ? response['transports'].filter((item) => typeof item === 'string') : [];
  const { clientDataJSON = '', attestationObject = '' } = texts(response);
  return { received: { ...common, response: { clientDataJSON, attestationObject, transports } }, mistakes };
}

/** @throws PasskeyError `validation_failed` naming the member, and the first character of it, that is wrong. */
export function receiveAuthentication(credential: ReadCredential): ReceivedCredential<ReceivedAuthentication> {
  const { response, clientDataJSON: clientData, authenticatorData: data } = credential;
  const { common, mistakes } = receiveCommon(credential, {
    clientDataJSON: { member: clientData, isRight: isDecodable(clientData, decodeClientData) },
    authenticatorData: { member: data, isRight: isDecodable(data, decodeAuthenticatorData) },
    signature: { member: readMember(response['signature']) },
  });
  const { clientDataJSON = '', authenticatorData = '', signature = '' } = texts(response);
  const userHandle = response['userHandle'];
  const handleMistake =
    userHandle === undefined || userHandle === null || userHandle === ''
      ? undefined
      : encodingMistake('/response/userHandle', readMember(userHandle));
  refuseUnreadable(handleMistake);
  return {
    received: {
      ...common,
      response: { clientDataJSON, authenticatorData, signature, userHandle: typeof userHandle === 'string' ? userHandle : null },
    },
    mistakes: handleMistake === undefined ? mistakes : [...mistakes, handleMistake],
  };
}

interface Expected {
  readonly member: EncodedMember;
  readonly isRight?: (bytes: Uint8Array) => boolean;
}

function receiveCommon({ json }: ReadCredential, members: Readonly<Record<string, Expected>>) {
  // People often write down only one of the two.
  const id = json['id'] ?? json['rawId'];
  const rawId = json['rawId'] ?? json['id'];
  const readId = readMember(id);
  const idBytes = bytesOf(readId);
  const found = [
    encodingMistake('/id', readId),
    encodingMistake('/rawId', readMember(rawId), idBytes && isBytes(idBytes)),
    ...Object.entries(members).map(([name, { member, isRight }]) => encodingMistake(`/response/${name}`, member, isRight)),
  ];
  const mistakes = found.filter((mistake) => mistake !== undefined);
  for (const mistake of mistakes) {
    refuseUnreadable(mistake);
  }
  const results = json['clientExtensionResults'];
  const common = {
    id: String(id),
    rawId: String(rawId),
    type: json['type'] === undefined ? 'public-key' : String(json['type']),
    clientExtensionResults: isObject(results) ? results : {},
  };
  return { common, mistakes };
}

function refuseUnreadable(mistake: EncodingMistake | undefined): void {
  if (mistake !== undefined && ['missing', 'not-text', 'wrong-character', 'raw-characters', 'plain-json'].includes(mistake.mistake)) {
    throw new PasskeyError('validation_failed', mistake.message, { errors: [{ pointer: mistake.pointer, detail: mistake.message }] });
  }
}

/** The bytes of the member have been decoded before; others are tried when those make no sense. */
function isDecodable<T>(member: DecodedMember<T>, decode: (bytes: Uint8Array) => T): (bytes: Uint8Array) => boolean {
  const own = bytesOf(member);
  return (bytes) => {
    if (bytes === own) return member.decoded?.ok === true;
    try {
      decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
}

function texts(object: JsonObject): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]));
}
