import { asObject, type JsonObject } from '../kernel/json-value.js';
import type { Observation, Override, SentRequest, World } from '../testing/page/driver.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { DevTools, DevToolsEvent } from './devtools.js';
import { waitUntil } from './wait.js';

/** Types of resources whose responses a page must have received before it counts as idle. Only the bodies of these responses are read. */
const AWAITED: ReadonlySet<unknown> = new Set(['Document', 'XHR', 'Fetch']);
/** How long a page may take to report a request that the browser has paused, in milliseconds. */
const REPORTED = 500;

interface Seen {
  readonly sent: SentRequest;
  readonly isAwaited: boolean;
  status: number;
  headers: Readonly<Record<string, string>>;
}

/**
 * Reports the requests and responses of a page and its frames. If the simulated world overrides a response, sends that response instead.
 */
export function createTraffic(
  devtools: DevTools,
  { observe, answer }: { readonly observe: (observation: Observation) => void; readonly answer: World['answer'] },
) {
  const sessions = new Set<string>();
  /** Requests that have no response yet, by the ID that the browser gave the request. */
  const open = new Map<string, Seen>();
  const cookies = new Map<string, boolean>();
  /** Origins of frames, by the ID of the frame. */
  const frames = new Map<unknown, string | undefined>();
  const edits = new Map<string, (body: string) => string>();
  let last = 0;

  const take = (key: string, { request, type, frameId, loaderId, requestId }: JsonObject): SentRequest => {
    const before = open.get(key);
    if (before !== undefined) return before.sent;
    const { method, url, headers, postData } = asObject(request);
    last += 1;
    const sent: SentRequest = {
      id: last,
      method: String(method),
      url: String(url),
      headers: lowerCase(asObject(headers)),
      body: typeof postData === 'string' ? postData : '',
      isNavigation: type === 'Document' && (loaderId === undefined || loaderId === requestId),
      origin: frames.get(frameId) ?? '',
    };
    open.set(key, { sent, isAwaited: AWAITED.has(type), status: 0, headers: {} });
    observe({ kind: 'request', ...sent });
    return sent;
  };

  const observeAnswer = (key: string, { sent, status, headers }: Seen, body: string | undefined): void => {
    observe({ kind: 'answer', request: sent.id, status, headers, body, sentCookie: cookies.get(key) });
    open.delete(key);
  };

  const end = async (key: string, readBody?: () => Promise<string | undefined>): Promise<void> => {
    const found = open.get(key);
    if (found === undefined) return;
    observeAnswer(key, found, found.isAwaited ? await readBody?.().catch(() => undefined) : undefined);
    cookies.delete(key);
  };

  const hear = ({ method, params, session }: DevToolsEvent): void => {
    if (session === undefined || !sessions.has(session)) return;
    const key = String(params['networkId'] ?? params['requestId']);
    if (method === 'Page.frameNavigated') {
      const { id, url } = asObject(params['frame']);
      frames.set(id, parseUrl(String(url))?.origin);
    } else if (method === 'Network.requestWillBeSent') {
      const { redirectResponse, type } = params;
      const redirected = open.get(key);
      if (redirected !== undefined && redirectResponse !== undefined) {
        noteResponse(redirected, asObject(redirectResponse));
        // Without a body, at once: the next request has the same ID.
        observeAnswer(key, redirected, undefined);
      }
      if (type !== 'Preflight') take(key, params);
    } else if (method === 'Network.requestWillBeSentExtraInfo') {
      cookies.set(key, 'cookie' in lowerCase(asObject(params['headers'])));
    } else if (method === 'Network.responseReceived') {
      const found = open.get(key);
      if (found !== undefined) noteResponse(found, asObject(params['response']));
    } else if (method === 'Network.loadingFinished') {
      void end(key, async () => readBytes(await devtools.send('Network.getResponseBody', { requestId: params['requestId'] }, session)));
    } else if (method === 'Network.loadingFailed') {
      void end(key);
    } else if (method === 'Fetch.requestPaused') {
      // The page may go away meanwhile.
      void carryOn(key, params, session).catch(() => {});
    }
  };

  const carryOn = async (key: string, params: JsonObject, session: string): Promise<void> => {
    const { requestId, responseStatusCode, responseHeaders, resourceType, request } = params;
    const send = (method: string, more: JsonObject = {}) => devtools.send(method, { requestId, ...more }, session);
    const edit = edits.get(String(requestId));
    if (edit !== undefined) {
      edits.delete(String(requestId));
      if (responseStatusCode === undefined) return void (await send('Fetch.continueRequest'));
      const text = readBytes(await send('Fetch.getResponseBody'));
      const headers = listHeaders(responseHeaders).filter(({ name }) => !/^content-(length|encoding)$/i.test(String(name)));
      return void (await send('Fetch.fulfillRequest', {
        responseCode: responseStatusCode,
        responseHeaders: headers,
        body: toBase64(edit(text)),
      }));
    }
    // The browser pauses a request in a process of its own, which may tell of it before the page's process tells of the click that led to the
    // request. The page's process tells of the click first and of the request second, so this waits for the second.
    if (isReported(params) && !open.has(key)) {
      await waitUntil(
        () => open.has(key),
        (isTold) => isTold,
        REPORTED,
      );
    }
    const sent = take(key, { request, type: resourceType, frameId: params['frameId'] });
    const change = answer?.(sent);
    if (change === undefined) await send('Fetch.continueRequest');
    else if (change.kind === 'offline') await send('Fetch.failRequest', { errorReason: 'InternetDisconnected' });
    else if (change.kind === 'answer') await send('Fetch.fulfillRequest', writeAnswer(sent, change));
    else {
      edits.set(String(requestId), change.edit);
      await send('Fetch.continueRequest', { interceptResponse: true });
    }
  };

  devtools.on(hear);
  return {
    /** Starts reporting the requests and responses of a DevTools session. */
    async watch(session: string): Promise<void> {
      sessions.add(session);
      const paused = answer === undefined ? [] : [devtools.send('Fetch.enable', { patterns: [{ requestStage: 'Request' }] }, session)];
      await Promise.all([devtools.send('Network.enable', {}, session), ...paused]);
      // A service worker would send requests a second time, in a session of its own.
      await devtools.send('Network.setBypassServiceWorker', { bypass: true }, session);
    },
    /** Counts the awaited requests (documents, XHR and fetch) that have no response yet. */
    pending: () => [...open.values()].filter(({ isAwaited }) => isAwaited).length,
    /** Stops reporting. */
    close(): void {
      sessions.clear();
    },
  };
}

/** Tests whether the page itself reports a paused request. The browser reports documents, and nothing reports requests of workers. */
const isReported = ({ networkId, resourceType }: JsonObject): boolean =>
  networkId !== undefined && (resourceType === 'Fetch' || resourceType === 'XHR');

function noteResponse(seen: Seen, { status, headers }: JsonObject): void {
  seen.status = Number(status);
  seen.headers = lowerCase(asObject(headers));
}

/**
 * Converts an overriding response to the browser's format. Adds the CORS headers that a real server would send, so that a page of another
 * origin may read the response.
 */
function writeAnswer({ url, headers: sent }: SentRequest, { status, headers, body }: Extract<Override, { kind: 'answer' }>): JsonObject {
  const { origin } = sent;
  const isForeign = origin !== undefined && origin !== parseUrl(url)?.origin;
  const shared = isForeign ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' } : {};
  const responseHeaders = Object.entries({ ...shared, ...headers }).map(([name, value]) => ({ name, value }));
  return { responseCode: status, responseHeaders, body: toBase64(body) };
}

const lowerCase = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const listHeaders = (headers: unknown): readonly JsonObject[] => (Array.isArray(headers) ? headers.map(asObject) : []);

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

const readBytes = ({ body, base64Encoded }: JsonObject): string =>
  base64Encoded === true ? Buffer.from(String(body), 'base64').toString() : String(body);
