import assert from 'node:assert/strict';
import {
  createAttestationAuthority,
  createAuthenticator,
  createCredentialSourceStore,
  credentialSourceFromJson,
  credentialSourceToJson,
  exportCredentials,
  importCredentials,
  metadataAuthority,
  metadataBlob,
  PERSONAS,
  packedAttestation,
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
assert.deepEqual(credentialSourceFromJson(credentialSourceToJson(credentials[0])), credentials[0]);
const { text } = await exportCredentials('json', credentials);
assert.equal((await importCredentials('json', text)).credentials.length, 1);

// A security key that attests, and the metadata that a relying party trusts it by.
const authority = createAttestationAuthority({ seed: 'our own' });
const key = createAuthenticator({ ...PERSONAS['yubikey-5'], attestation: packedAttestation(authority) });
const created = await createClient({ authenticator: key, origin: 'https://example.org' }).create({
  publicKey: { ...options.publicKey, attestation: 'direct' },
});
assert.ok(created.response.attestationObject);
assert.match(metadataBlob(metadataAuthority(authority), [key.aaguid]), /^eyJ/);
