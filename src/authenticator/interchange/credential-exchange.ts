import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CredentialSource } from '../credential-source.js';
import { bytes, bytesOrNone, type Located, listAt, name, objectAt, objectsAt, parseJson, present, text, textOrNone } from './reading.js';
import { type InterchangeRemark, invalid, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'the Credential Exchange Format of the FIDO Alliance';
const MAX_LARGE_BLOB_BYTES = 1 << 20;
const EXPORTER = { exporterRpId: 'localhost', exporterDisplayName: 'passkey' };

/**
 * Credential Exchange Format 1.0 (https://fidoalliance.org/specs/cx/cxf-v1.0-rd-20250313.html), of which passkeys only: a header with accounts, their
 * items, and the credentials of type `passkey` of these. Reads an account, an item or a passkey alone as well.
 */
export const credentialExchange: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'userHandle', 'userName', 'userDisplayName', 'prf', 'credBlob', 'largeBlob'],
  assumes: { backupEligible: true, backupState: true },
  excludes: ({ signCount }) =>
    signCount > 0 ? `its signCount is ${signCount}, and the format has only passkeys that do not count` : undefined,
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

type Tell = (remark: InterchangeRemark) => void;

function readAny(each: Located, remark: Tell): ReadCredential[] {
  const { object, at } = each;
  if ('accounts' in object) return listAt(each, 'accounts').flatMap((account) => readAny(account, remark));
  if ('items' in object) return listAt(each, 'items').flatMap((item) => readAny(item, remark));
  if ('credentials' in object) return listAt(each, 'credentials').flatMap((credential) => readAny(credential, remark));
  const type = textOrNone(each, 'type');
  if (type === 'passkey' || (type === undefined && 'credentialId' in object)) return [readPasskey(each)];
  if (type === undefined) throw invalid(`Expected ${at} to have accounts, items, credentials or the type "passkey"; got none of them.`);
  const shown = type.slice(0, 40);
  remark({ credentialId: undefined, member: at, message: `${at} is left out: it is of type ${JSON.stringify(shown)}, no passkey.` });
  return [];
}

function readPasskey(each: Located): ReadCredential {
  return {
    at: each.at,
    id: bytes(each, 'credentialId'),
    rpId: name(each, 'rpId'),
    userHandle: bytes(each, 'userHandle'),
    userName: text(each, 'username'),
    userDisplayName: text(each, 'userDisplayName'),
    privateKey: bytes(each, 'key'),
    ...readExtensions(each),
  };
}

function readExtensions({ object, at }: Located): Partial<ReadCredential> {
  if (object.fido2Extensions === undefined || object.fido2Extensions === null) return {};
  const extensions = objectAt(object.fido2Extensions, `${at}.fido2Extensions`);
  const { hmacCredentials, largeBlob } = extensions.object;
  return present({
    prf:
      hmacCredentials === undefined || hmacCredentials === null
        ? undefined
        : readPrf(objectAt(hmacCredentials, `${extensions.at}.hmacCredentials`)),
    credBlob: bytesOrNone(extensions, 'credBlob'),
    largeBlob: largeBlob === undefined || largeBlob === null ? undefined : readLargeBlob(objectAt(largeBlob, `${extensions.at}.largeBlob`)),
  });
}

function readPrf(each: Located): CredentialSource['prf'] {
  if (text(each, 'algorithm') !== 'hmac-sha256') throw invalid(`Expected ${each.at}.algorithm to be "hmac-sha256"; got another.`);
  return { withVerification: bytes(each, 'credWithUV'), withoutVerification: bytes(each, 'credWithoutUV') };
}

/** Compressed as CTAP 2.3 §6.10.3 has it: DEFLATE without a header. */
function readLargeBlob(each: Located): Uint8Array {
  const size = each.object.uncompressedSize;
  try {
    const blob = new Uint8Array(inflateRawSync(bytes(each, 'data'), { maxOutputLength: MAX_LARGE_BLOB_BYTES }));
    if (blob.length === size) return blob;
  } catch {
    // As the wrong size is: neither shows what the blob is.
  }
  throw invalid(
    `Expected ${each.at} to be compressed data (DEFLATE) of uncompressedSize bytes, at most ${MAX_LARGE_BLOB_BYTES}; got something else.`,
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
