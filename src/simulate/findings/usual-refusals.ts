import type { CaseResult, Refusal } from '../report/report.js';

/** Minimum number of refused cases that shows how a check usually refuses. */
const FEWEST = 3;

/**
 * Marks cases that were refused in an unusual way, by adding to their results the refusal that most cases of the same check received. The
 * difference may come from the case itself, or from something else, such as a lost session.
 */
export function addUsualRefusals(results: readonly CaseResult[]): CaseResult[] {
  const groups = new Map<string, CaseResult[]>();
  for (const result of results) {
    const check = nameCheck(result);
    if (check !== undefined) groups.set(check, [...(groups.get(check) ?? []), result]);
  }
  const usual = new Map(
    [...groups].flatMap(([check, refused]) => {
      const found = findUsual(refused.flatMap(({ refusal }) => refusal ?? []));
      return found === undefined ? [] : [[check, found] as const];
    }),
  );
  return results.map((result) => {
    const found = usual.get(nameCheck(result) ?? '');
    return found === undefined || result.refusal === undefined || isSame(found, result.refusal)
      ? result
      : { ...result, usual_refusal: found };
  });
}

/** Names the check that refused a case, by its step and error code. Undefined unless the case passed because the target refused it. */
function nameCheck({ status, refusal, tests, tags }: CaseResult): string | undefined {
  if (status !== 'passed' || refusal === undefined || tests === undefined || !tags.includes('rejected')) return undefined;
  return [tests.section, tests.slug, tags.at(-1)].join(' ');
}

/** Returns the refusal that more than half of the cases received, if there is one. */
function findUsual(refusals: readonly Refusal[]): Refusal | undefined {
  if (refusals.length < FEWEST) return undefined;
  return refusals.find((one) => refusals.filter((other) => isSame(one, other)).length * 2 > refusals.length);
}

const isSame = (one: Refusal, other: Refusal): boolean => one.status === other.status && one.code === other.code;
