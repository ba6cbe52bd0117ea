import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatAaguid } from '../../src/webauthn/aaguid.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64 } from '../../src/webauthn/base64url.js';
import { blobAuthority, blobPayload, writeBlob } from '../relying-party/attestation/metadata-writer.js';
import { passkeyHere } from './passkey-in-process.js';
import { ROOT } from './passkey-process.js';

const RECORDING = join(ROOT, 'fixtures/recorded/registration-packed.json');

/** A BLOB that lists the authenticator of the recording with its own certificate as root, and what it leads to. */
async function folderWithBlob(): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'passkey-metadata-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const { response }: { response: { response: { attestationObject: string } } } = JSON.parse(await readFile(RECORDING, 'utf8'));
  const { attStmt, authData } = decodeAttestationObject(decodeBase64url(response.response.attestationObject));
  const aaguid = decodeAuthenticatorData(authData).attestedCredentialData?.aaguid ?? new Uint8Array(16);
  const certificates = [attStmt.get('x5c')].flat().filter((der) => der instanceof Uint8Array);
  const authority = blobAuthority(Date.now());
  const entry = {
    aaguid: formatAaguid(aaguid),
    metadataStatement: { description: 'Example Key 5', attestationRootCertificates: certificates.map(encodeBase64) },
    statusReports: [{ status: 'REVOKED', effectiveDate: '2025-06-01' }],
  };
  const blob = writeBlob(authority, blobPayload(Date.now() + 86_400_000, [entry]));
  const [header = '', payload = '', signature = ''] = blob.split('.');
  await writeFile(join(cwd, 'blob.jwt'), blob);
  await writeFile(
    join(cwd, 'forged.jwt'),
    [header, payload, signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`].join('.'),
  );
  await writeFile(join(cwd, 'root.der'), authority.root.bytes);
  return cwd;
}

test('a metadata BLOB names the authenticator, its roots and its status', async () => {
  const cwd = await folderWithBlob();
  const { code, stdout, stderr } = await passkeyHere(['explain', RECORDING, '--metadata', 'blob.jwt', '--metadata-root', 'root.der'], {
    cwd,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const flat = stdout.replace(/\s+/g, ' ');
  expect(flat).toContain('FIDO metadata lists this authenticator as "Example Key 5".');
  expect(flat).toContain('FIDO metadata says REVOKED since 2025-06-01: the FIDO Alliance says that it should not be trusted.');
  expect(flat).toMatch(/✓ 24 /);
});

test('a metadata BLOB whose signature does not verify ends with 2', async () => {
  const cwd = await folderWithBlob();
  const { code, stdout, stderr } = await passkeyHere(['explain', RECORDING, '--metadata', 'forged.jwt', '--metadata-root', 'root.der'], {
    cwd,
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/forged\.jwt cannot be trusted.*invalid signature, "ES256".*Download it again\./);
});
