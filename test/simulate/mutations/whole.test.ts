import { expect, test } from 'vitest';
import { listMutations, listOtherChallenges } from '../../../src/simulate/mutations/mutation.js';

/** Ids under what they have in common. */
function grouped(entries: readonly (readonly [key: string, id: string])[]): string {
  const groups = new Map<string, string[]>();
  for (const [key, id] of entries) groups.set(key, [...(groups.get(key) ?? []), id]);
  return [...groups].map(([key, ids]) => `${key}\n  ${ids.join('\n  ')}\n`).join('\n');
}

test('what each mutation needs, requires and expects stays as recorded', async () => {
  const entries = [...listMutations(), ...listOtherChallenges()].map(({ id, why: _why, title: _title, tests, code, ...each }) => {
    return [JSON.stringify({ ...each, code, tests: tests?.slug }), id] as const;
  });
  await expect(grouped(entries)).toMatchFileSnapshot('whole.txt');
});
