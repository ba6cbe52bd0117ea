import { MetadataService, SettingsService, verifyRegistrationResponse } from '@simplewebauthn/server';
import { verifyMDSBlob } from '@simplewebauthn/server/helpers';
import { describe, expect, test } from 'vitest';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { metadataAuthority, metadataBlob, metadataStatement } from '../../../src/authenticator/attestation/metadata.js';
import { encodeUtf8, fromHex } from '../../../src/kernel/bytes.js';
import { readMetadataBlob } from '../../../src/relying-party/attestation/metadata-blob.js';
import { readRoots } from '../../../src/relying-party/attestation/roots.js';
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
