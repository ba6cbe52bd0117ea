import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { importCredentials } from '../../src/authenticator/interchange/interchange.js';
import { createClient } from '../../src/client/client.js';
import type { PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';
import { passkeyHere } from './passkey-in-process.js';
import { call } from './relying-party-over-http.js';

interface DevToolsCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly privateKey: string;
  readonly signCount: number;
}

describe.skipIf(skipWithoutBrowser())('credentials between passkey and Chromium', () => {
  const { open } = pageTests();

  test.each([
    ['chrome-virtual', 'internal'],
    ['icloud-keychain', 'internal'],
    // Chromium looks for a credential only where its transports lead to.
    ['security-key-u2f', 'usb'],
  ] as const)('one made here as %s logs in on the page', async (persona, transport) => {
    const { cwd, url, page, authenticator, complaints } = await open({ authenticator: { transport } });
    await signIn(page);
    const flags = ['--user', 'ada@example.com', '--origin', url, '--persona', persona];
    const made = await passkeyHere(['credential', 'create', ...flags], { cwd });
    expect(made.code).toBe(0);
    const { code, stdout } = await passkeyHere(['credential', 'convert', '--to', 'devtools'], { cwd });
    expect(code).toBe(0);
    const { credentials }: { credentials: DevToolsCredential[] } = JSON.parse(stdout);
    const { session, id: authenticatorId = '' } = authenticator ?? {};
    for (const credential of credentials) await session?.send('WebAuthn.addCredential', { authenticatorId, credential });
    await page.reload();
    expect(await act(page, '#passkey-1-login')).toMatchObject({ outcome: 'verified', summary: 'Logged in as ada.' });
    if (persona !== 'security-key-u2f') expect(await act(page, '#login-button')).toMatchObject({ outcome: 'verified' });
    expect(complaints).toStrictEqual([]);
  });

  test('a large blob that was written here is read there', async () => {
    const { cwd, url, page, authenticator } = await open({ authenticator: { ctap2Version: 'ctap2_1', hasLargeBlob: true } });
    await signIn(page);
    await passkeyHere(['credential', 'create', '--user', 'ada@example.com', '--origin', url], { cwd });
    const file = join(cwd, '.passkey/credentials.json');
    const blob = Buffer.from('from here '.repeat(20));
    const document: { credentials: object[] } = JSON.parse(await readFile(file, 'utf8'));
    const credentials = document.credentials.map((each) => ({ ...each, largeBlob: blob.toString('base64url') }));
    await writeFile(file, JSON.stringify({ ...document, credentials }));
    const { stdout } = await passkeyHere(['credential', 'convert', '--to', 'devtools'], { cwd });
    const { session, id: authenticatorId = '' } = authenticator ?? {};
    const exported: { credentials: DevToolsCredential[] } = JSON.parse(stdout);
    for (const credential of exported.credentials) await session?.send('WebAuthn.addCredential', { authenticatorId, credential });
    const read: unknown = await page.evaluate(`navigator.credentials.get({ publicKey: {
      challenge: new Uint8Array(32), rpId: 'localhost', userVerification: 'required', extensions: { largeBlob: { read: true } },
    } }).then((credential) => new TextDecoder().decode(credential.getClientExtensionResults().largeBlob.blob))`);
    expect(read).toBe(blob.toString());
  });

  test('one made here goes into Playwright’s authenticator and back', async () => {
    const { cwd, url, page, context } = await open({ authenticator: false });
    await signIn(page);
    await passkeyHere(['credential', 'create', '--user', 'ada@example.com', '--origin', url], { cwd });
    const { stdout } = await passkeyHere(['credential', 'convert', '--to', 'playwright'], { cwd });
    const [exported]: { rpId: string; id: string; userHandle: string; privateKey: string; publicKey: string; signCount: number }[] =
      JSON.parse(stdout);
    await context.credentials.install();
    if (exported) await context.credentials.create(exported.rpId, exported);
    await page.reload();
    expect(await act(page, '#passkey-1-login')).toMatchObject({ outcome: 'verified' });
    const { credentials } = await importCredentials('playwright', JSON.stringify(await context.credentials.get()));
    expect(credentials).toMatchObject([{ rpId: 'localhost', algorithm: -7, signCount: (exported?.signCount ?? 0) + 1 }]);
  });

  test('one made in Chromium logs in here', async () => {
    const { cwd, url, page, authenticator } = await open();
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    expect((await act(page, '#login-button')).outcome).toBe('verified');
    const { session, id: authenticatorId = '' } = authenticator ?? {};
    const held = await session?.send('WebAuthn.getCredentials', { authenticatorId });
    await writeFile(join(cwd, 'chromium.json'), JSON.stringify(held));
    const added = await passkeyHere(['credential', 'convert', 'chromium.json', '--from', 'devtools', '--add'], { cwd });
    expect(added.code).toBe(0);

    const { credentials } = await importCredentials('json', await readFile(join(cwd, '.passkey/credentials.json'), 'utf8'));
    const [credential] = credentials;
    expect(credential).toMatchObject({ rpId: 'localhost', discoverable: true, algorithm: -7, signCount: 2 });
    const software = createAuthenticator({ store: createCredentialSourceStore(credentials), signCount: { kind: 'per-credential' } });
    const client = createClient({ authenticator: software, origin: url });
    const { body: publicKey } = await call<PublicKeyCredentialRequestOptionsJSON>('POST', `${url}/api/passkeys/login/options`, {
      headers: { origin: url },
      body: {},
    });
    const response = await client.get({ publicKey });
    const login = await call('POST', `${url}/api/passkeys/login`, { headers: { origin: url }, body: response });
    expect(login).toMatchObject({ status: 200 });
  });
});
