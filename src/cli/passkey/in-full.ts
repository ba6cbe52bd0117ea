import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Access } from '../../kernel/access.js';
import { toHex } from '../../kernel/bytes.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { count, formatSecond } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyDocument, PasskeyRow, passkeyDocument } from '../../relying-party/passkey-document.js';
import { findCurve, keyTypeName } from '../../webauthn/algorithms.js';
import { decodeAttestationObject, readCertificates } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData, FLAGS } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CborValue } from '../../webauthn/cbor.js';
import { decodeCertificate } from '../../webauthn/certificate.js';
import { decodeCoseKey, toJwk } from '../../webauthn/cose-key.js';
import { showName } from '../../webauthn/distinguished-name.js';
import { writePem } from '../../webauthn/pem.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import { printable } from '../output/printable.js';

const time = Type.String({ format: 'date-time' });

export const passkeyInFull = Type.Object(
  {
    ...PasskeyDocument.properties,
    credential_id: PasskeyRow.properties.credential_id,
    revoked_change: orNull(Type.String({ description: 'Id of the bulk change that revoked the passkey.' })),
    credential_id_hex: Type.String({ pattern: '^([0-9a-f]{2})+$' }),
    key: orNull(
      Type.Object(
        {
          type: Type.String({ description: 'Name of the COSE key type.' }),
          curve: orNull(Type.String()),
          jwk: Type.Record(Type.String(), Type.String(), { description: 'JSON Web Key (RFC 7517).' }),
          pem: Type.String({ description: 'SubjectPublicKeyInfo (RFC 5280) in PEM.' }),
        },
        { ...strict, description: 'Null when the key cannot be decoded.' },
      ),
    ),
    authenticator_data: orNull(
      Type.Object(
        {
          flags: Type.Array(Type.String(), { description: 'Names of the flags that were set: UP, UV, BE, BS, AT, ED.' }),
          sign_count: Type.Integer({ minimum: 0 }),
          extensions: Type.Record(Type.String(), Type.Unknown(), {
            description: 'Extension outputs of the authenticator, with byte strings as base64url.',
          }),
        },
        { ...strict, description: 'Client data of the registration. Null when it cannot be decoded.' },
      ),
    ),
    certificates: Type.Array(
      Type.Object(
        {
          subject: orNull(Type.String()),
          issuer: orNull(Type.String()),
          serial_number: orNull(Type.String({ description: 'Hexadecimal.' })),
          not_before: orNull(time),
          not_after: orNull(time),
          der: Type.String({ contentEncoding: 'base64url' }),
        },
        strict,
      ),
      {
        description:
          'Certificates of the attestation statement, in order. All members except der are null when a certificate cannot be decoded.',
      },
    ),
    client_extension_results: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Extension outputs of the client, without the results of prf, which are secrets.',
    }),
    live_sessions: Type.Integer({ minimum: 0, description: 'Number of sessions that its logins opened and that have not ended.' }),
    live_tokens: Type.Integer({ minimum: 0, description: 'Number of bearer tokens that its logins opened and that have not ended.' }),
  },
  { ...strict, title: 'passkey show --json' },
);
type PasskeyInFull = Static<typeof passkeyInFull>;

const PUBLIC_KEY = { begin: '-----BEGIN PUBLIC KEY-----', end: '-----END PUBLIC KEY-----' } as const;

/**
 * Describes a passkey completely, except for data that contains its challenge or secrets of the client. `live` holds the tokens and
 * sessions that this passkey opened.
 */
export function describeInFull(passkey: Passkey, { email, live }: { email: string | undefined; live: readonly Access[] }): PasskeyInFull {
  const statement = attempt(() => decodeAttestationObject(passkey.credential.attestationObject));
  return {
    ...passkeyDocument(passkey, email),
    credential_id: encodeBase64url(passkey.credential.id),
    revoked_change: passkey.revokedChange ?? null,
    credential_id_hex: toHex(passkey.credential.id),
    key: attempt(() => describeKey(passkey.credential.publicKey)),
    authenticator_data: statement && attempt(() => describeAuthenticatorData(statement.authData)),
    certificates: statement === null ? [] : [statement, ...(statement.statements ?? [])].flatMap(readCertificates).map(describeCertificate),
    client_extension_results: withoutResults(passkey.clientExtensionResults),
    live_sessions: live.filter(({ kind }) => kind === 'session').length,
    live_tokens: live.filter(({ kind }) => kind === 'token').length,
  };
}

/** Decodes a stored value. Returns null if the value cannot be decoded, so that the rest of the passkey can still be shown. */
function attempt<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

function describeKey(publicKey: Uint8Array): NonNullable<PasskeyInFull['key']> {
  const key = decodeCoseKey(publicKey);
  return {
    type: keyTypeName(key.kty) ?? String(key.kty),
    curve: ('crv' in key && findCurve(key.crv)?.name) || null,
    jwk: toJwk(key),
    pem: writePem(encodeSubjectPublicKeyInfo(key), PUBLIC_KEY),
  };
}

function describeAuthenticatorData(bytes: Uint8Array): NonNullable<PasskeyInFull['authenticator_data']> {
  const { flags, signCount, extensions } = decodeAuthenticatorData(bytes);
  return {
    flags: FLAGS.filter(({ key }) => flags[key]).map(({ name }) => name),
    sign_count: signCount,
    extensions: Object.fromEntries([...(extensions ?? [])].map(([name, value]) => [String(name), plain(value)])),
  };
}

/** Converts CBOR to JSON. Byte strings become base64url, and integers that are too large for JSON become strings. */
function plain(value: CborValue): unknown {
  if (value instanceof Uint8Array) return encodeBase64url(value);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}

function describeCertificate(der: Uint8Array): PasskeyInFull['certificates'][number] {
  const certificate = attempt(() => decodeCertificate(der));
  const der64 = encodeBase64url(der);
  if (certificate === null) return { subject: null, issuer: null, serial_number: null, not_before: null, not_after: null, der: der64 };
  const { subject, issuer, serialNumber, notBefore, notAfter } = certificate;
  return {
    subject: showName(subject),
    issuer: showName(issuer),
    serial_number: serialNumber,
    not_before: formatSecond(notBefore),
    not_after: formatSecond(notAfter),
    der: der64,
  };
}

/** Removes the PRF results from a registration's extension results. Applications derive secret keys from the PRF results. */
function withoutResults({ prf, ...others }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof prf !== 'object' || prf === null || !('results' in prf)) return prf === undefined ? others : { ...others, prf };
  const { results: _, ...rest } = prf;
  return { ...others, prf: rest };
}

/** Renders a passkey for a terminal: one line for each member, and the public key as PEM at the end. */
export function passkeyLines(document: PasskeyInFull): string {
  const { key, authenticator_data: data, certificates, client_extension_results, live_sessions, live_tokens, ...rest } = document;
  const entries: [string, string][] = [
    ...Object.entries(rest).map(([name, value]): [string, string] => [name.replaceAll('_', ' '), shown(value)]),
    ['key type', [key?.type, key?.curve].filter(Boolean).join(', ') || '-'],
    ['jwk', key === null ? '-' : JSON.stringify(key.jwk)],
    ['registration flags', data?.flags.join(' ') || '-'],
    ['authenticator extensions', json(data?.extensions ?? {})],
    ['client extensions', json(client_extension_results)],
    ...certificates.map(({ subject, issuer, not_before, not_after }, index): [string, string] => [
      `certificate ${index + 1}`,
      subject === null
        ? 'cannot be decoded'
        : `${subject || 'no subject'}; issued by ${issuer || 'no issuer'}; valid ${not_before} to ${not_after}`,
    ]),
    ['opened', `${count(live_sessions, 'live session')}, ${count(live_tokens, 'live token')}`],
  ];
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`);
  return [...lines, ...(key === null ? [] : ['', key.pem.trimEnd()])].join('\n');
}

const json = (value: object): string => (Object.keys(value).length === 0 ? '-' : JSON.stringify(value));

function shown(value: string | number | boolean | null | readonly string[]): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return value.length === 0 ? '-' : value.join(', ');
  return String(value);
}
