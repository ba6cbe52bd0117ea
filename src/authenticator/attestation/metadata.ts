import { toHex } from '../../kernel/bytes.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import { encodeBase64 } from '../../webauthn/base64url.js';
import { named, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import { type AttestationAuthority, keyIdentifier, makeAuthority } from './authority.js';
import { writeJws } from './jws.js';

/**
 * Metadata of our software authenticators in the form of the FIDO Metadata Service 3.1. With it, a relying party can trust them in a test.
 */

const LEGAL = 'For tests only. Anybody can make authenticators that this describes; never trust it in production.';

/** WebAuthn algorithms with their ALG_SIGN names of the FIDO Registry of Predefined Values 2.2. */
const AUTHENTICATION_ALGORITHMS = [
  'secp256r1_ecdsa_sha256_raw',
  'secp384r1_ecdsa_sha384_raw',
  'secp521r1_ecdsa_sha512_raw',
  'secp256k1_ecdsa_sha256_raw',
  'ed25519_eddsa_sha512_raw',
  'ed448_eddsa_sha512_raw',
  'rsassa_pkcsv15_sha256_raw',
  'rsassa_pkcsv15_sha384_raw',
  'rsassa_pkcsv15_sha512_raw',
  'rsassa_pss_sha256_raw',
  'rsassa_pss_sha384_raw',
  'rsassa_pss_sha512_raw',
] as const;

/** A MetadataStatement (FIDO Metadata Statement 3.1) as JSON. */
export type MetadataStatement = Readonly<Record<string, unknown>>;

/** Builds the metadata statement of a model of our software authenticators, identified by its AAGUID (16 bytes). */
export function metadataStatement(authority: AttestationAuthority, aaguid: Uint8Array): MetadataStatement {
  return {
    legalHeader: LEGAL,
    aaguid: formatAaguid(aaguid),
    description: `passkey TEST authenticator ${formatAaguid(aaguid)}`,
    authenticatorVersion: 1,
    protocolFamily: 'fido2',
    ...common(authority),
    upv: [
      { major: 1, minor: 0 },
      { major: 1, minor: 1 },
    ],
    authenticationAlgorithms: AUTHENTICATION_ALGORITHMS,
    attestationTypes: ['basic_full', 'basic_surrogate', 'attca', 'anonca'],
    userVerificationDetails: [[{ userVerificationMethod: 'passcode_internal' }], [{ userVerificationMethod: 'presence_internal' }]],
    attachmentHint: ['internal'],
    authenticatorGetInfo: {
      versions: ['FIDO_2_0', 'FIDO_2_1'],
      extensions: ['credProtect', 'hmac-secret'],
      aaguid: toHex(aaguid),
      options: { plat: true, rk: true, up: true, uv: true },
    },
  };
}

/** Builds the metadata statement of our U2F keys. They have no AAGUID, so the key of their attestation certificate identifies them. */
export function u2fMetadataStatement(authority: AttestationAuthority): MetadataStatement {
  return {
    legalHeader: LEGAL,
    attestationCertificateKeyIdentifiers: [u2fKeyIdentifier(authority)],
    description: 'passkey TEST U2F key',
    authenticatorVersion: 1,
    protocolFamily: 'u2f',
    ...common(authority),
    upv: [{ major: 1, minor: 2 }],
    authenticationAlgorithms: AUTHENTICATION_ALGORITHMS.slice(0, 1),
    attestationTypes: ['basic_full'],
    userVerificationDetails: [[{ userVerificationMethod: 'presence_internal' }]],
    attachmentHint: ['external', 'wired'],
  };
}

function common({ root }: AttestationAuthority) {
  return {
    schema: 3,
    publicKeyAlgAndEncodings: ['cose'],
    keyProtection: ['software'],
    matcherProtection: ['software'],
    cryptoStrength: 128,
    tcDisplay: [],
    attestationRootCertificates: [encodeBase64(root)],
  };
}

/** Computes the identifier of the key in the attestation certificate of our U2F keys. Their AAGUID is the default, all zeros. */
function u2fKeyIdentifier(authority: AttestationAuthority): string {
  return toHex(keyIdentifier(authority.key('fido-u2f', new Uint8Array(16)).publicKey));
}

/**
 * Issue date of the metadata BLOB. This date and NEXT_UPDATE are within the validity of the authority. They are fixed, so that the same
 * seed always gives the same BLOB.
 */
const ISSUED = '2020-01-01';
const NEXT_UPDATE = '2049-12-31';

/**
 * Builds a metadata BLOB (FIDO Metadata Service 3.1): a JWT signed by {@link metadataAuthority}. It has one entry for each AAGUID (16
 * bytes), and one for U2F keys.
 */
export function metadataBlob(authority: AttestationAuthority, aaguids: readonly Uint8Array[]): string {
  const entries = [
    ...aaguids.map((aaguid) => ({ aaguid: formatAaguid(aaguid), metadataStatement: metadataStatement(authority, aaguid) })),
    { attestationCertificateKeyIdentifiers: [u2fKeyIdentifier(authority)], metadataStatement: u2fMetadataStatement(authority) },
  ];
  const reported = { statusReports: [{ status: 'NOT_FIDO_CERTIFIED', effectiveDate: ISSUED }], timeOfLastStatusChange: ISSUED };
  const payload = {
    legalHeader: LEGAL,
    no: 1,
    nextUpdate: NEXT_UPDATE,
    entries: entries.map((entry) => ({ ...entry, ...reported })),
  };
  return writeJws(metadataSigner(metadataAuthority(authority)), payload, { typ: 'JWT' });
}

/** Creates the authority that signs metadata BLOBs. It has the same seed as the attestation authority, but a root of its own. */
export function metadataAuthority({ profile }: AttestationAuthority): AttestationAuthority {
  return makeAuthority({
    ...profile,
    derive: (purpose, length, subject) => profile.derive(`metadata ${purpose}`, length, subject),
    commonName: `${profile.commonName} metadata`,
    intermediates: false,
  });
}

/** Common name in the certificate of the real metadata service's signer. Some verifiers require this name. */
const SIGNER = 'mds.fidoalliance.org';

function metadataSigner(authority: AttestationAuthority) {
  const subject = new Uint8Array();
  const key = authority.key('metadata', subject);
  const name = [named('CN', SIGNER), named('O', authority.profile.organization)];
  const extensions = [WRITE_EXTENSION.dnsName(SIGNER)];
  return { key, x5c: authority.certify('metadata', { publicKey: key.publicKey, subject, name, extensions }) };
}
