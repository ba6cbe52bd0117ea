import { describe, expect, test } from 'vitest';
import { CeremonyMemory, DEFAULT_CEREMONY_LIMIT, LARGE, PLACE_SIZE } from '../../src/store/ceremony-memory.js';
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

  test('keeps as many as its limit says, of as many clients as there are; 200,000 by default', () => {
    const memory = new CeremonyMemory(2_000);
    expect(DEFAULT_CEREMONY_LIMIT).toBe(200_000);
    for (let index = 0; index < 2_100; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index % 70}` }));
    expect(memory.size).toBe(2_000);
  });

  test('a crowd of clients with four ceremonies each crowds out nobody who has one', () => {
    const memory = new CeremonyMemory(2_000);
    const honest = [challengeOf(10_000), challengeOf(10_001)];
    for (const [index, challenge] of honest.entries()) memory.save(newCeremony({ challenge, client: `honest ${index}` }));
    for (let index = 0; index < 2_400; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index % 600}` }));
    expect(memory.size).toBe(2_000);
    for (const challenge of honest) expect(memory.take(challenge, START).status).toBe('open');
  });

  test('never keeps more than its limit, and makes room with the oldest of a client that has the most', () => {
    const limit = 60;
    const clients = ['a', 'b', 'c', 'd'];
    const step = fc.record({
      client: fc.constantFrom(...clients),
      places: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 8 })),
      wait: fc.integer({ min: 0, max: 7_200 }),
      again: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const memory = new CeremonyMemory(limit);
        let kept: Kept[] = [];
        let now = START;
        steps.forEach(({ client, places, wait, again }, step) => {
          now += wait;
          const index = again ? (kept[0]?.index ?? step) : step;
          memory.save(
            newCeremony({ challenge: challengeOf(index), client, options: weighing(places), issuedAt: now, expiresAt: now + 120_000 }),
          );
          kept = kept.filter((entry) => entry.index !== index && entry.forgottenAt > now);
          const there = kept.filter((entry) => memory.take(challengeOf(entry.index), now).status !== 'unknown');
          const added = { index, client, places, forgottenAt: now + 240_000 };
          const gone = kept.filter((entry) => !there.includes(entry));
          expect(isInOrder(gone, kept, { added, limit })).toBe(true);
          kept = [...there, added];
          expect(memory.size).toBe(kept.length);
          expect(sum(kept)).toBeLessThanOrEqual(limit);
        });
      }),
    );
  });

  test('a user with 200 passkeys of the longest ids keeps no more than what the places hold, and nobody else loses any', () => {
    const memory = new CeremonyMemory(10_000);
    const excludeCredentials = Array.from({ length: 200 }, () => ({ id: 'A'.repeat(1364), type: 'public-key', transports: ['usb'] }));
    const others = Array.from({ length: 500 }, (_, index) => challengeOf(10_000 + index));
    for (const [index, challenge] of others.entries()) memory.save(newCeremony({ challenge, client: `${index}` }));
    for (let index = 0; index < 300; index += 1) {
      memory.save(newCeremony({ challenge: challengeOf(index), client: 'User:1', options: { excludeCredentials } }));
    }
    const kept = memory.size - others.length;
    expect(kept).toBe(17);
    expect(kept * JSON.stringify({ excludeCredentials }).length).toBeLessThanOrEqual(10_000 * PLACE_SIZE);
    expect(memory.take(challengeOf(299), START)).toMatchObject({ status: 'open', ceremony: { options: { excludeCredentials } } });
    for (const challenge of others) expect(memory.take(challenge, START).status).toBe('open');
  });

  test('a large ceremony that finds no room but that of clients who hold less is refused, and costs them nothing', () => {
    const memory = new CeremonyMemory(400);
    for (let index = 0; index < 400; index += 1) memory.save(newCeremony({ challenge: challengeOf(index), client: `${index}` }));
    const large = newCeremony({ challenge: challengeOf(400), client: 'large', options: weighing(LARGE + 1) });
    expect(() => memory.save(large)).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        message:
          'There is no room for a ceremony of 9 KB: 400 ceremonies of other clients take it up. Use fewer credentials in its options, or try again later.',
      }),
    );
    expect(memory.size).toBe(400);
    memory.save(newCeremony({ challenge: challengeOf(401), client: 'small', options: weighing(LARGE) }));
    expect(memory.size).toBe(400 - LARGE + 1);
    expect(memory.take(challengeOf(400), START).status).toBe('unknown');
    expect(memory.take(challengeOf(401), START).status).toBe('open');
  });

  test('one that takes more than a tenth of all places is refused, even where nobody else is', () => {
    const memory = new CeremonyMemory(400);
    memory.save(newCeremony({ options: weighing(40) }));
    expect(() => memory.save(newCeremony({ options: weighing(41) }))).toThrow(expect.objectContaining({ code: 'store_unavailable' }));
    expect(memory.size).toBe(1);
  });

  test('what lies outside of Latin-1 counts twice, as it takes twice the memory', () => {
    const memory = new CeremonyMemory(100);
    const names = (letter: string) => newCeremony({ client: 'User:1', options: { name: letter.repeat(PLACE_SIZE) } });
    for (let index = 0; index < 60; index += 1) memory.save(names('ü'));
    expect(memory.size).toBe(50);
    for (let index = 0; index < 60; index += 1) memory.save(names('名'));
    expect(memory.size).toBe(33);
  });
});

interface Kept {
  readonly index: number;
  readonly client: string;
  readonly places: number;
  readonly forgottenAt: number;
}

/** Options that make a ceremony take exactly so many places: its other text takes a part of the first. */
function weighing(places: number): { readonly name: string } {
  return { name: 'x'.repeat((places - 1) * PLACE_SIZE) };
}

const sum = (entries: readonly Kept[]): number => entries.reduce((total, { places }) => total + places, 0);

/** Whether `gone` can have gone one after the other, each the oldest of a client with the most (`added` counts), until all fits. */
function isInOrder(gone: readonly Kept[], kept: readonly Kept[], given: { readonly added: Kept; readonly limit: number }): boolean {
  const { added, limit } = given;
  if (sum(kept) + added.places <= limit) return gone.length === 0;
  const placesOf = (client: string) => sum([...kept, added].filter((entry) => entry.client === client));
  const clients = [...new Set(kept.map(({ client }) => client))];
  const most = Math.max(...clients.map(placesOf));
  const next = gone.filter((entry) => placesOf(entry.client) === most && kept.find(({ client }) => client === entry.client) === entry);
  const without = (entries: readonly Kept[], entry: Kept) => entries.filter((each) => each !== entry);
  return next.some((entry) => isInOrder(without(gone, entry), without(kept, entry), given));
}
