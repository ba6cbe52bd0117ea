import { decodeAttestationObject } from '../../../../webauthn/attestation-object.js';
import { decodeBase64 } from '../../../../webauthn/base64url.js';
import { decodeUtf8 } from '../../../../webauthn/bytes.js';
import { decodeClientData } from '../../../../webauthn/client-data.js';
import type { JsonObject } from '../json.js';
import { getPath, stringAt } from '../json.js';
import { statementFields } from './attestation.js';
import { authenticatorDataField } from './authenticator-data.js';
import type { Field } from './tree.js';
import { bytesField, jsonField, readable } from './tree.js';

/** What the options asked for: the response is shown against it. */
export interface Asked {
  readonly challenge: string | undefined;
  readonly origin: string;
  readonly rpId: string | undefined;
}

/** RegistrationResponseJSON or AuthenticationResponseJSON, decoded to the last byte. Never throws: what cannot be read says why. */
export async function decodeResponse(response: JsonObject, asked: Asked): Promise<Field[]> {
  const rpIdHash = asked.rpId === undefined ? undefined : await sha256(asked.rpId);
  const bytes = (name: string) => decodeBase64(stringAt(response, 'response', name) ?? '')?.bytes;
  const attestation = bytes('attestationObject') ?? new Uint8Array();
  const outputs = response.clientExtensionResults;
  const id = stringAt(response, 'id') ?? '';
  return [
    { name: 'id', value: id, note: `${decodeBase64(id)?.bytes.length ?? 0} bytes` },
    ...['type', 'authenticatorAttachment'].flatMap((name) => plain(response, name)),
    clientDataField(bytes('clientDataJSON') ?? new Uint8Array(), asked),
    ...(attestation.length > 0
      ? [attestationField(attestation, asked.rpId, rpIdHash)]
      : [authenticatorDataField(bytes('authenticatorData') ?? new Uint8Array(), asked.rpId, rpIdHash)]),
    ...signatureFields(bytes('signature')),
    ...userHandleFields(bytes('userHandle')),
    ...plain(response.response, 'transports'),
    ...(outputs === undefined ? [] : [jsonField('clientExtensionResults', outputs)]),
  ];
}

function plain(object: unknown, name: string): Field[] {
  const value = getPath(object, [name]);
  return value === undefined ? [] : [{ name, value: Array.isArray(value) ? value.join(', ') || 'none' : String(value) }];
}

function clientDataField(bytes: Uint8Array, asked: Asked): Field {
  return readable('clientDataJSON', () => {
    const data = decodeClientData(bytes);
    const against = (name: string, value: string, expected: string | undefined): Field => ({
      name,
      value,
      ...(expected === undefined
        ? {}
        : { verdict: value === expected ? 'good' : 'bad', note: value === expected ? 'as expected' : `expected ${expected}` }),
    });
    const known = new Set(['type', 'challenge', 'origin']);
    return {
      name: 'clientDataJSON',
      note: `${bytes.length} bytes`,
      children: [
        { name: 'type', value: data.type },
        against('challenge', data.challenge, asked.challenge),
        against('origin', data.origin, asked.origin),
        ...Object.entries(data.raw)
          .filter(([name]) => !known.has(name))
          .map(([name, value]) => jsonField(name, value)),
      ],
    };
  });
}

function attestationField(bytes: Uint8Array, rpId: string | undefined, rpIdHash: Uint8Array | undefined): Field {
  return readable('attestationObject', () => {
    const object = decodeAttestationObject(bytes);
    const statements = object.statements ?? [];
    return {
      name: 'attestationObject',
      note: `${bytes.length} bytes`,
      children: [
        ...statementFields(object),
        ...statements.map((statement, index) => ({ name: `statement ${index}`, children: statementFields(statement) })),
        authenticatorDataField(object.authData, rpId, rpIdHash),
      ],
    };
  });
}

function signatureFields(bytes: Uint8Array | undefined): Field[] {
  return bytes === undefined || bytes.length === 0 ? [] : [bytesField('signature', bytes)];
}

function userHandleFields(bytes: Uint8Array | undefined): Field[] {
  if (bytes === undefined || bytes.length === 0) {
    return [];
  }
  const field = bytesField('userHandle', bytes);
  try {
    return [{ ...field, note: JSON.stringify(decodeUtf8(bytes)) }];
  } catch {
    return [field];
  }
}

/** Undefined outside secure contexts, where there is no `crypto.subtle`. */
async function sha256(text: string): Promise<Uint8Array | undefined> {
  return 'subtle' in crypto ? new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))) : undefined;
}
