import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { DiscoverableCredential } from '../../../src/authenticator/ports.js';
import { createClient } from '../../../src/client/client.js';
import { createAutofill } from '../../../src/testing/credentials/autofill.js';
import { creation, ORIGIN, RP_ID } from '../../client/ceremony.js';

/** Two discoverable credentials, the newest first. */
async function discover(): Promise<readonly [DiscoverableCredential, DiscoverableCredential]> {
  const authenticator = createAuthenticator();
  const client = createClient({ authenticator, origin: ORIGIN });
  for (const name of ['ada', 'bob']) await client.create({ publicKey: creation({ user: { id: btoa(name), name, displayName: name } }) });
  const [newest, oldest] = await authenticator.discover(RP_ID);
  if (newest === undefined || oldest === undefined) throw new Error('Expected two credentials.');
  return [newest, oldest];
}

test('the user picks from the list of the latest call, and the call ends', async () => {
  const offers = await discover();
  const autofill = createAutofill();
  const picks: unknown[] = [];
  const enter = (number: number) => {
    const place = autofill.enter({ rpId: RP_ID, offers: async () => await Promise.resolve(offers) });
    void place.picked.then((pick) => {
      picks.push([number, pick(offers)]);
      place.leave();
    });
    return place;
  };
  expect(autofill.waiting).toBe(0);
  enter(1);
  enter(2);
  expect(autofill.waiting).toBe(2);
  await autofill.pick();
  expect([picks, autofill.waiting]).toEqual([[[2, offers[0]]], 1]);
  await autofill.pick({ pick: (listed) => listed[1] });
  expect([picks[1], autofill.waiting]).toEqual([[1, offers[1]], 0]);
});

test('a pick waits for the call, and for its end', async () => {
  const autofill = createAutofill();
  let isPicked = false;
  const picking = autofill.pick({ timeout: 60_000 }).then(() => {
    isPicked = true;
  });
  const place = autofill.enter({ rpId: RP_ID, offers: discover });
  await place.picked;
  expect([isPicked, autofill.waiting]).toEqual([false, 0]);
  place.leave();
  await picking;
  expect(isPicked).toBe(true);
});

test('a call that leaves is in no list any more', async () => {
  const autofill = createAutofill();
  autofill.enter({ rpId: RP_ID, offers: discover }).leave();
  expect(autofill.waiting).toBe(0);
  await expect(autofill.pick({ timeout: 0 })).rejects.toThrow(
    new TypeError('Expected a page to call get() with mediation "conditional" within 0 ms; none has.'),
  );
});

test('an empty list has nothing to pick, and the call goes on waiting', async () => {
  const autofill = createAutofill();
  autofill.enter({ rpId: RP_ID, offers: async () => await Promise.resolve([]) });
  await expect(autofill.pick()).rejects.toThrow(
    new TypeError(`Expected a discoverable credential for ${RP_ID} in the autofill list; there is none. Register one first.`),
  );
  expect(autofill.waiting).toBe(1);
});
