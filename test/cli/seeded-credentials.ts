import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signingAlgorithm } from '../../src/authenticator/algorithms.js';
import type { CredentialSource } from '../../src/authenticator/credential-source.js';
import { exportCredentials } from '../../src/authenticator/interchange/interchange.js';
import { systemKeyPairs } from '../../src/authenticator/key-pair.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';

/**
 * `.passkey/credentials.json` in a folder, with one credential of Ada for example.org, and the same as Chromium has it in `chromium.json`.
 *
 * @param id base64url
 */
export async function seedCredentials(folder: string, id = 'AQIDBAUGBwgJCgsMDQ4PEA'): Promise<CredentialSource> {
  const source: CredentialSource = {
    id: decodeBase64url(id),
    rpId: 'example.org',
    rpName: 'Example',
    user: { id: encodeUtf8('1'), name: 'ada@example.com', displayName: 'Ada' },
    algorithm: -7,
    privateKey: await systemKeyPairs(signingAlgorithm(-7)),
    discoverable: true,
    signCount: 0,
    backupEligible: true,
    backupState: true,
  };
  await mkdir(join(folder, '.passkey'), { recursive: true });
  const file = join(folder, '.passkey/credentials.json');
  await writeFile(file, (await exportCredentials('json', [source])).text);
  await chmod(file, 0o600);
  await writeFile(join(folder, 'chromium.json'), (await exportCredentials('devtools', [source])).text);
  return source;
}
