import { PasskeyError } from '../../errors.js';
import type { ReceivedAuthentication, ReceivedRegistration } from '../../relying-party/response.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { type EncodingMistake, encodingMistake, isBytes } from './encoding.js';

/** A credential as somebody wrote it down, in the shape that the relying party reads, and how its bytes are written. */
export interface ReadCredential<Received> {
  readonly received: Received;
  /** In the order of the members. What cannot be read at all is an error instead. */
  readonly mistakes: readonly EncodingMistake[];
}

/** @throws PasskeyError `validation_failed` naming the member, and the first character of it, that is wrong. */
export function receiveRegistration(json: JsonObject): ReadCredential<ReceivedRegistration> {
  const { common, response, mistakes } = receiveCommon(json, {
    clientDataJSON: succeeds(decodeClientData),
    attestationObject: succeeds(decodeAttestationObject),
  });
  const transports = Array.isArray(response['transports']) ? response['transports'].filter((item) => typeof item === 'string') : [];
  const { clientDataJSON = '', attestationObject = '' } = texts(response);
  return { received: { ...common, response: { clientDataJSON, attestationObject, transports } }, mistakes };
}

/** @throws PasskeyError `validation_failed` naming the member, and the first character of it, that is wrong. */
export function receiveAuthentication(json: JsonObject): ReadCredential<ReceivedAuthentication> {
  const { common, response, mistakes } = receiveCommon(json, {
    clientDataJSON: succeeds(decodeClientData),
    authenticatorData: succeeds(decodeAuthenticatorData),
    signature: undefined,
  });
  const { clientDataJSON = '', authenticatorData = '', signature = '' } = texts(response);
  const userHandle = response['userHandle'];
  const handleMistake =
    userHandle === undefined || userHandle === null || userHandle === '' ? undefined : encodingMistake('/response/userHandle', userHandle);
  refuseUnreadable(handleMistake);
  return {
    received: {
      ...common,
      response: { clientDataJSON, authenticatorData, signature, userHandle: typeof userHandle === 'string' ? userHandle : null },
    },
    mistakes: handleMistake === undefined ? mistakes : [...mistakes, handleMistake],
  };
}

type IsRight = ((bytes: Uint8Array) => boolean) | undefined;

function receiveCommon(json: JsonObject, members: Readonly<Record<string, IsRight>>) {
  const response = isObject(json['response']) ? json['response'] : {};
  // People often write down only one of the two.
  const id = json['id'] ?? json['rawId'];
  const rawId = json['rawId'] ?? json['id'];
  const idBytes = typeof id === 'string' ? decodeBase64(id)?.bytes : undefined;
  const found = [
    encodingMistake('/id', id),
    encodingMistake('/rawId', rawId, idBytes && isBytes(idBytes)),
    ...Object.entries(members).map(([name, isRight]) => encodingMistake(`/response/${name}`, response[name], isRight)),
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
  return { common, response, mistakes };
}

function refuseUnreadable(mistake: EncodingMistake | undefined): void {
  if (mistake !== undefined && ['missing', 'not-text', 'wrong-character', 'raw-characters', 'plain-json'].includes(mistake.mistake)) {
    throw new PasskeyError('validation_failed', mistake.message, { errors: [{ pointer: mistake.pointer, detail: mistake.message }] });
  }
}

function succeeds(decode: (bytes: Uint8Array) => unknown): (bytes: Uint8Array) => boolean {
  return (bytes) => {
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
