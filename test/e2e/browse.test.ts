import { readdir } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { browse, SIMPLE_PAGE } from './browse-harness.js';
import { skipWithoutBrowser } from './browser.js';

/** A site whose page registers and logs in by itself. */
async function startShop() {
  const shop = await startSimpleWebAuthn(SIMPLE_PAGE);
  onTestFinished(() => shop.close());
  return shop;
}

describe.skipIf(skipWithoutBrowser())('passkey browse', () => {
  test('answers a site as a persona, and judges both ceremonies', async () => {
    const shop = await startShop();
    const browsing = await browse(`${shop.url}/`, ['--persona', 'icloud-keychain']);
    const [registration, login] = await browsing.next(2);
    expect(registration).toMatchObject({
      ceremony: 'registration',
      origin: shop.url,
      cross_origin: false,
      persona: 'icloud-keychain',
      error: null,
      request: { method: 'POST', url: `${shop.url}/verify-registration` },
      explanation: { verdict: 'accepted', server: { status: 200, verdict: 'accepted', agrees: true } },
    });
    expect(login).toMatchObject({
      ceremony: 'authentication',
      request: { url: `${shop.url}/verify-authentication` },
      explanation: { verdict: 'accepted', server: { verdict: 'accepted', agrees: true } },
    });
    expect(JSON.stringify(registration?.options)).not.toContain('remoteDesktopClientOverride');
    expect(await browsing.stop()).toBe(0);
    expect(await readdir(browsing.cwd)).toEqual([]);
  });
});
