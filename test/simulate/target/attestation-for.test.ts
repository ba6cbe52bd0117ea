import { expect, test } from 'vitest';
import { listAttestations, refusesNone, traitsFor } from '../../../src/simulate/target/attestation-for.js';
import type { TargetCapabilities } from '../../../src/simulate/target/profile-schema.js';
import { parseAaguid } from '../../../src/webauthn/aaguid.js';

const FORMATS = ['tpm', 'packed', 'a-new-format', 'apple'];
const MODEL = '70617373-6b65-4079-a074-657374737465';

test.each<[has: TargetCapabilities, made: readonly string[]]>([
  [{}, []],
  [{ formats: FORMATS }, ['tpm', 'packed', 'apple']],
  [{ formats: FORMATS, selfAttestation: true }, ['tpm', 'packed', 'apple']],
  [{ formats: FORMATS, selfAttestation: false }, ['tpm', 'packed-x5c', 'apple']],
  [{ formats: FORMATS, trust: 'test' }, ['tpm', 'packed-x5c', 'apple']],
  [{ formats: FORMATS, trust: 'none' }, ['tpm', 'packed', 'apple']],
  [{ formats: FORMATS, trust: 'other' }, ['packed']],
  [{ formats: FORMATS, trust: 'other', selfAttestation: false }, []],
])('at a target with %j, statements are made of %j', (has, made) => {
  expect(listAttestations(has)).toEqual(made);
});

test.each<[has: TargetCapabilities, refuses: boolean, traits: object]>([
  [{}, false, {}],
  [{ formats: ['none', 'packed'], logins: ['named'], counter: 'refuse' }, false, {}],
  [{ formats: ['packed'], logins: ['discoverable'] }, true, { attestation: ['packed'], alwaysDiscoverable: true }],
  [{ models: [MODEL], counter: 'required' }, false, { aaguid: parseAaguid(MODEL), signCount: { kind: 'per-credential', start: 1 } }],
])('an authenticator for a target with %j', (has, refuses, traits) => {
  expect([refusesNone(has), traitsFor(has)]).toEqual([refuses, traits]);
});
