import { PasskeyError } from '../errors.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { DevTools, DevToolsEvent } from './devtools.js';

/** An HTTP request of a page, together with its response. It is complete when the response has arrived or the request has failed. */
export interface Exchange {
  /** When the request was sent, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** URL of the request, without user, password, fragment and the values of the query parameters. */
  readonly url: string;
  /** Origin of the page or frame that sent the request. */
  readonly origin: string | undefined;
  /** Body of the request. Undefined if it has none. */
  readonly sent: string | undefined;
  /** HTTP status of the response. 0 if there is no response. */
  readonly status: number;
  /** Body of the response. Undefined if the browser does not keep the body, for example before a redirect. */
  readonly received: string | undefined;
  /** Whether the request has a Cookie header. `setsCookie` tells whether the response has a Set-Cookie header. */
  readonly sendsCookie?: boolean;
  readonly setsCookie?: boolean;
}

/** Replacement for the value of a cookie, which is secret. */
const HIDDEN = '…';

/** Writes one HTTP exchange as an entry of an HTTP archive. */
export function writeEntry({ at, method, url, origin, sent, status, received, sendsCookie, setsCookie }: Exchange): JsonObject {
  const headers = [
    ...(origin === undefined ? [] : [{ name: 'origin', value: origin }]),
    ...(sendsCookie === true ? [{ name: 'cookie', value: HIDDEN }] : []),
  ];
  const request = { method, url, headers, ...(sent !== undefined && { postData: { text: sent } }) };
  const response = {
    status,
    headers: setsCookie === true ? [{ name: 'set-cookie', value: HIDDEN }] : [],
    ...(received !== undefined && { content: { text: received } }),
  };
  return { startedDateTime: new Date(at).toISOString(), request, response };
}

interface Begun {
  readonly request: JsonObject;
  readonly at: number;
  /** Origin of the document that sent the request. */
  readonly origin: string | undefined;
  readonly sent: Promise<string | undefined>;
  response: JsonObject;
}

/** Maximum number of characters of a body that is read. Longer bodies are ignored; bodies with WebAuthn data are much shorter. */
const LONGEST = 1_000_000;
/** DevTools targets to attach to: tabs, popups, and frames of another origin. */
const FILTER = [{ type: 'page' }, { type: 'iframe' }];

interface NetworkOptions {
  readonly now: () => number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Called with the DevTools session of each page and frame before the scripts of the page or frame run. */
  readonly prepare?: ((session: string) => Promise<void>) | undefined;
}

/** Reports the requests of all pages and frames in a browser, and the JSON that the pages receive. */
export async function watchNetwork(devtools: DevTools, { now, onExchange, prepare }: NetworkOptions): Promise<void> {
  const begun = new Map<string, Begun>();
  /** Whether each request sends or sets cookies. The browser may report this before the request itself. */
  const cookies = new Map<string, Pick<Exchange, 'sendsCookie' | 'setsCookie'>>();

  const end = async (key: string, readBody?: () => Promise<string | undefined>) => {
    const found = begun.get(key);
    if (found === undefined) return;
    begun.delete(key);
    const cookie = cookies.get(key);
    cookies.delete(key);
    const { request, response, at } = found;
    const sent = await found.sent;
    if (sent === undefined && !String(response['mimeType']).includes('json')) return;
    const received = await readBody?.().catch(() => undefined);
    const [method, url] = [String(request['method']), withoutValues(String(request['url']))];
    const { Origin } = asObject(request['headers']);
    const origin = typeof Origin === 'string' ? Origin : found.origin;
    onExchange({ at, method, url, origin, sent, status: readStatus(response['status']), received, ...cookie });
  };

  /** Runs one asynchronous step of following a request. If the step fails, the connection ends with an error. */
  const follow = (ending: Promise<void>): void => {
    ending.catch((cause: unknown) => {
      devtools.fail(new PasskeyError('target_unreachable', 'The browser reported a request that this command cannot follow.', { cause }));
    });
  };

  const hear = ({ method, params, session }: DevToolsEvent): void => {
    const { requestId } = params;
    const key = `${session} ${String(requestId)}`;
    if (method === 'Network.requestWillBeSent') {
      const redirected = begun.get(key);
      if (redirected !== undefined) redirected.response = asObject(params['redirectResponse']);
      follow(end(key));
      begun.set(key, {
        request: asObject(params['request']),
        at: readTime(params['wallTime']) ?? now(),
        origin: parseUrl(String(params['documentURL']))?.origin,
        sent: readSent(devtools, params, session).catch(() => undefined),
        response: {},
      });
    } else if (method === 'Network.requestWillBeSentExtraInfo') {
      cookies.set(key, { ...cookies.get(key), sendsCookie: hasHeader(params, 'cookie') });
    } else if (method === 'Network.responseReceivedExtraInfo') {
      cookies.set(key, { ...cookies.get(key), setsCookie: hasHeader(params, 'set-cookie') });
    } else if (method === 'Network.responseReceived') {
      const found = begun.get(key);
      if (found !== undefined) found.response = asObject(params['response']);
    } else if (method === 'Network.loadingFinished') {
      follow(end(key, () => readReceived(devtools, requestId, session)));
    } else if (method === 'Network.loadingFailed') {
      follow(end(key));
    }
  };
  devtools.on(hear);
  await attachToPages(devtools, async (session) => {
    await Promise.all([devtools.send('Network.enable', {}, session), prepare?.(session)]);
  });
}

/**
 * Attaches to all present and future pages and frames of a browser. @param prepare called with the DevTools session of each page or frame
 * before its scripts run.
 */
export async function attachToPages(devtools: DevTools, prepare: (session: string, target: JsonObject) => Promise<void>): Promise<void> {
  const attach = async (session?: string) =>
    await devtools.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: FILTER }, session);
  devtools.on(({ method, params }) => {
    if (method !== 'Target.attachedToTarget') return;
    const target = asObject(params['targetInfo']);
    // A worker that is told to run before it has started crashes.
    if (target['type'] === 'service_worker') return;
    const session = String(params['sessionId']);
    // A page that has gone again has nothing to tell.
    void Promise.all([prepare(session, target), attach(session)])
      .then(() => devtools.send('Runtime.runIfWaitingForDebugger', {}, session))
      .catch(() => {});
  });
  await attach();
}

function hasHeader({ headers }: JsonObject, name: string): boolean {
  return Object.keys(asObject(headers)).some((each) => each.toLowerCase() === name);
}

/**
 * Removes everything from an http(s) URL that may be secret: user, password, fragment and the values of the query parameters. For any other
 * URL, such as `data:`, keeps only the scheme.
 */
function withoutValues(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return '';
  if (!/^(?:https?|wss?):$/.test(url.protocol)) return url.protocol;
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=`);
  return `${url.origin}${url.pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** Latest time that a Date can hold, in milliseconds since the epoch. */
const LATEST = 8.64e15;

/** Converts seconds since the epoch to milliseconds. Undefined if the value is not a time. */
function readTime(seconds: unknown): number | undefined {
  const time = typeof seconds === 'number' ? seconds * 1_000 : Number.NaN;
  return Math.abs(time) <= LATEST ? time : undefined;
}

/** Reads an HTTP status. Returns 0 if there is no response. */
const readStatus = (status: unknown): number => (typeof status === 'number' && /^\d{1,3}$/.test(String(status)) ? status : 0);

async function readSent(devtools: DevTools, { request, requestId }: JsonObject, session: string | undefined): Promise<string | undefined> {
  const { hasPostData, postData } = asObject(request);
  if (hasPostData !== true) return undefined;
  const text = postData ?? (await devtools.send('Network.getRequestPostData', { requestId }, session))['postData'];
  return shorter(String(text));
}

async function readReceived(devtools: DevTools, requestId: unknown, session: string | undefined): Promise<string | undefined> {
  const { body, base64Encoded } = await devtools.send('Network.getResponseBody', { requestId }, session);
  return shorter(base64Encoded === true ? Buffer.from(String(body), 'base64').toString() : String(body));
}

const shorter = (text: string): string | undefined => (text.length > LONGEST ? undefined : text);
