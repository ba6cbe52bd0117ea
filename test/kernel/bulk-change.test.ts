import { expect, test } from 'vitest';
import { inSteps } from '../../src/kernel/bulk-change.js';

const things = Array.from({ length: 1200 }, (_, index) => index);

test('hands out everything, in order and in parts, and tells how far it is', () => {
  const told: number[] = [];
  const parts = [...inSteps(things, { onProgress: (done) => told.push(done) })];
  expect(parts.flat()).toStrictEqual(things);
  expect(told).toStrictEqual([500, 1000, 1200]);
  expect([...inSteps([], { onProgress: (done) => told.push(done) })]).toStrictEqual([]);
});

test('stops after the part during which it is told to', () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const seen: number[] = [];
  const work = () => {
    for (const part of inSteps(things, { signal: controller.signal })) {
      seen.push(part.length);
      controller.abort(reason);
    }
  };
  expect(work).toThrow(reason);
  expect(seen).toStrictEqual([500]);
  expect(() => [...inSteps([], { signal: controller.signal })]).toThrow(reason);
});
