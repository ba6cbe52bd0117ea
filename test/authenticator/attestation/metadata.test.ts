import { MetadataService, SettingsService, verifyRegistrationResponse } from '@simplewebauthn/server';
import { verifyMDSBlob } from '@simplewebauthn/server/helpers';
import { describe, expect, test } from 'vitest';
import { createAttestationAuthority, keyIdentifier } from '../../../src/authenticator/attestation/authority.js';
import { metadataAuthority, metadataBlob, metadataStatement } from '../../../src/authenticator/attestation/metadata.js';
import { encodeUtf8, fromHex, toHex } from '../../../src/kernel/bytes.js';
import { readMetadataBlob } from '../../../src/relying-party/attestation/metadata-blob.js';
import { readRoots } from '../../../src/relying-party/attestation/roots.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { named, WRITE_EXTENSION } from '../../../src/webauthn/certificate-writer.js';
import { writePem } from '../../../src/webauthn/pem.js';
import { withLibraryTrust } from './library-trust.js';
import { challengeText, ORIGIN, RP_ID, registerAtOurs } from './registration.js';
import { WAYS } from './ways.js';

withLibraryTrust();

const authority = createAttestationAuthority();
const signer = metadataAuthority(authority);
const AAGUID = fromHex('70617373006b00650079002d00740073');
const BLOB = metadataBlob(authority, [AAGUID, new Uint8Array(16)]);

describe('the metadata BLOB', () => {
  const metadata = readMetadataBlob(encodeUtf8(BLOB), { roots: readRoots([signer.root]), at: Date.UTC(2026, 0, 15) });

  test('is read by our relying party without a warning', () => {
    expect(metadata.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(metadata.nameOf('70617373-006b-0065-0079-002d00740073')).toBe('passkey TEST authenticator 70617373-006b-0065-0079-002d00740073');
  });

  const ways = WAYS.filter(({ fmt }) => fmt !== 'compound').flatMap((way) =>
    way.fmt === 'fido-u2f' ? [{ ...way, aaguid: new Uint8Array(16) }] : [{ ...way, aaguid: AAGUID }],
  );
  test.each(ways)('makes $name trusted without any other root', async ({ attestation, aaguid, fmt }) => {
    const policy = { attestationRoots: [], metadata };
    const { passkey } = await registerAtOurs({ authenticator: { attestation, aaguid }, algorithm: -7 }, policy);
    expect((await passkey()).attestation).toEqual({ format: fmt, trust: 'trusted' });
    const other = await registerAtOurs(
      { authenticator: { attestation, aaguid, attestationAuthority: createAttestationAuthority({ seed: 'other' }) }, algorithm: -7 },
      policy,
    );
    // Formats that were made with the public authority bring it along.
    if (typeof attestation === 'string') await expect(other.passkey()).rejects.toMatchObject({ code: 'attestation_untrusted' });
  });

  test('is verified by @simplewebauthn/server with its root, and by no other', async () => {
    SettingsService.setRootCertificates({ identifier: 'mds', certificates: [writePem(signer.root)] });
    const { statements, parsedNextUpdate } = await verifyMDSBlob(BLOB);
    expect(statements.map(({ aaguid }) => aaguid)).toEqual([
      '70617373-006b-0065-0079-002d00740073',
      '00000000-0000-0000-0000-000000000000',
    ]);
    expect(parsedNextUpdate.getFullYear()).toBe(2049);
    SettingsService.setRootCertificates({ identifier: 'mds', certificates: [writePem(authority.root)] });
    await expect(verifyMDSBlob(BLOB)).rejects.toThrow(Error);
  });

  test('repeats itself for a seed', () => {
    const made = (seed: string) => metadataBlob(createAttestationAuthority({ seed }), [AAGUID]);
    expect(made('a')).toBe(made('a'));
    expect(made('a')).not.toBe(made('b'));
  });
});

/** The parts of a JWS as JSON. */
const [header, payload] = metadataBlob(authority, [AAGUID])
  .split('.', 2)
  .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));

test('the metadata BLOB is a JWT with an entry for each model and one for U2F keys', () => {
  const legalHeader = 'For tests only. Anybody can make authenticators that this describes; never trust it in production.';
  const common = {
    legalHeader,
    authenticatorVersion: 1,
    schema: 3,
    publicKeyAlgAndEncodings: ['cose'],
    keyProtection: ['software'],
    matcherProtection: ['software'],
    cryptoStrength: 128,
    tcDisplay: [],
    attestationRootCertificates: [encodeBase64(authority.root)],
  };
  const reported = {
    statusReports: [{ status: 'NOT_FIDO_CERTIFIED', effectiveDate: '2020-01-01' }],
    timeOfLastStatusChange: '2020-01-01',
  };
  const ofKey = authority.key('fido-u2f', new Uint8Array(16)).publicKey;
  const attestationCertificateKeyIdentifiers = [toHex(keyIdentifier(ofKey))];
  const passcode = { userVerificationMethod: 'passcode_internal' };
  const presence = { userVerificationMethod: 'presence_internal' };
  expect(payload).toEqual({
    legalHeader,
    no: 1,
    nextUpdate: '2049-12-31',
    entries: [
      {
        aaguid: '70617373-006b-0065-0079-002d00740073',
        metadataStatement: {
          ...common,
          aaguid: '70617373-006b-0065-0079-002d00740073',
          description: 'passkey TEST authenticator 70617373-006b-0065-0079-002d00740073',
          protocolFamily: 'fido2',
          upv: [
            { major: 1, minor: 0 },
            { major: 1, minor: 1 },
          ],
          authenticationAlgorithms: [
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
          ],
          attestationTypes: ['basic_full', 'basic_surrogate', 'attca', 'anonca'],
          userVerificationDetails: [[passcode], [presence]],
          attachmentHint: ['internal'],
          authenticatorGetInfo: {
            versions: ['FIDO_2_0', 'FIDO_2_1'],
            extensions: ['credProtect', 'hmac-secret'],
            aaguid: '70617373006b00650079002d00740073',
            options: { plat: true, rk: true, up: true, uv: true },
          },
        },
        ...reported,
      },
      {
        attestationCertificateKeyIdentifiers,
        metadataStatement: {
          ...common,
          attestationCertificateKeyIdentifiers,
          description: 'passkey TEST U2F key',
          protocolFamily: 'u2f',
          upv: [{ major: 1, minor: 2 }],
          authenticationAlgorithms: ['secp256r1_ecdsa_sha256_raw'],
          attestationTypes: ['basic_full'],
          userVerificationDetails: [[presence]],
          attachmentHint: ['external', 'wired'],
        },
        ...reported,
      },
    ],
  });
  const subject = new Uint8Array();
  const names = [named('CN', 'mds.fidoalliance.org'), named('O', 'passkey TEST, do not trust')];
  const leaf = { publicKey: signer.key('metadata', subject).publicKey, subject, name: names };
  const x5c = signer.certify('metadata', { ...leaf, extensions: [WRITE_EXTENSION.dnsName('mds.fidoalliance.org')] });
  expect(header).toEqual({ alg: 'ES256', typ: 'JWT', x5c: x5c.map(encodeBase64) });
  expect(x5c).toHaveLength(1);
});

describe('the metadata statement', () => {
  // Of the others, the library asks no metadata about apple and fido-u2f, and trips over the root that Android's key store sends along.
  test.each(['packed-x5c', 'tpm', 'android-safetynet'] as const)(
    'is all that @simplewebauthn/server needs to trust %s',
    async (attestation) => {
      const register = async (seed: string) => {
        const made = createAttestationAuthority({ seed });
        return (await registerAtOurs({ authenticator: { attestation, aaguid: AAGUID, attestationAuthority: made }, algorithm: -7 }))
          .response;
      };
      const statement: never = JSON.parse(
        JSON.stringify(metadataStatement(createAttestationAuthority({ seed: 'known' }), AAGUID)),
      ) as never;
      await MetadataService.initialize({ mdsServers: [], statements: [statement] });
      const expected = { expectedChallenge: challengeText, expectedOrigin: ORIGIN, expectedRPID: RP_ID };
      expect(await verifyRegistrationResponse({ response: await register('known'), ...expected })).toMatchObject({ verified: true });
      await expect(verifyRegistrationResponse({ response: await register('unknown'), ...expected })).rejects.toThrow(Error);
    },
  );
});
