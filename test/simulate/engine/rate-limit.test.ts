import { expect, test } from 'vitest';
import type { HttpTarget } from '../../../src/simulate/engine/http.js';
import { retryRateLimited } from '../../../src/simulate/engine/rate-limit.js';

/** Takes so many requests, and so many more after each pause. */
function limitedTo(most: number) {
  let [left, pauses] = [most, 0];
  const target: HttpTarget = {
    url: new URL('http://localhost:7277'),
    async send() {
      left -= 1;
      const limited = left < 0;
      return { status: limited ? 429 : 200, headers: limited ? { 'retry-after': '0' } : {}, json: undefined, text: '' };
    },
    close() {},
  };
  const onPause = () => {
    pauses += 1;
    left = most;
  };
  return { target: retryRateLimited(target, { onPause }), countPauses: () => pauses };
}

const send = async ({ send: to }: HttpTarget): Promise<number> => (await to({ method: 'GET', path: '/' })).status;

test.each([
  ['each of six requests at once gets its answer where a pause lets one through', 1, 5],
  ['those that a pause lets through wait once', 3, 1],
])('%s', async (_, most, pauses) => {
  const { target, countPauses } = limitedTo(most);
  const statuses = await Promise.all(Array.from({ length: 6 }, () => send(target)));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  expect(countPauses()).toBe(pauses);
});

test('a request that begins during the pause of another waits for its end', async () => {
  const { target, countPauses } = limitedTo(1);
  const first = [send(target), send(target)];
  await Promise.resolve();
  expect(await Promise.all([...first, send(target)])).toEqual([200, 200, 200]);
  expect(countPauses()).toBe(2);
});
