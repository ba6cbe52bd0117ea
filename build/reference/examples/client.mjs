import assert from 'node:assert/strict';
import { createAuthenticator } from 'passkey-cli/authenticator';
import { createClient, withNullUserHandle, withPublicKey } from 'passkey-cli/client';

const client = createClient({ authenticator: createAuthenticator({ alwaysDiscoverable: true }), origin: 'https://example.org' });
const user = { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada@example.com', displayName: 'Ada' };
const pubKeyCredParams = [{ type: 'public-key', alg: -7 }];
const challenge = 'c29tZSByYW5kb20gYnl0ZXMhIQ';
const created = await client.create({ publicKey: { rp: { id: 'example.org', name: 'Shop' }, user, challenge, pubKeyCredParams } });
const assertion = await client.get({ publicKey: { rpId: 'example.org', challenge } });
assert.equal(assertion.id, created.id);

// The forms of other libraries.
assert.equal(withNullUserHandle(assertion).response.userHandle, user.id);
assert.ok(withPublicKey(created));
