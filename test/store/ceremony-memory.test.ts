import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CeremonyMemory, DEFAULT_CEREMONY_LIMIT, PLACE_SIZE } from '../../src/store/ceremony-memory.js';
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

  test('what is heavy takes as many places as it weighs, out of those of the client that has the most', () => {
    const limit = 60;
    const clients = ['a', 'b', 'c', 'd'];
    const step = fc.record({ client: fc.constantFrom(...clients), places: fc.integer({ min: 1, max: 8 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = new CeremonyMemory(limit);
        let kept: Kept[] = [];
        steps.forEach(({ client, places }, index) => {
          memory.save(newCeremony({ challenge: challengeOf(index), client, options: weighing(places) }));
          const counted = Math.min(places, limit / 10);
          const there = kept.filter((entry) => memory.take(challengeOf(entry.index), START).status !== 'unknown');
          const gone = kept.filter((entry) => !there.includes(entry));
          expect(isInOrder(gone, kept, limit - counted)).toBe(true);
          kept = [...there, { index, client, places: counted }];
          expect(memory.size).toBe(kept.length);
          expect(sum(kept)).toBeLessThanOrEqual(limit);
        });
      }),
    );
  });

  test('a user with 200 passkeys of the longest ids keeps no more than what the places hold, and nobody else loses any', () => {
    const memory = new CeremonyMemory();
    const excludeCredentials = Array.from({ length: 200 }, () => ({ id: 'A'.repeat(1364), type: 'public-key', transports: ['usb'] }));
    const others = Array.from({ length: 500 }, (_, index) => challengeOf(10_000 + index));
    for (const [index, challenge] of others.entries()) memory.save(newCeremony({ challenge, client: `${index}` }));
    for (let index = 0; index < 300; index += 1) {
      memory.save(newCeremony({ challenge: challengeOf(index), client: 'User:1', options: { excludeCredentials } }));
    }
    const kept = memory.size - others.length;
    expect(kept).toBeGreaterThan(100);
    expect(kept * JSON.stringify({ excludeCredentials }).length).toBeLessThanOrEqual(DEFAULT_CEREMONY_LIMIT * PLACE_SIZE);
    expect(memory.take(challengeOf(299), START)).toMatchObject({ status: 'open', ceremony: { options: { excludeCredentials } } });
    for (const challenge of others) expect(memory.take(challenge, START).status).toBe('open');
  });

  test('one that outweighs everything is kept, and takes a tenth of the places', () => {
    const memory = new CeremonyMemory(100);
    for (let index = 0; index < 100; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index}` }));
    for (const index of [100, 101]) {
      memory.save(newCeremony({ challenge: challengeOf(index), client: 'heavy', options: weighing(1_000) }));
      expect(memory.size).toBe(91);
      expect(memory.take(challengeOf(index), START).status).toBe('open');
    }
  });
});

interface Kept {
  readonly index: number;
  readonly client: string;
  readonly places: number;
}

/** Options of exactly so many places. */
function weighing(places: number): { readonly name: string } {
  return { name: 'x'.repeat(places * PLACE_SIZE - '{"name":""}'.length) };
}

const sum = (entries: readonly Kept[]): number => entries.reduce((total, { places }) => total + places, 0);

/** Whether `gone` can have gone one after the other, each the oldest of a client with the most, until the rest fits. */
function isInOrder(gone: readonly Kept[], kept: readonly Kept[], room: number): boolean {
  if (sum(kept) <= room) return gone.length === 0;
  const placesOf = (client: string) => sum(kept.filter((entry) => entry.client === client));
  const most = Math.max(...kept.map(({ client }) => placesOf(client)));
  const next = gone.filter((entry) => placesOf(entry.client) === most && kept.find(({ client }) => client === entry.client) === entry);
  const without = (entries: readonly Kept[], entry: Kept) => entries.filter((each) => each !== entry);
  return next.some((entry) => isInOrder(without(gone, entry), without(kept, entry), room));
}
