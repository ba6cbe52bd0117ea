import { expect, test } from 'vitest';
import { createPasskeys, type HeldPasskey } from '../../../src/simulate/load/passkeys.js';

/** Only its identity counts here. */
const passkey = (credentialId: string): HeldPasskey => Object.create({ credentialId });
const [a, b, c] = [passkey('a'), passkey('b'), passkey('c')];

test('the one that was used least recently logs in, and none twice at once', () => {
  const passkeys = createPasskeys(10);
  expect(passkeys.take()).toBeUndefined();
  for (const each of [a, b]) passkeys.add(each);
  expect([passkeys.take(), passkeys.take(), passkeys.take()]).toEqual([a, b, undefined]);
  passkeys.giveBack(b);
  passkeys.giveBack(a);
  expect(passkeys.take()).toBe(b);
});

test('of more than fit, each has the same chance to be held', () => {
  const draws = [0.5, 0.99];
  const passkeys = createPasskeys(2, () => draws.shift() ?? 0);
  for (const each of [a, b]) passkeys.add(each);
  // 0.5 of three is the second place.
  passkeys.add(c);
  expect(passkeys.held()).toEqual([a, c]);
  // 0.99 of four is none.
  passkeys.add(b);
  expect(passkeys.held()).toEqual([a, c]);
  expect(passkeys.registered).toBe(4);
});

test('what is no longer held does not come back', () => {
  const passkeys = createPasskeys(1, () => 0);
  passkeys.add(a);
  expect(passkeys.take()).toBe(a);
  passkeys.add(b);
  passkeys.giveBack(a);
  expect([passkeys.take(), passkeys.take()]).toEqual([b, undefined]);
});
