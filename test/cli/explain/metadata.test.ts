import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { parseFixture } from '../../../src/fixture/read.js';
import { formatAaguid } from '../../../src/webauthn/aaguid.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64 } from '../../../src/webauthn/base64url.js';
import { blobAuthority, blobPayload, writeBlob } from '../../relying-party/attestation/metadata-writer.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

/** The clock of `runIn`. */
const NOW = Date.UTC(2026, 0, 15, 10, 30);
const DAY = 86_400_000;
const fixture = (name: string) => join(import.meta.dirname, '../../../fixtures/recorded', `${name}.json`);

/** AAGUID and attestation certificate of a recording. */
function attestationOf(name: string) {
  const { response } = parseFixture(readFileSync(fixture(name), 'utf8'), name).response as {
    response: { attestationObject: string };
  };
  const { attStmt, authData } = decodeAttestationObject(decodeBase64url(response.attestationObject));
  const [x5c] = [attStmt.get('x5c')].flat();
  const credential = decodeAuthenticatorData(authData).attestedCredentialData;
  if (credential === undefined) throw new Error('expected a credential');
  return { aaguid: formatAaguid(credential.aaguid), certificate: x5c instanceof Uint8Array ? x5c : new Uint8Array() };
}

const packed = attestationOf('registration-packed');
const authority = blobAuthority(NOW);

const entry = (root: Uint8Array, identity: object, ...statuses: readonly string[]) => ({
  ...identity,
  metadataStatement: { description: 'Example Key 5', attestationRootCertificates: [encodeBase64(root)] },
  statusReports: statuses.map((status) => ({ status, effectiveDate: '2025-06-01' })),
});

interface Given {
  readonly entries?: readonly unknown[];
  readonly nextUpdate?: number;
  readonly signedBy?: typeof authority;
}

async function explain(argv: readonly string[], { entries = [], nextUpdate = NOW + DAY, signedBy = authority }: Given = {}) {
  const folder = await tempFolder();
  await writeFile(join(folder, 'blob.jwt'), writeBlob(signedBy, blobPayload(nextUpdate, entries)));
  await writeFile(join(folder, 'root.der'), authority.root.bytes);
  await writeFile(join(folder, 'stranger.der'), packed.certificate);
  return runIn(folder, ['explain', ...argv]);
}

const METADATA = ['--metadata', 'blob.jwt', '--metadata-root', 'root.der'];
const document = ({ stdout }: { readonly stdout: string }): ExplainDocument => JSON.parse(stdout);

describe('--metadata', () => {
  test('adds the roots of the model, its name and its status', async () => {
    const entries = [entry(packed.certificate, { aaguid: packed.aaguid }, 'FIDO_CERTIFIED_L1', 'USER_KEY_REMOTE_COMPROMISE')];
    const ran = await explain([fixture('registration-packed'), ...METADATA], { entries });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/aaguid.*Example Key 5/i);
    const { verdict, attestation, observations } = document(
      await explain([fixture('registration-packed'), ...METADATA, '--json'], { entries }),
    );
    expect([verdict, attestation?.trust]).toEqual(['accepted', 'trusted']);
    expect(observations.filter(({ slug }) => slug.startsWith('metadata-'))).toEqual([
      { slug: 'metadata-entry', message: 'FIDO metadata lists this authenticator as "Example Key 5".' },
      { slug: 'metadata-fido-certified-l1', message: 'FIDO metadata says FIDO_CERTIFIED_L1 since 2025-06-01: it is certified.' },
      {
        slug: 'metadata-user-key-remote-compromise',
        message: expect.stringMatching(/^FIDO metadata says USER_KEY_REMOTE_COMPROMISE since 2025-06-01: /),
      },
    ]);
  });

  test('adds to --roots', async () => {
    const entries = [entry(authority.root.bytes, { aaguid: packed.aaguid })];
    const argv = [fixture('registration-packed'), ...METADATA, '--roots', 'stranger.der', '--json'];
    expect(document(await explain(argv, { entries })).attestation?.trust).toBe('trusted');
  });

  test('says so where the model is not listed, and assesses no trust', async () => {
    const { verdict, attestation, observations } = document(await explain([fixture('registration-packed'), ...METADATA, '--json']));
    expect([verdict, attestation?.trust]).toEqual(['accepted', 'not-assessed']);
    expect(observations).toContainEqual({ slug: 'metadata-no-entry', message: expect.stringContaining(packed.aaguid) });
  });

  test('says that an AAGUID without attestation is only claimed', async () => {
    const { aaguid } = attestationOf('registration-discoverable');
    const entries = [entry(authority.root.bytes, { aaguid })];
    const { observations, verdict } = document(await explain([fixture('registration-discoverable'), ...METADATA, '--json'], { entries }));
    const [listed] = observations.filter(({ slug }) => slug === 'metadata-entry');
    expect([verdict, listed?.message]).toEqual(['accepted', expect.stringContaining('No attestation certificate confirms that.')]);
  });

  test('leaves logins alone', async () => {
    const { code, stdout } = await explain([fixture('login-u2f'), ...METADATA, '--json']);
    expect([code, stdout.includes('metadata-')]).toEqual([0, false]);
  });

  test('warns on stderr of a BLOB that is stale', async () => {
    const ran = await explain([fixture('registration-packed'), ...METADATA, '--json'], { nextUpdate: NOW - 2 * DAY });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^warning: --metadata \S+blob\.jwt: .*got nextUpdate 2026-01-13\. .*Download the BLOB again\.\n$/);
  });

  test('takes an old BLOB as of --at', async () => {
    const old = blobAuthority(NOW - 3 * 365 * DAY);
    const at = new Date(NOW - 3 * 365 * DAY).toISOString();
    const folder = await tempFolder();
    await writeFile(join(folder, 'blob.jwt'), writeBlob(old, blobPayload(NOW, [])));
    await writeFile(join(folder, 'root.der'), old.root.bytes);
    const argv = ['explain', fixture('login-u2f'), ...METADATA, '--json'];
    expect((await runIn(folder, argv)).stderr).toContain('certificates that were valid at the time of verification');
    expect((await runIn(folder, [...argv, '--at', at])).stderr).toBe('');
  });
});

describe('--metadata that cannot be used ends with 2', () => {
  test.each<[string, readonly string[], Given, RegExp]>([
    ['without a root', ['--metadata', 'blob.jwt'], {}, /--metadata needs --metadata-root FILE.*GlobalSign Root R3/],
    ['a root without a BLOB', ['--metadata-root', 'root.der'], {}, /--metadata-root has no effect without --metadata FILE/],
    ['a file that is not there', ['--metadata', 'none.jwt', '--metadata-root', 'root.der'], {}, /none\.jwt cannot be read \(ENOENT\)/],
    [
      'a root that is none',
      ['--metadata', 'blob.jwt', '--metadata-root', 'blob.jwt'],
      {},
      /--metadata-root expects certificates in PEM or DER/,
    ],
  ])('%s', async (_, argv, given, message) => {
    const ran = await explain([fixture('login-u2f'), ...argv], given);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});
