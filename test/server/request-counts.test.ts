import { expect, test } from 'vitest';
import { createRequestCounts } from '../../src/server/rate-limit.js';

const WINDOW = 60_000;

function counts(maxClients?: number) {
  const clock = { now: 1_000 };
  const { add } = createRequestCounts(() => clock.now, maxClients);
  return {
    clock,
    add: (client: string) => add(client, WINDOW),
  };
}

test('a window begins with the first request of a client and ends for it alone', () => {
  const { clock, add } = counts();
  expect(add('a')).toEqual({ current: 1, ttl: 60_000 });
  clock.now += 20_000;
  expect(add('a')).toEqual({ current: 2, ttl: 40_000 });
  expect(add('b')).toEqual({ current: 1, ttl: 60_000 });
  clock.now += 40_000;
  expect(add('a')).toEqual({ current: 1, ttl: 60_000 });
  expect(add('b')).toEqual({ current: 2, ttl: 20_000 });
});

test('with room for a hundred clients, the one that has not asked for longest is forgotten', () => {
  const { add } = counts(100);
  for (let index = 0; index < 100; index++) add(`client ${index}`);
  add('client 0');
  add('new');
  expect(add('client 0')).toMatchObject({ current: 3 });
  expect(add('client 1')).toMatchObject({ current: 1 });
});
