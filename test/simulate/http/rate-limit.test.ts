import { expect, test } from 'vitest';
import type { HttpAnswer, HttpTarget } from '../../../src/simulate/http/http.js';
import { retryRateLimited } from '../../../src/simulate/http/rate-limit.js';

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

/** How long a request that is answered 429 is to wait, in milliseconds; undefined: it is not repeated. */
async function readPause(headers: HttpAnswer['headers'], once?: true): Promise<number | undefined> {
  const stop = new AbortController();
  let pause: number | undefined;
  const target: HttpTarget = {
    url: new URL('http://localhost:7277'),
    send: async () => ({ status: 429, headers, json: undefined, text: '' }),
    close() {},
  };
  const { send: to } = retryRateLimited(target, {
    signal: stop.signal,
    onPause(milliseconds) {
      pause = milliseconds;
      stop.abort();
    },
  });
  await to({ method: 'POST', path: '/', ...(once && { once }) }).catch(() => undefined);
  return pause;
}

const DATE = 'Sat, 28 Nov 2026 12:00:00 GMT';

test.each<[headers: HttpAnswer['headers'], once: true | undefined, pause: number | undefined]>([
  [{ 'retry-after': '7' }, undefined, 7000],
  [{ 'retry-after': '7' }, true, 7000],
  [{ 'retry-after': 'Sat, 28 Nov 2026 12:00:09 GMT', date: DATE }, undefined, 9000],
  [{ 'retry-after': 'Sat, 28 Nov 2026 11:59:00 GMT', date: DATE }, true, 0],
  [{ 'x-retry-after': '11' }, undefined, 11_000],
  [{ 'ratelimit-reset': '13' }, undefined, 13_000],
  [{ 'retry-after': '120' }, undefined, 120_000],
  [{ 'retry-after': '121' }, undefined, undefined],
  [{}, undefined, 1000],
  [{ 'retry-after': 'soon' }, undefined, 1000],
  // A 429 without a word may be the refusal of what was sent.
  [{}, true, undefined],
])('after 429 with %j (sent once: %s) waits %s ms', async (headers, once, pause) => {
  expect(await readPause(headers, once)).toBe(pause);
});
