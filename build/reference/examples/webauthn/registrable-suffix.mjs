import assert from 'node:assert/strict';
import { isPublicSuffix, isRegistrableSuffix, publicSuffix, registrableDomain } from 'passkey-cli/webauthn/registrable-suffix';

assert.equal(isRegistrableSuffix('example.co.uk', 'login.example.co.uk'), true);
assert.equal(isPublicSuffix('co.uk'), true);
assert.equal(registrableDomain('login.example.co.uk'), 'example.co.uk');
assert.equal(publicSuffix('login.example.co.uk'), 'co.uk');
