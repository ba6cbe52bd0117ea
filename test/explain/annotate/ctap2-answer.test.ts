import { describe, expect, test } from 'vitest';
import { annotate } from '../../../src/explain/annotate/annotate.js';
import { recognise } from '../../../src/explain/annotate/recognise.js';
import { readPublicKey } from '../../../src/explain/public-key.js';
import { concatBytes, encodeUtf8, toHex } from '../../../src/kernel/bytes.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { type CborValue, encodeCbor } from '../../../src/webauthn/cbor.js';
import { JSON_SAMPLES } from './samples.js';

const { fmt, authData } = decodeAttestationObject(decodeBase64url(JSON_SAMPLES.registration.response.attestationObject));
const { authenticatorData, signature } = JSON_SAMPLES.authentication.response;
const credential = new Map<CborValue, CborValue>([
  ['id', decodeBase64url(JSON_SAMPLES.authentication.id)],
  ['type', 'public-key'],
]);
const map = (...members: readonly CborValue[]) =>
  encodeCbor(new Map(members.map((member, index): [CborValue, CborValue] => [index + 1, member])));
const made = map(fmt, authData, new Map());
const got = map(credential, decodeBase64url(authenticatorData), decodeBase64url(signature));
const info = map(['FIDO_2_0', 'FIDO_2_1'], ['hmac-secret'], new Uint8Array(16).fill(9), new Map<CborValue, CborValue>([['rk', true]]));

describe.each<[string, Uint8Array, string, readonly string[]]>([
  ['authenticatorMakeCredential', made, 'authenticatorMakeCredential', ['fmt (1)', 'authData (2)', 'attStmt (3)']],
  ['authenticatorGetAssertion', got, 'authenticatorGetAssertion', ['credential (1)', 'authData (2)', 'signature (3)']],
  ['authenticatorGetInfo', info, 'authenticatorGetInfo', ['versions (1)', 'extensions (2)', 'aaguid (3)', 'options (4)']],
])('an answer of %s', (_, bytes, command, labels) => {
  test.each<[string, Uint8Array, readonly string[]]>([
    ['as bytes', bytes, labels],
    ['behind its status', concatBytes(Uint8Array.of(0), bytes), ['status', ...labels]],
    ['in hexadecimal', encodeUtf8(toHex(bytes)), labels],
    ['in base64url, behind its status', encodeUtf8(encodeBase64url(concatBytes(Uint8Array.of(0), bytes))), ['status', ...labels]],
  ])('%s', (_way, given, expected) => {
    const recognised = recognise(given);
    expect(recognised.kind).toBe('ctap2-answer');
    const tree = annotate(recognised);
    expect(tree).toMatchObject({ label: 'CTAP2 answer', value: command });
    expect(tree.children?.map(({ label }) => label)).toEqual(expected);
    const data = tree.children?.find(({ label }) => label.startsWith('authData'));
    expect(data?.children?.[0]?.label).toBe(command === 'authenticatorGetInfo' ? undefined : 'rpIdHash');
  });
});

test('the key of a new credential is read from its answer', () => {
  const key = decodeAuthenticatorData(authData).attestedCredentialData?.credentialPublicKey ?? new Uint8Array();
  expect(toHex(readPublicKey(made).publicKey)).toBe(toHex(key));
  expect(() => readPublicKey(got)).toThrow('Got a CTAP2 answer, which holds no public key.');
});

test('a map with other members is none', () => {
  expect(() => recognise(map('a', 'b'))).toThrow(/cannot be recognised|looks most like/);
});
