import assert from 'node:assert/strict';
import { createCeremonies } from 'passkey-cli/testing';
import {
  algorithmName,
  canonicalHost,
  decodeAttestationObject,
  decodeAuthenticatorData,
  decodeBase64,
  decodeBase64url,
  decodeCbor,
  decodeClientData,
  decodeCoseKey,
  encodeAttestationObject,
  encodeBase64,
  encodeBase64url,
  encodeCbor,
  encodeClientData,
  encodeCoseKey,
  encodeUserHandle,
  equalBytes,
  findAlgorithm,
  findCurve,
  formatAaguid,
  isIpAddress,
  isLocalhostName,
  isLoopbackAddress,
  isLoopbackHost,
  parseAaguid,
  providerName,
  readCoseAlgorithm,
  rpIdFromUrl,
  toHex,
  toJwk,
} from 'passkey-cli/webauthn';

const { response } = await createCeremonies({ origin: 'https://example.org', persona: 'icloud-keychain' }).registration();
const { fmt, authData } = decodeAttestationObject(decodeBase64url(response.response.attestationObject));
const { flags, attestedCredentialData } = decodeAuthenticatorData(authData);
const key = decodeCoseKey(attestedCredentialData.credentialPublicKey);
assert.equal(encodeBase64url(attestedCredentialData.credentialId), response.id);
assert.deepEqual([fmt, flags.be, algorithmName(key.alg), toJwk(key).crv], ['none', true, 'ES256', 'P-256']);
assert.equal(providerName(formatAaguid(attestedCredentialData.aaguid)), 'iCloud Keychain');

// Everything that is decoded can be encoded.
const clientData = decodeClientData(decodeBase64url(response.response.clientDataJSON));
assert.equal(decodeClientData(encodeClientData({ ...clientData, type: 'webauthn.get' })).type, 'webauthn.get');
assert.ok(equalBytes(encodeCoseKey(key), attestedCredentialData.credentialPublicKey));
assert.equal(encodeBase64url(encodeAttestationObject({ fmt, attStmt: new Map(), authData })), response.response.attestationObject);
assert.deepEqual(decodeCbor(encodeCbor(new Map([['fmt', 'none']]))).value.get('fmt'), 'none');
assert.deepEqual(decodeBase64(encodeBase64(authData)).bytes, authData);

// Identifiers of the standard, and hosts.
assert.equal(findAlgorithm(readCoseAlgorithm(attestedCredentialData.credentialPublicKey)).name, 'ES256');
assert.equal(findCurve(1).name, 'P-256');
assert.equal(toHex(parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd')), 'fbfc3007154e4ecc8c0b6e020557d7bd');
assert.equal(encodeUserHandle({ type: 'User', id: 1 }, 'User').length, 1);
assert.equal(rpIdFromUrl('https://example.org:8443/login'), 'example.org');
assert.equal(canonicalHost('EXAMPLE.org'), 'example.org');
assert.ok(isLocalhostName('shop.localhost') && isLoopbackHost('[::1]') && isLoopbackAddress('127.0.0.1') && isIpAddress('192.0.2.1'));
