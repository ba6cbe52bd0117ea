import { MAX_COMPOUND_STATEMENTS } from '../../kernel/limits.js';
import { count } from '../../kernel/wording.js';
import type { AttestationStatement } from '../../webauthn/attestation-object.js';
import { showText } from '../show.js';
import type { AttestationType, StatementFinding } from './statement.js';
import { judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.9';

/** Result of verifying one statement of a compound attestation. */
export interface CompoundPart extends StatementFinding {
  readonly fmt: string;
  readonly verdict: 'accepted' | 'rejected' | 'undetermined';
}

interface CompoundFinding extends StatementFinding {
  readonly parts: readonly CompoundPart[];
}

const TWO_OR_MORE: Requirement = {
  slug: 'syntax',
  reference: REFERENCE,
  expected: `two to ${MAX_COMPOUND_STATEMENTS} statements, none of them compound`,
  hint: 'A compound statement joins at least two others. The standard sets no upper limit; this limit keeps verification fast.',
};

/**
 * Verifies a compound attestation statement (§8.9). The standard lets the relying party choose how many of its statements must verify. This
 * package requires all, so that a forged statement never hides behind a good one.
 */
export function verifyCompound(
  statements: readonly AttestationStatement[],
  verify: (statement: AttestationStatement) => CompoundPart,
): CompoundFinding {
  const nested = statements.some(({ fmt }) => fmt === 'compound');
  const whole = statements.length >= 2 && statements.length <= MAX_COMPOUND_STATEMENTS && !nested;
  const syntax = judge(
    TWO_OR_MORE,
    whole,
    [
      count(statements.length, 'statement'),
      ...(statements.length === 0
        ? []
        : [
            statements
              .slice(0, MAX_COMPOUND_STATEMENTS)
              .map(({ fmt }) => showText(fmt))
              .join(', '),
          ]),
    ].join(': '),
  );
  const parts = whole ? statements.map(verify) : [];
  return {
    checks: [syntax, ...parts.flatMap(partChecks)],
    attestationType: 'compound' satisfies AttestationType,
    certificates: [],
    parts,
  };
}

/**
 * Adds the position and format of a statement to the slugs of its checks, such as `1/packed/signature`. This makes the slugs unique in a
 * compound attestation.
 */
function partChecks({ fmt, checks }: CompoundPart, index: number): SubCheck[] {
  return checks.map((check) => ({ ...check, slug: `${index + 1}/${fmt}/${check.slug}` }));
}
