import { expect, test } from 'vitest';
import { caseKey } from '../../../src/simulate/engine/report.js';
import { type Scenario, takeShard } from '../../../src/simulate/engine/scenario.js';
import { listCases } from '../../../src/simulate/simulate.js';

const COUNT = 5;

const keysOf = (listed: readonly Pick<Scenario, 'id' | 'replay'>[]) => listed.map((each) => caseKey(each));

test('the parts of a run have all of it, fixtures too, and nothing twice', async () => {
  const options = { fixtures: ['fixtures'] };
  const whole = keysOf(await listCases(options));
  const parts = await Promise.all(
    Array.from({ length: COUNT }, (_, index) => listCases({ ...options, select: { shard: { index: index + 1, count: COUNT } } })),
  );
  expect(parts.flatMap((part) => keysOf(part)).toSorted()).toEqual(whole.toSorted());
  for (const part of parts) expect(part.length).toBeGreaterThan((whole.length / COUNT) * 0.7);
});

test('a case that is added moves no other, and an empty part is refused', () => {
  const scenario = (id: string): Scenario => ({
    id,
    source: 'case',
    title: '',
    tags: [],
    expected: '',
    run: () => Promise.resolve({ status: 'passed' }),
  });
  const some = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => scenario(id));
  const shard = { index: 1, count: 2 };
  const before = keysOf(takeShard(some, shard));
  expect(keysOf(takeShard([scenario('added'), ...some], shard)).filter((id) => id !== 'added')).toEqual(before);
  expect(() => takeShard([scenario('a')], { index: 1, count: 1000 })).toThrow('--shard: part 1/1000 has none of the 1 selected cases.');
});
