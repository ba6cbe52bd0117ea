import assert from 'node:assert/strict';
import { createCeremonies } from 'passkey-cli/testing';
import {
  algorithmName,
  decodeAttestationObject,
  decodeAuthenticatorData,
  decodeBase64url,
  decodeCoseKey,
  encodeBase64url,
  formatAaguid,
  providerName,
  toJwk,
} from 'passkey-cli/webauthn';

const { response } = await createCeremonies({ origin: 'https://example.org', persona: 'icloud-keychain' }).registration();
const { fmt, authData } = decodeAttestationObject(decodeBase64url(response.response.attestationObject));
const { flags, attestedCredentialData } = decodeAuthenticatorData(authData);
const key = decodeCoseKey(attestedCredentialData.credentialPublicKey);
assert.equal(encodeBase64url(attestedCredentialData.credentialId), response.id);
assert.deepEqual([fmt, flags.be, algorithmName(key.alg), toJwk(key).crv], ['none', true, 'ES256', 'P-256']);
assert.equal(providerName(formatAaguid(attestedCredentialData.aaguid)), 'iCloud Keychain');
