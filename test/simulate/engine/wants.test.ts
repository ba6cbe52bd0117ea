import { expect, test } from 'vitest';
import { type Demands, holdCreationOptions, lacking } from '../../../src/simulate/engine/demands.js';
import { ScenarioEnded } from '../../../src/simulate/engine/scenario.js';
import type { TargetCapabilities } from '../../../src/simulate/target/profile-schema.js';
import { creation } from '../../client/ceremony.js';

const LOOSE = 'the target compares origins less strictly, as §13.4.9 allows';
const FRAMED = 'the target accepts pages that are embedded under some top-level origins';
const KEPT = 'the target accepts a challenge again after a refused response';

test.each([
  { wants: { originMatch: 'exact' }, has: {}, reason: undefined },
  { wants: { originMatch: 'exact' }, has: { originMatch: 'exact' }, reason: undefined },
  { wants: { originMatch: 'exact' }, has: { originMatch: 'parsed' }, reason: LOOSE },
  { wants: { originMatch: 'parsed' }, has: { originMatch: 'parsed' }, reason: undefined },
  { wants: { originMatch: 'parsed' }, has: { originMatch: 'subdomains' }, reason: LOOSE },
  { wants: {}, has: { originMatch: 'subdomains' }, reason: undefined },
  { wants: { topOrigin: false }, has: {}, reason: undefined },
  { wants: { topOrigin: false }, has: { topOrigins: ['https://top.example'] }, reason: FRAMED },
  { wants: { topOrigin: true }, has: { topOrigins: ['https://top.example'] }, reason: undefined },
  { wants: { afterRefusal: 'spent' }, has: {}, reason: undefined },
  { wants: { afterRefusal: 'spent' }, has: { afterRefusal: 'kept' }, reason: KEPT },
] as const)('a case that wants $wants of a target that has $has lacks: $reason', ({ wants, has, reason }) => {
  expect(lacking(wants, 'topOrigins' in has ? { topOrigins: [...has.topOrigins] } : has)).toBe(reason);
});

test.each<[Demands, TargetCapabilities, string | undefined]>([
  [{ selfAttestation: false }, { selfAttestation: false }, undefined],
  [{ selfAttestation: false }, {}, 'the target accepts self attestation, which its policy may do'],
  [{ furtherOrigins: true }, { origins: ['https://app.example'] }, undefined],
  [{ furtherOrigins: true }, {}, 'the target does not accept additional origins'],
  [{ applications: 'several' }, { asks: ['origin'] }, undefined],
  [{ applications: 'several' }, { asks: ['endpoint'] }, 'the target serves only one application'],
])('a case that wants %j of a target that has %j lacks: %s', (wants, has, reason) => {
  expect(lacking(wants, has)).toBe(reason);
});

test.each([
  ['cross-platform', true],
  ['platform', false],
  [undefined, true],
] as const)('creation options with the attachment %s suit a security key: %s', (authenticatorAttachment, suitable) => {
  const authenticatorSelection = authenticatorAttachment === undefined ? {} : { authenticatorAttachment };
  const hold = () => holdCreationOptions({ attachment: 'cross-platform' }, creation({ authenticatorSelection }));
  if (suitable) expect(hold).not.toThrow();
  else expect(hold).toThrow(ScenarioEnded);
});

test.each([
  [{ residentKey: 'required' }, true],
  [{ requireResidentKey: true }, true],
  [{ residentKey: 'preferred', requireResidentKey: true }, false],
  [{ requireResidentKey: false }, false],
  [{}, false],
])('creation options with %j ask for a discoverable credential: %s', (authenticatorSelection, required) => {
  const hold = () => holdCreationOptions({ residentKey: 'required' }, creation({ authenticatorSelection }));
  if (required) expect(hold).not.toThrow();
  else expect(hold).toThrow(ScenarioEnded);
});
