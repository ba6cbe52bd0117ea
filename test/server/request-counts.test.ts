import { describe, expect, test } from 'vitest';
import { createRequestCounts } from '../../src/server/rate-limit.js';

const WINDOW = 60_000;

function counts(maxClients?: number) {
  const clock = { now: 1_000 };
  const { add } = createRequestCounts(() => clock.now, maxClients);
  return {
    clock,
    add: (client: string) => add(client, WINDOW),
    times: (client: string, n: number) => Array.from({ length: n }, () => add(client, WINDOW)).at(-1),
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

describe('with room for a hundred clients', () => {
  test('one with many requests is remembered, however many others ask once', () => {
    const { add, times } = counts(100);
    times('attacker', 120);
    for (let index = 0; index < 10_000; index++) add(`other ${index}`);
    expect(add('attacker')).toMatchObject({ current: 121 });
  });

  test('of those with few requests, the oldest is forgotten', () => {
    const { add } = counts(100);
    for (let index = 0; index < 101; index++) add(`client ${index}`);
    expect(add('client 1')).toMatchObject({ current: 2 });
    expect(add('client 0')).toMatchObject({ current: 1 });
  });

  test('one with half as many requests is forgotten first, whoever came first', () => {
    const { add, times } = counts(100);
    for (let index = 0; index < 99; index++) times(`busy ${index}`, 4);
    times('quiet', 2);
    add('new');
    expect(add('quiet')).toMatchObject({ current: 1 });
    expect(add('busy 0')).toMatchObject({ current: 5 });
  });

  test('counts whose window is over make room first', () => {
    const { clock, add, times } = counts(100);
    for (let index = 0; index < 99; index++) times(`old ${index}`, 100);
    clock.now += WINDOW - 1;
    add('young');
    clock.now += 1;
    for (let index = 0; index < 99; index++) add(`new ${index}`);
    expect(add('young')).toMatchObject({ current: 2 });
  });
});
