import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveServeSettings } from '../../../src/cli/config/resolve.js';
import { readPolicy } from '../../../src/cli/serve/policy.js';
import { recordCeremony } from '../../../src/fixture/recorded-ceremony.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { FOREIGN_ROOT } from '../../../src/simulate/cases/values.js';
import { formatAaguid } from '../../../src/webauthn/aaguid.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { leafCertificate, ROOT_NAME, rootCertificate, rootKey, YEAR } from '../../relying-party/attestation/authority.js';
import { blobAuthority, blobPayload, writeBlob } from '../../relying-party/attestation/metadata-writer.js';
import { ecdsa, members } from '../../relying-party/attestation/statements.js';
import { AAGUID, es256Key, type RegistrationFields, registrationResponse } from '../../relying-party/ceremony.js';
import { toPem } from '../../relying-party/certificate.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service, START } from '../../server/app.js';
import { EXTENSIONS, ecKeyPair } from '../../webauthn/certificate-writer.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

const DAY = 86_400_000;
const authority = blobAuthority(START);
// The library judges certificates by the clock of the machine.
const root = rootCertificate({ notAfter: START + 100 * YEAR });
const attestationKey = ecKeyPair();
const certificate = leafCertificate({
  publicKey: attestationKey.publicKey,
  extensions: [EXTENSIONS.basicConstraints(false), EXTENSIONS.aaguid(AAGUID)],
  issuer: ROOT_NAME,
  signingKey: rootKey.privateKey,
  notAfter: START + 100 * YEAR,
});

const PACKED: Partial<RegistrationFields> = {
  fmt: 'packed',
  attStmt: (authData, clientDataHash) =>
    members({ alg: -7, sig: ecdsa(concatBytes(authData, clientDataHash), attestationKey), x5c: [certificate] }),
};

interface Entry {
  readonly aaguid?: string;
  readonly roots?: readonly Uint8Array[];
  readonly statuses?: readonly string[];
}

const entry = ({ aaguid = formatAaguid(AAGUID), roots = [root], statuses = ['FIDO_CERTIFIED_L1'] }: Entry) => ({
  aaguid,
  metadataStatement: { description: 'Example key', attestationRootCertificates: roots.map(encodeBase64) },
  statusReports: statuses.map((status) => ({ status, effectiveDate: '2025-06-01' })),
});

interface Given {
  readonly listed?: Entry;
  readonly nextUpdate?: number;
}

/** The policy of a configuration file, in a folder with roots in every form and a BLOB that lists one model. */
async function policyWith(config: object, { listed = {}, nextUpdate = START + DAY }: Given = {}) {
  const cwd = await tempFolder();
  const { io, written } = fakeIo({ cwd });
  await mkdir(join(cwd, 'folder'));
  await mkdir(join(cwd, 'empty'));
  const files = {
    'root.pem': FOREIGN_ROOT,
    'both.pem': `Two roots:\n${FOREIGN_ROOT}\n${toPem(root)}`,
    'root.der': root,
    'folder/a.crt': FOREIGN_ROOT,
    'folder/b.der': root,
    'folder/notes.txt': 'not a certificate',
    'blob.jwt': writeBlob(authority, blobPayload(nextUpdate, [entry(listed)])),
    'blob-root.der': authority.root.bytes,
    'passkey.config.json': JSON.stringify(config),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
  return { policy: await readPolicy(io, await resolveServeSettings(io, {})), written };
}

const METADATA = { metadata: 'blob.jwt', metadataRoot: ['blob-root.der'] };

describe('--attestation-roots reads', () => {
  const FOREIGN = FOREIGN_ROOT.trim();
  const OWN = toPem(root).trim();

  test.each([
    ['PEM', ['root.pem'], [FOREIGN]],
    ['PEM with several certificates', ['both.pem'], [FOREIGN, OWN]],
    ['DER', ['root.der'], [OWN]],
    ['a folder', ['folder'], [FOREIGN, OWN]],
  ])('%s', async (_, attestationRoots, expected) => {
    const { policy } = await policyWith({ attestationRoots, attestation: 'direct' });
    expect(policy.attestationRoots).toEqual(expected);
  });

  test.each([
    ['a folder without any', ['empty'], /empty contains no \*\.pem, \*\.crt, \*\.cer or \*\.der file\.$/],
    [
      'something else',
      ['passkey.config.json'],
      /^--attestation-roots expects certificates in PEM or DER; \S+config\.json holds something else/,
    ],
    ['a file that is not there', ['no.pem'], /no\.pem cannot be read \(ENOENT\)\.$/],
  ])('%s with an error', async (_, attestationRoots, message) => {
    await expect(policyWith({ attestationRoots, attestation: 'direct' })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(message),
    });
  });
});

describe.each([
  ['--attestation-roots', { attestationRoots: ['root.pem'] }],
  ['--metadata', METADATA],
])('%s', (flag, given) => {
  test.each([
    ['attestation direct', { attestation: 'direct' }],
    ['attestation enterprise', { attestation: 'enterprise' }],
    ['the FIDO endpoints, whose requests name the conveyance', { fidoApi: true }],
  ])('goes with %s', async (_, config) => {
    const { policy } = await policyWith({ ...given, ...config });
    expect([policy.attestationRoots.length > 0, policy.metadata !== undefined]).toContain(true);
  });

  test.each([
    ['none by default', {}, 'got none'],
    ['none', { attestation: 'none' }, 'got none'],
    ['indirect', { attestation: 'indirect' }, 'got indirect'],
  ])('does not go with attestation %s', async (_, config, message) => {
    await expect(policyWith({ ...given, ...config })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(new RegExp(`^${flag} expects --attestation direct or enterprise; ${message}`)),
    });
  });
});

test('an empty list of roots needs no attestation', async () => {
  expect((await policyWith({ attestationRoots: [] })).policy.attestationRoots).toEqual([]);
});

test.each([
  ['a BLOB without a root', { metadata: 'blob.jwt' }, /^--metadata needs --metadata-root FILE/],
  ['a root without a BLOB', { metadataRoot: ['blob-root.der'] }, /^--metadata-root has no effect without --metadata FILE/],
])('%s is wrong usage', async (_, config, message) => {
  await expect(policyWith({ attestation: 'direct', ...config })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
  });
});

test('a stale BLOB is used, with a warning', async () => {
  const { policy, written } = await policyWith({ attestation: 'direct', ...METADATA }, { nextUpdate: START - 2 * DAY });
  expect(policy.metadata?.no).toBe(7);
  expect(written.stderr).toMatch(/^warning: --metadata \S+blob\.jwt: .*got nextUpdate 2026-01-13\. .*Download the BLOB again\.\n$/);
});

describe('with --metadata, over HTTP, a registration', () => {
  async function register(fields: Partial<RegistrationFields>, { listed, config = {} }: Given & { readonly config?: object } = {}) {
    const { policy } = await policyWith({ attestation: 'direct', ...METADATA, ...config }, listed === undefined ? {} : { listed });
    await using service = await Service.start({ policy });
    const recordings: string[] = [];
    service.relyingParty.on((event) => {
      if (event.type !== 'ceremony-finished') return;
      const recorded = recordCeremony(event, { tool: 'test', version: '1' });
      recordings.push(recorded.status === 'recorded' ? recorded.status : recorded.reason);
    });
    const options = await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL });
    const { challenge } = options.json();
    const response = registrationResponse({ key: es256Key(), challenge, rpId: RP_ID, origin: APP_ORIGIN, ...fields });
    const reply = await service.post('/api/passkeys/register', response);
    const [passkey] = await service.relyingParty.list();
    return { statusCode: reply.statusCode, body: reply.json(), attestation: passkey?.attestation, recordings };
  }

  test('is trusted when it leads to a root of its model', async () => {
    expect(await register(PACKED)).toMatchObject({
      statusCode: 200,
      attestation: { format: 'packed', trust: 'trusted' },
      recordings: ['recorded'],
    });
  });

  test.each<[string, Partial<RegistrationFields>, Entry, string]>([
    ['leads to another root', PACKED, { roots: [authority.root.bytes] }, '1 root, none of which is in the path'],
    ['is of a model that is not listed', PACKED, { aaguid: '00000000-0000-0000-0000-000000000001' }, 'FIDO metadata without a root'],
    ['is of a model without roots', PACKED, { roots: [] }, 'FIDO metadata without a root'],
    ['has no attestation', { fmt: 'none' }, {}, 'no attestation (format "none")'],
    ['is of a revoked model', PACKED, { statuses: ['FIDO_CERTIFIED_L1', 'REVOKED'] }, 'FIDO metadata says REVOKED since 2025-06-01'],
    ['is of a model whose key is known', PACKED, { statuses: ['ATTESTATION_KEY_COMPROMISE'] }, 'says ATTESTATION_KEY_COMPROMISE'],
    ['is of a model whose user keys leak', PACKED, { statuses: ['USER_KEY_REMOTE_COMPROMISE'] }, 'says USER_KEY_REMOTE_COMPROMISE'],
    ['is of a model with a bypass', PACKED, { statuses: ['USER_VERIFICATION_BYPASS'] }, 'says USER_VERIFICATION_BYPASS'],
  ])('is refused when it %s', async (_, fields, listed, received) => {
    expect(await register(fields, { listed })).toMatchObject({
      statusCode: 422,
      body: {
        code: 'attestation_untrusted',
        step: { section: '7.1', number: 24, slug: 'attestation-trust', received: expect.stringContaining(received) },
      },
      attestation: undefined,
      recordings: ['FIDO metadata decided about its trust, and a fixture contains no metadata'],
    });
  });

  test('is trusted when it leads to a root of --attestation-roots instead', async () => {
    const config = { attestationRoots: ['root.der'] };
    expect(await register(PACKED, { listed: { roots: [] }, config })).toMatchObject({ statusCode: 200 });
  });

  test('is refused for a revoked model, whatever --attestation-roots say', async () => {
    const config = { attestationRoots: ['root.der'] };
    expect(await register(PACKED, { listed: { statuses: ['REVOKED'] }, config })).toMatchObject({ statusCode: 422 });
  });
});

test('--self-attestation is part of the policy, and accepts unless told otherwise', async () => {
  expect((await policyWith({})).policy.selfAttestation).toBe('accept');
  expect((await policyWith({ selfAttestation: 'refuse' })).policy.selfAttestation).toBe('refuse');
});
