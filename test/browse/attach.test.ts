import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachBrowser } from '../../src/browse/attach.js';
import { listen } from '../targets/http.js';
import { until } from '../until.js';

test.each(['<!doctype html>', '{}', '{"webSocketDebuggerUrl":"nowhere"}'])('a port that answers %s is no browser', async (body) => {
  const { url, close } = await listen(() => (_request, response) => void response.end(body));
  onTestFinished(close);
  await expect(attachBrowser(url)).rejects.toMatchObject({
    code: 'target_unreachable',
    message: `No browser responds at ${url}. Start it with --remote-debugging-port=9222 --enable-unsafe-extension-debugging.`,
  });
});

const START = 'Start it with --remote-debugging-port=9222 --enable-unsafe-extension-debugging.';

/** The side of a WebSocket that a browser has: Node 20 has none of its own. */
function useSocket() {
  const sockets: Socket[] = [];
  class Socket extends EventTarget {
    readonly sent: string[] = [];
    closes = 0;
    readonly address: string;
    constructor(address: URL) {
      super();
      this.address = String(address);
      sockets.push(this);
    }
    send(text: string) {
      this.sent.push(text);
    }
    close() {
      this.closes += 1;
    }
  }
  vi.stubGlobal('WebSocket', Socket);
  onTestFinished(() => void vi.unstubAllGlobals());
  return sockets;
}

/** The port of a browser, and the paths that were asked for. */
async function startPort() {
  const paths: unknown[] = [];
  const socket = '{"Browser":"Chrome","webSocketDebuggerUrl":"ws://localhost:1/devtools/browser/7"}';
  const { url, close } = await listen(() => (request, response) => {
    paths.push(request.url);
    response.end(socket);
  });
  onTestFinished(close);
  return { port: new URL(url).port, paths };
}

describe('attachBrowser()', () => {
  test.each([
    (port: string) => port,
    (port: string) => `localhost:${port}`,
    (port: string) => `http://localhost:${port}`,
    (port: string) => `http://localhost:${port}/json/version`,
  ])('asks a port for the address of its browser (%#)', async (write) => {
    const sockets = useSocket();
    const { port, paths } = await startPort();
    const attaching = attachBrowser(write(port));
    await until(() => sockets.length === 1);
    sockets[0]?.dispatchEvent(new Event('open'));
    const devtools = await attaching;
    expect([paths, sockets[0]?.address]).toEqual([['/json/version'], 'ws://localhost:1/devtools/browser/7']);
    expect(devtools.failure).toBeUndefined();
  });

  test('carries commands and events, and notices that the browser goes', async () => {
    const [socket, devtools] = await open();
    const events: unknown[] = [];
    devtools.on(({ method }) => void events.push(method));
    const answer = devtools.send('Browser.getVersion');
    expect(socket.sent).toEqual(['{"id":1,"method":"Browser.getVersion","params":{}}']);
    socket.dispatchEvent(new MessageEvent('message', { data: '{"method":"Target.targetCreated"}' }));
    socket.dispatchEvent(new MessageEvent('message', { data: '{"id":1,"result":{"product":"Chrome"}}' }));
    expect([await answer, events]).toEqual([{ product: 'Chrome' }, ['Target.targetCreated']]);
    devtools.close();
    expect(socket.closes).toBe(1);
    socket.dispatchEvent(new Event('close'));
    await devtools.closed;
  });

  async function open() {
    const sockets = useSocket();
    const attaching = attachBrowser('ws://localhost:1/devtools/browser/8');
    await until(() => sockets.length === 1);
    const [socket] = sockets;
    if (socket === undefined) throw new Error('Expected a socket.');
    expect(socket.address).toBe('ws://localhost:1/devtools/browser/8');
    socket.dispatchEvent(new Event('open'));
    return [socket, await attaching] as const;
  }

  test('a socket that fails is closed, and one that is silent after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sockets = useSocket();
    const message = `No browser responds at ws://localhost:1/x. ${START}`;
    const failing = attachBrowser('ws://localhost:1/x');
    sockets[0]?.dispatchEvent(new Event('error'));
    await expect(failing).rejects.toMatchObject({ code: 'target_unreachable', message });
    const silent = attachBrowser('ws://localhost:1/x');
    silent.catch(() => {});
    vi.advanceTimersByTime(9_999);
    await nextTurn();
    expect(sockets.map(({ closes }) => closes)).toEqual([1, 0]);
    vi.advanceTimersByTime(1);
    await expect(silent).rejects.toMatchObject({ code: 'target_unreachable', message });
    expect(sockets.map(({ closes }) => closes)).toEqual([1, 1]);
  });

  test('refuses a text that is no address, a port on which nothing listens, and a Node without WebSocket', async () => {
    useSocket();
    await expect(attachBrowser('http://[')).rejects.toMatchObject({
      code: 'usage',
      message: "--attach expects a port or the address of a browser's DevTools; got http://[.",
    });
    await expect(attachBrowser('localhost:1')).rejects.toMatchObject({
      code: 'target_unreachable',
      message: `No browser responds at localhost:1. ${START}`,
      cause: expect.any(Error),
    });
    vi.stubGlobal('WebSocket', undefined);
    await expect(attachBrowser('ws://localhost:1/x')).rejects.toMatchObject({
      code: 'usage',
      message: '--attach needs Node 22 or newer. On Node 20, set NODE_OPTIONS=--experimental-websocket.',
    });
  });
});
