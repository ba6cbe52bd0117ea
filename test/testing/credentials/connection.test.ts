import { describe, expect, test } from 'vitest';
import type { Ceremony } from '../../../src/testing/credentials/ceremony.js';
import { alreadyPending, createConnection } from '../../../src/testing/credentials/connection.js';
import type { PageMessage } from '../../../src/testing/credentials/messages.js';

const PAGE = { origin: 'https://shop.example' };
const options = { publicKey: { challenge: 'AQ' } };
const call = (ceremony: number, isSecond = false): PageMessage => ({ operation: 'get', ceremony, options, isSecond });
const signal = (isSecond = false): PageMessage => ({ operation: 'signalUnknownCredential', options: { a: 1 }, isSecond });
const page = () => PAGE;

/** Documents of tabs, whose calls end when the test says. */
function openTabs() {
  const pending = new WeakMap<object, AbortController>();
  const calls: { readonly ceremony: Ceremony; readonly isFree: boolean; readonly page: object; end(error?: Error): void }[] = [];
  const signals: unknown[] = [];
  const connect = (tab: object) =>
    createConnection({
      tab,
      pending,
      call: async (given, ceremony, isFree) =>
        await new Promise((resolve, reject) => {
          const end = (error?: Error) => (error === undefined ? resolve('ended') : reject(error));
          calls.push({ page: given, ceremony, isFree, end });
        }),
      capabilities: () => ({ conditionalGet: true }),
      signal: async (...given) => void signals.push(given),
    });
  return { connect, calls, signals, isPending: (tab: object) => pending.has(tab) };
}

const tick = async () => await new Promise((resolve) => setImmediate(resolve));
const PENDING = {
  ok: false,
  error: {
    kind: 'DOMException',
    name: 'OperationError',
    message: 'Expected no request of this page to be pending; there is one. Abort it first.',
  },
};

test('the error of a second request', () => {
  expect(alreadyPending()).toMatchObject({ name: 'OperationError', message: PENDING.error.message });
});

describe('a connection', () => {
  test('answers what needs no client', async () => {
    const { connect, calls } = openTabs();
    const connection = connect({});
    expect(await connection.answer({ operation: 'begin' }, page)).toEqual({ ok: true, value: undefined });
    expect(await connection.answer({ operation: 'capabilities' }, page)).toEqual({ ok: true, value: { conditionalGet: true } });
    expect(await connection.answer({ operation: 'abort', ceremony: 9 }, page)).toEqual({ ok: true, value: undefined });
    expect(calls).toEqual([]);
  });

  test('passes a call on, with the page that calls, and gives what it ends with', async () => {
    const tab = {};
    const { connect, calls, isPending } = openTabs();
    const connection = connect(tab);
    const first = connection.answer(call(1), async () => await Promise.resolve(PAGE));
    await tick();
    expect(calls[0]).toMatchObject({ page: PAGE, ceremony: { operation: 'get', options }, isFree: true });
    expect([isPending(tab), calls[0]?.ceremony.signal.aborted]).toEqual([true, false]);
    calls[0]?.end();
    expect(await first).toEqual({ ok: true, value: 'ended' });
    expect(isPending(tab)).toBe(false);
    const second = connection.answer({ ...call(2), operation: 'create' } as PageMessage, page);
    await tick();
    expect(calls[1]).toMatchObject({ ceremony: { operation: 'create' }, isFree: true });
    calls[1]?.end(new RangeError('Too far.'));
    expect(await second).toEqual({ ok: false, error: { kind: 'RangeError', name: 'RangeError', message: 'Too far.' } });
    expect(isPending(tab)).toBe(false);
  });

  test('is free for one request of its tab at a time', async () => {
    const [tab, other] = [{}, {}];
    const { connect, calls, isPending } = openTabs();
    const [document, frame, elsewhere] = [connect(tab), connect(tab), connect(other)];
    const answers = [
      document.answer(call(1), page),
      document.answer(call(2), page),
      frame.answer(call(1), page),
      elsewhere.answer(call(1), page),
      connect({}).answer(call(1, true), page),
    ];
    await tick();
    expect(calls.map(({ isFree }) => isFree)).toEqual([true, false, false, true, false]);
    calls[1]?.end();
    calls[2]?.end();
    await answers[2];
    // The first is still pending.
    expect(isPending(tab)).toBe(true);
    for (const { end } of calls) end();
    await Promise.all(answers);
    expect([isPending(tab), isPending(other)]).toEqual([false, false]);
  });

  test('aborts a call, after which its tab is free at once', async () => {
    const tab = {};
    const { connect, calls, isPending } = openTabs();
    const connection = connect(tab);
    const answers = [connection.answer(call(1), page)];
    await tick();
    await connection.answer({ operation: 'abort', ceremony: 2 }, page);
    expect([calls[0]?.ceremony.signal.aborted, isPending(tab)]).toEqual([false, true]);
    await connection.answer({ operation: 'abort', ceremony: 1 }, page);
    expect([calls[0]?.ceremony.signal.aborted, isPending(tab)]).toEqual([true, false]);
    answers.push(connection.answer(call(2), page));
    await tick();
    calls[0]?.end();
    await answers[0];
    // The end of the first does not end the second.
    expect([calls[1]?.isFree, isPending(tab)]).toEqual([true, true]);
    calls[1]?.end();
    await answers[1];
  });

  test('aborts all calls when the document is gone', async () => {
    const tab = {};
    const { connect, calls, isPending } = openTabs();
    const connection = connect(tab);
    const answers = [connection.answer(call(1), page), connection.answer(call(2), page)];
    await tick();
    connection.close();
    expect([calls.map(({ ceremony }) => ceremony.signal.aborted), isPending(tab)]).toEqual([[true, true], false]);
    for (const { end } of calls) end();
    await Promise.all(answers);
  });

  test('passes a signal on unless a request is pending', async () => {
    const tab = {};
    const { connect, calls, signals } = openTabs();
    const connection = connect(tab);
    expect(await connection.answer(signal(), page)).toEqual({ ok: true, value: undefined });
    expect(await connection.answer(signal(true), page)).toEqual(PENDING);
    const running = connection.answer(call(1), page);
    await tick();
    expect(await connect(tab).answer(signal(), page)).toEqual(PENDING);
    calls[0]?.end();
    await running;
    expect(signals).toEqual([[PAGE, 'signalUnknownCredential', { a: 1 }]]);
  });
});
