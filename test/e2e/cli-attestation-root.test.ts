import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { createClient } from '../../src/client/client.js';
import { tempFolder } from '../cli/temp-folder.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';
import { browserAt } from './relying-party-over-http.js';

/** A folder with a user, a token for them, and what `passkey attestation-root` wrote. */
async function folderWithRoots() {
  const cwd = await tempFolder();
  const here = (...argv: readonly string[]) => passkeyHere(argv, { cwd });
  await here('user', 'add', '--email', 'ada@example.com', '--name', 'Ada');
  const { stdout } = await here('token', 'create', '--user', 'ada@example.com');
  for (const [format, file] of [
    ['pem', 'root.pem'],
    ['blob', 'blob.jwt'],
    ['blob-root', 'blob-root.pem'],
  ] as const) {
    expect(await here('attestation-root', '--format', format, '--out', file)).toMatchObject({ code: 0 });
  }
  return { cwd, token: stdout.trim() };
}

const TRUSTING = [
  { how: 'the root', flags: ['--attestation-roots', 'root.pem'], explain: ['--roots', 'root.pem'] },
  {
    how: 'the metadata BLOB',
    flags: ['--metadata', 'blob.jwt', '--metadata-root', 'blob-root.pem'],
    explain: ['--metadata', 'blob.jwt', '--metadata-root', 'blob-root.pem'],
  },
] as const;

describe.each(TRUSTING)('with $how of passkey attestation-root', ({ flags, explain }) => {
  test('serve accepts what the software authenticator attests, and nothing that another authority does', async () => {
    const { cwd, token } = await folderWithRoots();
    const { url, output, stop } = await serveHere(['--attestation', 'direct', ...flags], { cwd });
    const register = (traits: AuthenticatorOptions) => browserAt(url, token, traits).register();
    const attestations = ['packed-x5c', 'tpm', 'android-key', 'android-safetynet', 'apple', 'fido-u2f', 'compound'] as const;
    for (const attestation of attestations) expect([attestation, (await register({ attestation })).status]).toEqual([attestation, 200]);
    const other = await register({ attestation: 'packed-x5c', attestationAuthority: createAttestationAuthority({ seed: 'another' }) });
    expect(other).toMatchObject({ status: 422, body: { code: 'attestation_untrusted' } });
    expect(await register({ attestation: 'none' })).toMatchObject({ status: 422, body: { code: 'attestation_untrusted' } });
    await stop();
    expect(output.stderr).not.toContain('warning');
  });

  test('explain trusts a registration of the software authenticator', async () => {
    const { cwd } = await folderWithRoots();
    const authenticator = createAuthenticator({ attestation: 'packed-x5c' });
    const challenge = '3q2-7wABAgMEBQYHCAkKCw';
    const response = await createClient({ authenticator, origin: 'https://example.org' }).create({
      publicKey: {
        rp: { id: 'example.org', name: 'Example' },
        user: { id: 'MQ', name: 'ada', displayName: 'Ada' },
        challenge,
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        attestation: 'direct',
      },
    });
    await writeFile(join(cwd, 'response.json'), JSON.stringify(response));
    const ceremony = ['explain', 'response.json', '--rp-id', 'example.org', '--origin', 'https://example.org', '--challenge', challenge];
    const { code, stdout, stderr } = await passkeyHere([...ceremony, ...explain, '--json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"trusted"');
    const own = createAttestationAuthority({ seed: 'another' });
    expect(own.root).not.toEqual(createAttestationAuthority().root);
    await passkeyHere(['attestation-root', '--seed', 'another', '--out', 'other.pem'], { cwd });
    expect(await passkeyHere([...ceremony, '--roots', 'other.pem', '--json'], { cwd })).toMatchObject({ code: 1 });
  });
});
