import type { WebSocket as NodeWebSocket } from 'undici-types';
import { PasskeyError } from '../errors.js';
import { asObject } from '../kernel/json-value.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { DevTools } from './devtools.js';

/**
 * Connects to the DevTools of a browser that is already running.
 *
 * @param endpoint `9222`, `localhost:9222`, `http://localhost:9222`, or the `ws:` address of the browser's DevTools.
 * @throws PasskeyError `usage` if `endpoint` is not an address, or if this is Node 20, which has no WebSocket; `target_unreachable` if no
 * browser responds.
 */
export async function attachBrowser(endpoint: string): Promise<DevTools> {
  const address = parseUrl(endpoint.startsWith('ws:') ? endpoint : await findSocket(endpoint));
  if (address === undefined) throw unreachable(endpoint);
  const WebSocket = findWebSocket();
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(unreachable(endpoint)));
    setTimeout(() => reject(unreachable(endpoint)), ANSWER_WITHIN).unref();
  }).catch((cause: unknown) => {
    socket.close();
    throw cause;
  });
  return new DevTools(({ receive, closed }) => {
    socket.addEventListener('message', ({ data }) => receive(String(data)));
    socket.addEventListener('close', closed);
    return { send: (text) => socket.send(text), close: () => socket.close() };
  });
}

function findWebSocket(): typeof NodeWebSocket {
  const WebSocket: typeof NodeWebSocket | undefined = Reflect.get(globalThis, 'WebSocket');
  if (WebSocket !== undefined) return WebSocket;
  throw new PasskeyError('usage', '--attach needs Node 22 or newer. On Node 20, set NODE_OPTIONS=--experimental-websocket.');
}

/** How long the DevTools port may take to respond, in milliseconds. */
const ANSWER_WITHIN = 10_000;

/** Requests the browser's WebSocket address from its DevTools port. */
async function findSocket(endpoint: string): Promise<string> {
  const url = parseUrl(/^\d+$/.test(endpoint) ? `http://localhost:${endpoint}` : endpoint.replace(/^(?!https?:)/, 'http://'));
  if (url === undefined) {
    throw new PasskeyError('usage', `--attach expects a port or the address of a browser's DevTools; got ${endpoint}.`);
  }
  const answer = await fetch(new URL('/json/version', url), { signal: AbortSignal.timeout(ANSWER_WITHIN) })
    .then((response) => response.json())
    .catch((cause: unknown) => {
      throw unreachable(endpoint, cause);
    });
  return String(asObject(answer)['webSocketDebuggerUrl']);
}

function unreachable(endpoint: string, cause?: unknown): PasskeyError {
  const flags = '--remote-debugging-port=9222 --enable-unsafe-extension-debugging';
  return new PasskeyError('target_unreachable', `No browser responds at ${endpoint}. Start it with ${flags}.`, { cause });
}
