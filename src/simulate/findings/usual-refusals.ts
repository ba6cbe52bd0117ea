import type { CaseResult, Refusal } from '../report/report.js';

/** How many cases of a check it takes to establish the usual refusal. */
const FEWEST = 3;

/**
 * Adds the usual refusal of the check to each case that was refused in another way: because of its content, or because of something else,
 * such as a lost session. Says nothing for a target that refuses everything alike.
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

/** A case that a correct target refuses, by the step and the code that it tests. */
function nameCheck({ status, refusal, tests, tags }: CaseResult): string | undefined {
  if (status !== 'passed' || refusal === undefined || tests === undefined || !tags.includes('rejected')) return undefined;
  return [tests.section, tests.slug, tags.at(-1)].join(' ');
}

/** The refusal of more than half. */
function findUsual(refusals: readonly Refusal[]): Refusal | undefined {
  if (refusals.length < FEWEST) return undefined;
  return refusals.find((one) => refusals.filter((other) => isSame(one, other)).length * 2 > refusals.length);
}

const isSame = (one: Refusal, other: Refusal): boolean => one.status === other.status && one.code === other.code;
