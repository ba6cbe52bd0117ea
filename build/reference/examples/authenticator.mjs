import assert from 'node:assert/strict';
import {
  createAuthenticator,
  createCredentialSourceStore,
  credentialSourceToJson,
  exportCredentials,
  importCredentials,
  PERSONAS,
  scriptedUser,
} from 'passkey-cli/authenticator';
import { createClient } from 'passkey-cli/client';

// A user who cancels the first dialog and is verified in the second, with a phone.
const store = createCredentialSourceStore();
const userVerifier = scriptedUser('cancelled', 'verified');
const authenticator = createAuthenticator({ ...PERSONAS['icloud-keychain'], store, userVerifier });
const client = createClient({ authenticator, origin: 'https://example.org' });
const user = { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada@example.com', displayName: 'Ada' };
const pubKeyCredParams = [{ type: 'public-key', alg: -7 }];
const options = { publicKey: { rp: { name: 'Shop' }, user, challenge: 'c29tZSByYW5kb20gYnl0ZXMhIQ', pubKeyCredParams } };
await assert.rejects(client.create(options), { name: 'NotAllowedError' });
await client.create(options);

// Its credentials, for another program.
const credentials = await store.list('example.org');
assert.equal(credentialSourceToJson(credentials[0]).rpId, 'example.org');
const { text } = await exportCredentials('json', credentials);
assert.equal((await importCredentials('json', text)).credentials.length, 1);
