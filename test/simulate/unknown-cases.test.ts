import { expect, test } from 'vitest';
import { findUnknownCases } from '../../src/simulate/unknown-cases.js';
import { acceptedCase, sampleCase, sampleReport } from './reporters/sample-report.js';

const { replay: _, ...passed } = sampleCase({ id: 'login.former', source: 'case' });
const unknown = acceptedCase('login.origin-former', { cause: 'a-former-cause' });
const fixture = sampleCase({ id: 'recorded', status: 'failed', cause: 'a-former-cause' });

test.each([
  ['a case that is gone', [passed, acceptedCase('login.type-null')], ['login.former'], false],
  ['a failure of a case and a cause that are gone', [passed, unknown], ['login.former', 'login.origin-former'], true],
  ['one whose cause stays', [{ ...unknown, cause: 'origin' }], ['login.origin-former'], false],
  ['one without a cause', [{ ...unknown, cause: undefined }], ['login.origin-former'], true],
  [
    'a failure that is known beside one that is not',
    [unknown, acceptedCase('login.type-null', { cause: 'x' })],
    ['login.origin-former'],
    false,
  ],
  ['fixtures, which come and go', [fixture], [], false],
  ['no failure', [passed], ['login.former'], false],
])('%s', (_name, results, ids, nothingMatches) => {
  const plain = results.map(({ cause, ...rest }) => ({ ...rest, ...(cause !== undefined && { cause }) }));
  expect(findUnknownCases(sampleReport(plain))).toEqual({ ids, nothingMatches });
});
