import { expect, test } from 'vitest';
import { lacking } from '../../../src/simulate/engine/wants.js';

const LOOSE = 'the target compares origins less strictly, as §13.4.9 allows';
const FRAMED = 'the target accepts pages in frames of some top-level origins';
const KEPT = 'the target keeps the challenge of a refused response';

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
