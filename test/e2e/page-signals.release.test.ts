import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator, skipWithoutBrowser, type VirtualAuthenticator } from './browser.js';
import { act, focusOn, pageTests, press, reload, reveal, revoke, signIn, signOut } from './page-harness.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';

/** Ids (base64url) of the authenticator's passkeys, oldest first. */
async function held({ session, id }: VirtualAuthenticator): Promise<string[]> {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId: id });
  return credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'));
}

/** Adds a passkey on `localhost` that another project's server registered. */
async function addForeignPasskey({ session, id }: VirtualAuthenticator): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(16);
  await session.send('WebAuthn.addCredential', {
    authenticatorId: id,
    credential: {
      credentialId: credentialId.toString('base64'),
      isResidentCredential: true,
      rpId: 'localhost',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      userHandle: randomBytes(32).toString('base64'),
      signCount: 1,
    },
  });
  return credentialId.toString('base64url');
}

/** Runs of this tab about signals. */
const sent = async (page: Page) => {
  await page.locator('#show-ceremonies').click();
  return await page.locator('.stream li:has-text("Tell the authenticator")').allTextContents();
};

describe.skipIf(skipWithoutBrowser())('the test page tells the authenticator nothing by itself', () => {
  const { open } = pageTests();

  /** A page with an authenticator; `calls` are the signals that its scripts have made. */
  const openWatched = async () => {
    const opened = await open({
      initScript: `globalThis.signalCalls = [];
        for (const name of ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails']) {
          const method = PublicKeyCredential[name].bind(PublicKeyCredential);
          PublicKeyCredential[name] = (options) => { signalCalls.push(name); return method(options); };
        }`,
    });
    const { authenticator, page } = opened;
    if (authenticator === undefined) throw new Error('Expected an authenticator.');
    const calls = (): Promise<string[]> => page.evaluate('signalCalls');
    return { ...opened, authenticator, calls };
  };

  test.each(['#login-button', '#verify-button'])(
    '%s with a passkey of another project: 404, and it survives until a button says so',
    async (button) => {
      const { page, authenticator, calls } = await openWatched();
      const foreign = await addForeignPasskey(authenticator);
      // On a first visit there is no such button.
      await signIn(page);
      const { outcome, summary, run } = await act(page, button);
      expect([outcome, summary]).toStrictEqual(['rejected', expect.stringMatching(/^404 passkey_not_found: /)]);
      expect(await calls()).toStrictEqual([]);
      expect(await held(authenticator)).toStrictEqual([foreign]);

      const offer = page.locator(`${run} .signal`);
      expect(await offer.locator('p').innerText()).toBe(
        'The authenticator may permanently delete this passkey for RP ID localhost. All projects on localhost share this RP ID: if another one created this passkey, it is lost there.',
      );
      await offer.getByRole('button', { name: 'Tell the authenticator this passkey is unknown' }).click();
      await page.locator(`${run} .leg:has-text("PublicKeyCredential.signalUnknownCredential()") .badge:text("sent")`).waitFor();
      expect(await calls()).toStrictEqual(['signalUnknownCredential']);
      expect(await held(authenticator)).toStrictEqual([]);
      expect(await page.locator('#status').innerText()).toContain('Sent signalUnknownCredential.');
      await page.locator(':focus', { hasText: 'Tell the authenticator this passkey is unknown' }).waitFor({ state: 'attached' });
    },
  );

  test('the server of another project at the same port: the passkey of the first survives a login there', async () => {
    const { cwd, page, authenticator, server } = await openWatched();
    await signIn(page);
    await act(page, '#register-button');
    const before = await held(authenticator);
    expect(before).toHaveLength(1);
    await server.stop();
    await serveHere(['--port', String(server.port), '--store', join(cwd, 'other/passkeys.jsonl')], { cwd });
    await reload(page);
    await signIn(page);
    expect((await act(page, '#login-button')).summary).toMatch(/^404 passkey_not_found: /);
    expect(await held(authenticator)).toStrictEqual(before);
  });

  test('a refused registration leaves the passkey on the authenticator until a button is pressed', async () => {
    const { page, authenticator, calls, url } = await openWatched();
    await page.goto(`${url}/#app_url=${encodeURIComponent('https://localhost:7277')}`);
    await signIn(page);
    const { outcome, run, summary } = await act(page, '#register-button');
    expect([outcome, summary]).toStrictEqual(['rejected', expect.stringContaining('The authenticator keeps the passkey it created')]);
    // The origin of the response, beside the one that the server expects.
    await page.locator(`${run} .field.bad:has-text("${url}")`).first().waitFor();
    expect(await calls()).toStrictEqual([]);
    expect(await held(authenticator)).toHaveLength(1);
    expect(await page.locator(`${run} .signal p`).innerText()).toContain('The server refused its registration and did not store it.');
    await page.locator(`${run} .signal button`).click();
    await page.locator(`${run} .signal .badge:text("sent")`).waitFor();
    expect(await held(authenticator)).toStrictEqual([]);
  });

  test('a rename is the server’s alone; so is revoke, which asks first, and Undo takes it back', async () => {
    const { cwd, page, authenticator, calls } = await openWatched();
    await signIn(page);
    await act(page, '#register-button');
    const before = await held(authenticator);

    await press(page, '#passkey-1-rename');
    await page.getByLabel('New name').fill('Blue key');
    const { summary } = await act(page, '#passkeys button:has-text("Save")');
    expect(summary).toBe('Renamed passkey 1 to “Blue key”.');
    await page.locator('#passkey-1-label:text-is("Blue key")').waitFor();
    expect(JSON.parse((await passkeyHere(['list', '--json'], { cwd })).stdout)).toMatchObject([{ id: 1, label: 'Blue key' }]);

    await press(page, '#passkey-1-revoke');
    expect(await page.locator('#passkey-1-revoke-text').innerText()).toBe(
      'The server will refuse this passkey and end the sessions and tokens it opened. The authenticator is not told: it keeps the passkey and may still offer it. You can undo this.',
    );
    await page.locator(':focus', { hasText: 'Cancel' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await focusOn(page, 'passkey-1-revoke');
    expect((await act(page, '#passkey-1-verify')).outcome).toBe('verified');

    expect((await revoke(page, 1)).summary).toBe('Revoked passkey 1 at the server. The authenticator was not told and may still offer it.');
    expect(await held(authenticator)).toStrictEqual(before);
    expect(await page.locator('#passkey-1').innerText()).toContain('Revoked only at the server.');
    const refused = await act(page, '#login-button');
    expect(refused.summary).toMatch(/^404 passkey_not_found: /);
    // The authenticator still offered it; the server refused.
    expect(await page.locator(`${refused.run} .leg`, { hasText: 'navigator.credentials.get()' }).innerText()).toContain('answered');

    expect(await page.locator('#passkey-1-restore').innerText()).toBe('Undo');
    expect((await act(page, '#passkey-1-restore')).outcome).toBe('verified');
    expect((await act(page, '#login-button')).outcome).toBe('verified');
    expect(await calls()).toStrictEqual([]);
    expect(await sent(page)).toStrictEqual([]);
  });

  test('each signal about a stored passkey has a button that says what it may delete', async () => {
    const { page, authenticator, calls } = await openWatched();
    await signIn(page);
    await act(page, '#register-button');
    await reveal(page, '#passkey-1-login');
    const handle = await page.locator('#passkey-1-details dt:text("User handle") + dd').textContent();
    const [own = 'none'] = await held(authenticator);
    const foreign = await addForeignPasskey(authenticator);
    const both = [own, foreign].toSorted();
    const heldNow = async () => (await held(authenticator)).toSorted();
    await press(page, '#passkey-1-signals > summary');
    const warning = (method: string) => page.locator(`#passkey-1-${method}-warning`).innerText();

    expect(await warning('signalCurrentUserDetails')).toContain(
      `may change the names on every passkey for RP ID localhost with user handle ${handle}`,
    );
    const details = await act(page, '#passkey-1-signalCurrentUserDetails');
    expect(details.outcome).toBe('verified');
    expect(await heldNow()).toStrictEqual(both);

    const accepted = await warning('signalAllAcceptedCredentials');
    expect(accepted).toContain('may permanently delete every passkey for RP ID localhost');
    expect(accepted).toContain('another project or another store created with the same user handle');
    expect((await act(page, '#passkey-1-signalAllAcceptedCredentials')).outcome).toBe('verified');
    expect(await heldNow()).toStrictEqual(both);

    expect(await warning('signalUnknownCredential')).toContain(
      'may permanently delete this passkey for RP ID localhost. The server knows it and still accepts it.',
    );
    expect((await act(page, '#passkey-1-signalUnknownCredential')).outcome).toBe('verified');
    expect(await heldNow()).toStrictEqual([foreign]);
    expect(await calls()).toStrictEqual(['signalCurrentUserDetails', 'signalAllAcceptedCredentials', 'signalUnknownCredential']);
  });

  test('a list of accepted passkeys that is another user’s is not sent: it would delete all of this user’s', async () => {
    const { context, page, authenticator, calls, url } = await openWatched();
    await signIn(page);
    await act(page, '#register-button');
    await signOut(page);
    await act(page, '#login-button');
    await press(page, '#passkey-1-signals > summary');
    const before = await held(authenticator);

    // Another tab logs in as somebody else, and the tabs share the session cookie.
    const other = await context.newPage();
    await addAuthenticator(other);
    await other.goto(url);
    await signOut(other);
    await signIn(other, 'bob@example.com');
    await act(other, '#register-button');
    expect((await act(other, '#login-button')).summary).toBe('Logged in as bob.');

    expect(await act(page, '#passkey-1-signalAllAcceptedCredentials')).toMatchObject({
      outcome: 'failed',
      summary: expect.stringMatching(/^The server's list belongs to another user or store: .* Nothing was sent\.$/),
    });
    expect(await calls()).toStrictEqual([]);
    expect(await held(authenticator)).toStrictEqual(before);
  });
});
