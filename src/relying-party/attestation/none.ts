import { count } from '../../webauthn/wording.js';
import type { StatementFinding, StatementInput } from './statement.js';
import { judge } from './sub-check.js';

/** §8.7. */
export function verifyNone({ attStmt }: StatementInput): StatementFinding {
  const requirement = {
    slug: 'syntax',
    reference: '§8.7',
    expected: 'an empty map',
    hint: 'The client must empty the statement when it sets fmt to "none".',
  };
  return {
    checks: [judge(requirement, attStmt.size === 0, attStmt.size === 0 ? 'an empty map' : count(attStmt.size, 'member'))],
    attestationType: 'none',
    certificates: [],
  };
}
