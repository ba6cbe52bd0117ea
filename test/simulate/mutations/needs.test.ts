import { expect, test } from 'vitest';
import { findMutation, findOtherChallenge, listUnfit } from '../../../src/simulate/mutations/mutation.js';

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

const AT = { origin: 'https://login.app.example', attestationRoots: [], selfAttestation: 'refuse', topOrigins: [] } as const;

test.each([
  [{}, []],
  [{ origin: 'https://app.example' }, ['its RP ID is not a subdomain']],
  [{ topOrigins: ['https://top.example'] }, ['it accepts pages in frames of other origins (--top-origin)']],
  [{ selfAttestation: 'accept' }, ['it accepts self attestation; start it with --self-attestation refuse']],
  [{ attestationRoots: ['a root'] }, ['-it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints']],
] as const)('at a server that differs in %j, other mutations prove nothing', (change, reasons) => {
  const [before, after] = [listUnfit(AT), listUnfit({ ...AT, ...change })];
  const more = [...after].filter(([id, why]) => before.get(id) !== why).map(([, why]) => why);
  const fewer = [...before].filter(([id]) => !after.has(id)).map(([, why]) => `-${why}`);
  expect([...new Set([...more, ...fewer])]).toEqual(reasons);
});

test('at a server that trusts no root, refusals for want of trust prove nothing, nor does a frame', () => {
  const unfit = listUnfit(AT);
  expect(unfit.get('register.attestation-untrusted')).toMatch(/^it trusts no root/);
  expect([...new Set(unfit.values())].toSorted()).toEqual([
    'it needs a page in a frame of another origin',
    'it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints',
  ]);
});

test('a mutation with another challenge is found by both of its ids, for its own ceremony', () => {
  const found = ['register.challenge-used', 'challenge-used', 'login.challenge-used', 'challenge-unknown'].map((id) => {
    return findOtherChallenge(id, 'registration');
  });
  expect(found.map((each) => each && [each.mutation.id, each.challenge])).toEqual([
    ['register.challenge-used', { of: 'registration', state: 'used' }],
    ['register.challenge-used', { of: 'registration', state: 'used' }],
    undefined,
    undefined,
  ]);
});
