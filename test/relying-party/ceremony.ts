import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { concatBytes, encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import type { CborMap } from '../../src/webauthn/cbor.js';
import { encodeClientData } from '../../src/webauthn/client-data.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../src/webauthn/json.js';

/** Makes responses as a browser and an authenticator would, each field of its own choice. Independent of src/authenticator and src/client. */

export const RP_ID = 'example.org';
export const ORIGIN = 'https://example.org';
export const CREDENTIAL_ID = fromHex('00112233445566778899aabbccddeeff');
export const USER_HANDLE = encodeUtf8('1');
export const AAGUID = fromHex('fbfc3007154e4ecc8c0b6e020557d7bd');

export const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10 } as const;
export const sha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest();

export interface TestKey {
  readonly privateKey: KeyObject;
  /** COSE_Key. */
  readonly publicKey: Uint8Array;
  readonly sign: (data: Uint8Array) => Uint8Array;
}

const bytesOf = (text: string | undefined) => decodeBase64url(text ?? '');

export function es256Key(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  return {
    privateKey,
    publicKey: encodeCoseKey({ kty: 2, alg: -7, crv: 1, x: bytesOf(x), y: bytesOf(y) }),
    sign: (data) => sign('sha256', data, privateKey),
  };
}

export interface ClientDataFields {
  readonly challenge: string;
  readonly type?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface AuthenticatorDataFields {
  readonly rpId?: string;
  /** UP and UV unless given. */
  readonly flags?: number;
  readonly signCount?: number;
}

export interface RegistrationFields extends ClientDataFields, AuthenticatorDataFields {
  readonly key: TestKey;
  /** Instead of the key's own. */
  readonly publicKey?: Uint8Array;
  readonly credentialId?: Uint8Array;
  readonly aaguid?: Uint8Array;
  readonly fmt?: string;
  /** Made from what it would sign. */
  readonly attStmt?: (authData: Uint8Array, clientDataHash: Uint8Array) => CborMap;
  readonly transports?: readonly string[];
  /** Last changes to the finished bytes. */
  readonly change?: {
    readonly clientDataJSON?: (bytes: Uint8Array) => Uint8Array;
    readonly authData?: (bytes: Uint8Array) => Uint8Array;
    readonly attestationObject?: (bytes: Uint8Array) => Uint8Array;
    readonly json?: (json: RegistrationResponseJSON) => RegistrationResponseJSON;
  };
}

export interface AuthenticationFields extends ClientDataFields, AuthenticatorDataFields {
  readonly key: TestKey;
  readonly credentialId?: Uint8Array;
  /** Null leaves it out. */
  readonly userHandle?: Uint8Array | null;
  /** The first two change what is signed, the others what is sent. */
  readonly change?: {
    readonly clientDataJSON?: (bytes: Uint8Array) => Uint8Array;
    readonly authenticatorData?: (bytes: Uint8Array) => Uint8Array;
    readonly signature?: (bytes: Uint8Array) => Uint8Array;
    readonly json?: (json: AuthenticationResponseJSON) => AuthenticationResponseJSON;
  };
}

const same = <T>(value: T): T => value;

function clientDataBytes(defaultType: string, { challenge, type, origin, crossOrigin, topOrigin, extra }: ClientDataFields): Uint8Array {
  return encodeClientData({ type: type ?? defaultType, challenge, origin: origin ?? ORIGIN, crossOrigin, topOrigin, extra });
}

function flagsOf(byte: number) {
  const has = (flag: number) => (byte & flag) !== 0;
  return { up: has(FLAGS.up), uv: has(FLAGS.uv), be: has(FLAGS.be), bs: has(FLAGS.bs), byte };
}

export function registrationResponse(fields: RegistrationFields): RegistrationResponseJSON {
  const { key, rpId = RP_ID, flags = FLAGS.up | FLAGS.uv, signCount = 0, change = {} } = fields;
  const credentialId = fields.credentialId ?? CREDENTIAL_ID;
  const clientDataJSON = (change.clientDataJSON ?? same)(clientDataBytes('webauthn.create', fields));
  const authData = (change.authData ?? same)(
    encodeAuthenticatorData({
      rpIdHash: sha256(encodeUtf8(rpId)),
      flags: flagsOf(flags),
      signCount,
      attestedCredentialData: {
        aaguid: fields.aaguid ?? AAGUID,
        credentialId,
        credentialPublicKey: fields.publicKey ?? key.publicKey,
      },
    }),
  );
  const attStmt = fields.attStmt?.(authData, sha256(clientDataJSON)) ?? new Map();
  const attestationObject = (change.attestationObject ?? same)(encodeAttestationObject({ fmt: fields.fmt ?? 'none', attStmt, authData }));
  return (change.json ?? same)({
    id: encodeBase64url(credentialId),
    rawId: encodeBase64url(credentialId),
    type: 'public-key',
    response: {
      clientDataJSON: encodeBase64url(clientDataJSON),
      attestationObject: encodeBase64url(attestationObject),
      transports: fields.transports ?? ['internal', 'hybrid'],
    },
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  });
}

export function authenticationResponse(fields: AuthenticationFields): AuthenticationResponseJSON {
  const { key, rpId = RP_ID, flags = FLAGS.up | FLAGS.uv, signCount = 0, userHandle = USER_HANDLE, change = {} } = fields;
  const id = encodeBase64url(fields.credentialId ?? CREDENTIAL_ID);
  const clientDataJSON = (change.clientDataJSON ?? same)(clientDataBytes('webauthn.get', fields));
  const authenticatorData = (change.authenticatorData ?? same)(
    encodeAuthenticatorData({ rpIdHash: sha256(encodeUtf8(rpId)), flags: flagsOf(flags), signCount }),
  );
  const signature = (change.signature ?? same)(key.sign(concatBytes(authenticatorData, sha256(clientDataJSON))));
  return (change.json ?? same)({
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: encodeBase64url(clientDataJSON),
      authenticatorData: encodeBase64url(authenticatorData),
      signature: encodeBase64url(signature),
      ...(userHandle !== null && { userHandle: encodeBase64url(userHandle) }),
    },
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  });
}
