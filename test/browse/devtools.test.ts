import { describe, expect, test } from 'vitest';
import type { DevToolsEvent } from '../../src/browse/devtools.js';
import { PasskeyError } from '../../src/errors.js';
import { connectScripted } from './scripted-browser.js';

const REASON = new PasskeyError('target_unreachable', 'The browser no longer makes sense.');
const GONE = { code: 'target_unreachable', message: 'The browser has ended, or has closed the connection.' };

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  void promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('commands', () => {
  test('are numbered, and name their session only if they have one', () => {
    const { devtools, sent } = connectScripted();
    void devtools.send('Browser.getVersion');
    void devtools.send('Page.navigate', { url: 'about:blank' }, 'page');
    expect(sent).toStrictEqual([
      { id: 1, method: 'Browser.getVersion', params: {} },
      { id: 2, method: 'Page.navigate', params: { url: 'about:blank' }, sessionId: 'page' },
    ]);
  });

  test('get their own results, in whatever order those come', async () => {
    const { devtools, receive } = connectScripted(() => undefined);
    const [first, second, third] = [devtools.send('A'), devtools.send('B'), devtools.send('C')];
    receive('{"id":2,"result":{"of":"second"}}');
    receive('{"id":3,"error":{"code":-32000,"message":"No such target"}}');
    receive('{"id":"1","result":{"of":"a text"}}');
    receive('{"id":1,"result":{"of":"first"}}');
    receive('{"id":1,"error":{"message":"answered twice"}}');
    expect([await first, await second]).toEqual([{ of: 'first' }, { of: 'second' }]);
    await expect(third).rejects.toMatchObject({
      code: 'target_unreachable',
      message: 'The browser refused a command: No such target.',
    });
  });

  test('a result that is no object is an empty one', async () => {
    const { devtools, receive } = connectScripted(() => undefined);
    const sent = devtools.send('A');
    receive('{"id":1,"result":7}');
    expect(await sent).toEqual({});
  });
});

describe('events', () => {
  test('reach every listener, with the session of their page', () => {
    const { devtools, tell, receive } = connectScripted();
    const heard: (readonly [string, DevToolsEvent])[] = [];
    devtools.on((event) => void heard.push(['one', event]));
    devtools.on((event) => void heard.push(['other', event]));
    tell('Network.loadingFailed', { requestId: '7' }, 'page');
    receive('{"method":"Target.targetCreated","params":8,"sessionId":9}');
    const [first, second] = [
      { method: 'Network.loadingFailed', params: { requestId: '7' }, session: 'page' },
      { method: 'Target.targetCreated', params: {}, session: undefined },
    ];
    expect(heard).toStrictEqual([
      ['one', first],
      ['other', first],
      ['one', second],
      ['other', second],
    ]);
  });

  test('one that a listener cannot follow ends the connection, and keeps the cause', async () => {
    const { devtools, tell, closes } = connectScripted(() => undefined);
    const cause = new TypeError('Expected a request.');
    devtools.on(() => {
      throw cause;
    });
    const waiting = devtools.send('A');
    tell('Network.loadingFailed', {});
    const failure = { code: 'target_unreachable', message: 'The browser sent an event that this command cannot follow.', cause };
    await expect(waiting).rejects.toMatchObject(failure);
    expect(devtools.failure).toMatchObject(failure);
    expect(closes).toHaveLength(1);
  });
});

describe('the end of the connection', () => {
  test('a browser that goes ends all that waits for it', async () => {
    const { devtools, drop, closes } = connectScripted(() => undefined);
    const waiting = devtools.send('A');
    expect([await isSettled(devtools.over), await isSettled(devtools.closed)]).toEqual([false, false]);
    drop();
    await expect(waiting).rejects.toMatchObject(GONE);
    await expect(devtools.send('B')).rejects.toMatchObject(GONE);
    expect([await isSettled(devtools.over), await isSettled(devtools.closed)]).toEqual([true, true]);
    devtools.fail(REASON);
    expect([devtools.failure, closes]).toEqual([undefined, []]);
  });

  test('a failure closes the connection, and is what everything that waits gets', async () => {
    const { devtools, drop, sent, closes } = connectScripted(() => undefined);
    const waiting = devtools.send('A');
    devtools.fail(REASON);
    devtools.fail(new PasskeyError('target_unreachable', 'A later reason.'));
    await expect(waiting).rejects.toBe(REASON);
    await expect(devtools.send('B')).rejects.toBe(REASON);
    expect([devtools.failure, closes.length, sent.length]).toEqual([REASON, 1, 1]);
    // The browser has not closed its side.
    expect([await isSettled(devtools.over), await isSettled(devtools.closed)]).toEqual([true, false]);
    drop();
    expect(await isSettled(devtools.closed)).toBe(true);
    expect(devtools.failure).toBe(REASON);
  });

  test('close() asks the browser for it', async () => {
    const { devtools, closes } = connectScripted();
    devtools.close();
    expect([closes.length, devtools.failure, await isSettled(devtools.over)]).toEqual([1, undefined, false]);
  });

  test.each([
    [100, 'x'.repeat(100)],
    [101, `${'x'.repeat(100)}…`],
  ])('of a message of %i characters that is not of the protocol, as many are shown: %s', (length, shown) => {
    const { devtools, receive } = connectScripted();
    receive('x'.repeat(length));
    expect(devtools.failure).toMatchObject({
      code: 'target_unreachable',
      message: `Expected messages of the DevTools protocol from the browser; got "${shown}".`,
    });
  });
});
