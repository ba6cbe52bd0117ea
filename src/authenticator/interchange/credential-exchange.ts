import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as Type from 'typebox';
import { isObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CredentialSource } from '../credential-source.js';
import { base64, decode, type Located, listAt, makeReader, name, objectsAt, orNone, parseJson, present, text } from './reading.js';
import { type InterchangeRemark, invalid, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'the Credential Exchange Format of the FIDO Alliance';
const MAX_LARGE_BLOB_BYTES = 1 << 20;
const EXPORTER = { exporterRpId: 'localhost', exporterDisplayName: 'passkey' };

/**
 * Credential Exchange Format 1.0 (https://fidoalliance.org/specs/cx/cxf-v1.0-rd-20250313.html), limited to passkeys. The document is a
 * header with accounts, which contain items, which contain credentials of the type `passkey`. Also reads a single account, item or passkey.
 */
export const credentialExchange: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'userHandle', 'userName', 'userDisplayName', 'prf', 'credBlob', 'largeBlob'],
  assumes: { backupEligible: true, backupState: true },
  excludes: ({ signCount }) =>
    signCount > 0 ? `its signCount is ${signCount}, and the format supports only passkeys without a counter` : undefined,
  read: (document, remark) => objectsAt(parseJson(document, TITLE), 'document').flatMap((each) => readAny(each, remark)),
  write: (sources, { now }) =>
    JSON.stringify(
      {
        version: { major: 1, minor: 0 },
        ...EXPORTER,
        timestamp: Math.floor(now / 1000),
        accounts: [
          {
            id: encodeBase64url(new Uint8Array(16)),
            username: '',
            email: '',
            collections: [],
            items: sources.map((source) => writeItem(source, now)),
          },
        ],
      },
      null,
      2,
    ),
};

const readType = makeReader(Type.Object({ type: orNone(text) }));

type Tell = (remark: InterchangeRemark) => void;

function readAny(each: Located, remark: Tell): ReadCredential[] {
  const { object, at } = each;
  if ('accounts' in object) return listAt(each, 'accounts').flatMap((account) => readAny(account, remark));
  if ('items' in object) return listAt(each, 'items').flatMap((item) => readAny(item, remark));
  if ('credentials' in object) return listAt(each, 'credentials').flatMap((credential) => readAny(credential, remark));
  const type = readType(object, at).type ?? undefined;
  if (type === 'passkey' || (type === undefined && 'credentialId' in object)) return [readPasskey(each)];
  if (type === undefined) throw invalid(`Expected ${at} to have accounts, items, credentials or the type "passkey"; got none of them.`);
  const shown = type.slice(0, 40);
  remark({ credentialId: undefined, member: at, message: `${at} is left out: its type is ${JSON.stringify(shown)}, not "passkey".` });
  return [];
}

const AN_OBJECT = { description: 'an object' };

const Hmac = Type.Object(
  { algorithm: Type.Literal('hmac-sha256', { description: '"hmac-sha256"' }), credWithUV: base64, credWithoutUV: base64 },
  AN_OBJECT,
);
const LargeBlob = Type.Object({ uncompressedSize: Type.Optional(Type.Unknown()), data: base64 }, AN_OBJECT);
const Extensions = Type.Object({ hmacCredentials: orNone(Hmac), credBlob: orNone(base64), largeBlob: orNone(LargeBlob) }, AN_OBJECT);

const readMembers = makeReader(
  Type.Object({
    credentialId: base64,
    rpId: name,
    userHandle: base64,
    username: text,
    userDisplayName: text,
    key: base64,
    fido2Extensions: orNone(Extensions),
  }),
);

function readPasskey({ object, at }: Located): ReadCredential {
  const { credentialId, rpId, userHandle, username, userDisplayName, key, fido2Extensions } = readMembers(object, at);
  const { hmacCredentials, credBlob, largeBlob } = fido2Extensions ?? {};
  return {
    at,
    id: decode(credentialId),
    rpId,
    userHandle: decode(userHandle),
    userName: username,
    userDisplayName,
    privateKey: decode(key),
    ...present({
      prf: hmacCredentials && {
        withVerification: decode(hmacCredentials.credWithUV),
        withoutVerification: decode(hmacCredentials.credWithoutUV),
      },
      credBlob: typeof credBlob === 'string' ? decode(credBlob) : undefined,
      largeBlob: largeBlob && readLargeBlob(largeBlob, `${at}.fido2Extensions.largeBlob`),
    }),
  };
}

/** Decompresses a large blob, which is in DEFLATE without a header (CTAP 2.3 §6.10.3). */
function readLargeBlob({ uncompressedSize, data }: Type.Static<typeof LargeBlob>, at: string): Uint8Array {
  try {
    const blob = new Uint8Array(inflateRawSync(decode(data), { maxOutputLength: MAX_LARGE_BLOB_BYTES }));
    if (blob.length === uncompressedSize) return blob;
  } catch {
    // As the wrong size is: neither shows what the blob is.
  }
  throw invalid(
    `Expected ${at} to be compressed data (DEFLATE) of uncompressedSize bytes, at most ${MAX_LARGE_BLOB_BYTES}; got something else.`,
  );
}

function writeItem(source: CredentialSource, now: number) {
  const { id, rpId, user, privateKey } = source;
  const at = Math.floor(now / 1000);
  return {
    id: encodeBase64url(new Uint8Array(createHash('sha256').update(id).digest()).subarray(0, 16)),
    creationAt: at,
    modifiedAt: at,
    title: source.rpName,
    credentials: [
      {
        type: 'passkey',
        credentialId: encodeBase64url(id),
        rpId,
        username: user.name,
        userDisplayName: user.displayName,
        userHandle: encodeBase64url(user.id),
        key: encodeBase64url(privateKey),
        ...writeExtensions(source),
      },
    ],
  };
}

function writeExtensions({ prf, credBlob, largeBlob }: CredentialSource) {
  if (isObject(prf) || credBlob !== undefined || largeBlob !== undefined) {
    return {
      fido2Extensions: {
        ...(prf && {
          hmacCredentials: {
            algorithm: 'hmac-sha256',
            credWithUV: encodeBase64url(prf.withVerification),
            credWithoutUV: encodeBase64url(prf.withoutVerification),
          },
        }),
        ...(credBlob && { credBlob: encodeBase64url(credBlob) }),
        ...(largeBlob && {
          largeBlob: { uncompressedSize: largeBlob.length, data: encodeBase64url(new Uint8Array(deflateRawSync(largeBlob))) },
        }),
      },
    };
  }
  return {};
}
