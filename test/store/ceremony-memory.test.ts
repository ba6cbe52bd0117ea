import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CeremonyMemory, DEFAULT_CEREMONY_LIMIT } from '../../src/store/ceremony-memory.js';
import { newCeremony, START } from '../contract/samples.js';

const challengeOf = (index: number): Uint8Array => new Uint8Array(new BigUint64Array([BigInt(index)]).buffer);

describe('CeremonyMemory', () => {
  test('forgets what is past twice its lifetime when new ones come', () => {
    const memory = new CeremonyMemory();
    for (let index = 0; index < 100; index += 1) memory.save(newCeremony({ challenge: challengeOf(index) }));
    memory.save(newCeremony({ challenge: challengeOf(100), issuedAt: START + 239_999, expiresAt: START + 359_999 }));
    expect(memory.size).toBe(101);
    memory.save(newCeremony({ challenge: challengeOf(101), issuedAt: START + 240_000, expiresAt: START + 360_000 }));
    expect(memory.size).toBe(2);
  });

  test('keeps 10,000 by default, of as many clients as there are', () => {
    const memory = new CeremonyMemory();
    expect(DEFAULT_CEREMONY_LIMIT).toBe(10_000);
    for (let index = 0; index < 30_000; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index % 7_000}` }));
    expect(memory.size).toBe(10_000);
  });

  test('never keeps more than its limit, and makes room with the oldest of a client that has the most', () => {
    const limit = 6;
    const step = fc.record({ client: fc.constantFrom('a', 'b', 'c', 'd'), wait: fc.integer({ min: 0, max: 40 }), again: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = new CeremonyMemory(limit);
        let kept: { index: number; client: string; forgottenAt: number }[] = [];
        let now = START;
        steps.forEach(({ client, wait, again }, step) => {
          now += wait;
          const index = again ? (kept[0]?.index ?? step) : step;
          memory.save(newCeremony({ challenge: challengeOf(index), client, issuedAt: now, expiresAt: now + 100 }));
          kept = kept.filter((entry) => entry.index !== index && entry.forgottenAt > now);
          const there = kept.filter((entry) => memory.take(challengeOf(entry.index), now).status !== 'unknown');
          const gone = kept.filter((entry) => !there.includes(entry));
          expect(gone).toHaveLength(Math.max(0, kept.length + 1 - limit));
          for (const { client: evicted, index: evictedIndex } of gone) {
            const count = (name: string) => kept.filter((entry) => entry.client === name).length;
            expect(count(evicted)).toBe(Math.max(...['a', 'b', 'c', 'd'].map(count)));
            expect(kept.find((entry) => entry.client === evicted)?.index).toBe(evictedIndex);
          }
          kept = [...there, { index, client, forgottenAt: now + 200 }];
          expect(memory.size).toBe(kept.length);
        });
      }),
    );
  });
});
