import { expect, test } from 'vitest';
import { findMutation } from '../../../src/simulate/mutations/mutation.js';

const ANY = { options: {}, login: null, endpoint: 'login', persona: null, algorithms: null };

test.each([
  ['login.signature-bit', {}],
  ['login.user-not-verified', { options: { userVerification: 'required' } }],
  ['register.user-not-verified', { options: { authenticatorSelection: { userVerification: 'required' } } }],
  ['register.esp256', { options: { pubKeyCredParams: [{ type: 'public-key', alg: -9 }] } }],
  ['register.attestation-packed', { options: { attestation: 'direct' } }],
  ['login.user-handle-missing', { login: 'discoverable' }],
  ['verify.counter-zero', { endpoint: 'verify', persona: 'yubikey-5' }],
  ['login.backup-eligibility-lost', { persona: 'icloud-keychain' }],
  ['login.rs256-leading-zero', { algorithms: [-257] }],
])('what a ceremony for %s must be like', (id, asks) => {
  expect(findMutation(id).asks).toMatchObject({ ...ANY, ...asks });
});
