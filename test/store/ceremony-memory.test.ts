import { describe, expect, test } from 'vitest';
import { CeremonyMemory } from '../../src/store/ceremony-memory.js';
import { newCeremony, START } from '../contract/samples.js';
import { fc } from '../properties.js';

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

  test('keeps as many as its limit says, of as many clients as there are; 50,000 by default', () => {
    const sample = newCeremony();
    for (const [memory, limit] of [
      [new CeremonyMemory(2_000), 2_000],
      [new CeremonyMemory(), 50_000],
    ] as const) {
      for (let index = 0; index < limit + 100; index += 1) {
        memory.save({ ...sample, challenge: challengeOf(index), client: `${index % 70}` });
      }
      expect(memory.size).toBe(limit);
    }
  });

  test('a crowd of clients with four ceremonies each leaves a client with one its own', () => {
    const memory = new CeremonyMemory(2_000);
    const honest = [challengeOf(10_000), challengeOf(10_001)];
    for (const [index, challenge] of honest.entries()) memory.save(newCeremony({ challenge, client: `honest ${index}` }));
    for (let index = 0; index < 2_400; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index % 600}` }));
    expect(memory.size).toBe(2_000);
    for (const challenge of honest) expect(memory.take(challenge, START).status).toBe('open');
  });

  test('never keeps more than its limit, and makes room with the oldest of a client that has the most', () => {
    const limit = 20;
    const clients = ['a', 'b', 'c', 'd'];
    const step = fc.record({
      client: fc.constantFrom(...clients),
      wait: fc.integer({ min: 0, max: 7_200 }),
      again: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const memory = new CeremonyMemory(limit);
        let kept: Kept[] = [];
        let now = START;
        steps.forEach(({ client, wait, again }, step) => {
          now += wait;
          const index = again ? (kept[0]?.index ?? step) : step;
          memory.save(newCeremony({ challenge: challengeOf(index), client, issuedAt: now, expiresAt: now + 120_000 }));
          kept = kept.filter((entry) => entry.index !== index && entry.forgottenAt > now);
          const there = kept.filter((entry) => memory.take(challengeOf(entry.index), now).status !== 'unknown');
          const added = { index, client, forgottenAt: now + 240_000 };
          const gone = kept.filter((entry) => !there.includes(entry));
          expect(isInOrder(gone, kept, { added, limit })).toBe(true);
          kept = [...there, added];
          expect(memory.size).toBe(kept.length);
          expect(kept.length).toBeLessThanOrEqual(limit);
        });
      }),
    );
  });
});

interface Kept {
  readonly index: number;
  readonly client: string;
  readonly forgottenAt: number;
}

/** Whether `gone` can have gone one after the other, each the oldest of a client with the most (`added` counts), until all fits. */
function isInOrder(gone: readonly Kept[], kept: readonly Kept[], given: { readonly added: Kept; readonly limit: number }): boolean {
  const { added, limit } = given;
  if (kept.length + 1 <= limit) return gone.length === 0;
  const countOf = (client: string) => [...kept, added].filter((entry) => entry.client === client).length;
  const clients = [...new Set(kept.map(({ client }) => client))];
  const most = Math.max(...clients.map(countOf));
  const next = gone.filter((entry) => countOf(entry.client) === most && kept.find(({ client }) => client === entry.client) === entry);
  const without = (entries: readonly Kept[], entry: Kept) => entries.filter((each) => each !== entry);
  return next.some((entry) => isInOrder(without(gone, entry), without(kept, entry), given));
}
