import { PasskeyError } from '../errors.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { DevTools, DevToolsEvent } from './devtools.js';

/** A request of a page with its answer, once that has arrived or has failed. */
export interface Exchange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Without user, password, fragment and the values of its query. */
  readonly url: string;
  /** Origin of the page or frame. */
  readonly origin: string | undefined;
  /** Body of the request; undefined without one. */
  readonly sent: string | undefined;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Body of the answer; undefined if the browser does not keep it, such as before a redirect. */
  readonly received: string | undefined;
  /** Whether the request has a Cookie, and its answer a Set-Cookie. */
  readonly sendsCookie?: boolean;
  readonly setsCookie?: boolean;
}

/** Stands for the value of a cookie, which is secret. */
const HIDDEN = '…';

/** Writes an entry of an HTTP archive. */
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
  /** Origin of the document. */
  readonly origin: string | undefined;
  readonly sent: Promise<string | undefined>;
  response: JsonObject;
}

/** Characters of a body beyond which it is not read: nothing of WebAuthn comes near. */
const LONGEST = 1_000_000;
/** Tabs and popups, and frames of another origin. */
const FILTER = [{ type: 'page' }, { type: 'iframe' }];

interface NetworkOptions {
  readonly now: () => number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Called with the session of each page and frame, before any script of it runs. */
  readonly prepare?: ((session: string) => Promise<void>) | undefined;
}

/** Reports what pages and frames of a browser send, and what JSON they get. */
export async function watchNetwork(devtools: DevTools, { now, onExchange, prepare }: NetworkOptions): Promise<void> {
  const begun = new Map<string, Begun>();
  /** Cookies of a request, as the browser reports them, which may be before the request itself. */
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

  /** Ends the session with a sentence if a request cannot be followed. */
  const follow = (ending: Promise<void>): void => {
    ending.catch((cause: unknown) => {
      devtools.fail(new PasskeyError('target_unreachable', 'The browser told of a request that this command cannot follow.', { cause }));
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

/** Attaches to the pages and frames of a browser, those to come too. @param prepare called with the session of each, before any script of it runs. */
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
 * A URL without user, password, fragment and the values of its query, any of which may be secret. Of `data:` URLs and the like, only the
 * scheme is kept.
 */
function withoutValues(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return '';
  if (!/^(?:https?|wss?):$/.test(url.protocol)) return url.protocol;
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=`);
  return `${url.origin}${url.pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** The largest time of a Date, in milliseconds. */
const LATEST = 8.64e15;

/** Milliseconds since the epoch, from seconds; undefined for a value that is not a time. */
function readTime(seconds: unknown): number | undefined {
  const time = typeof seconds === 'number' ? seconds * 1_000 : Number.NaN;
  return Math.abs(time) <= LATEST ? time : undefined;
}

/** 0 without an answer. */
const readStatus = (status: unknown): number =>
  typeof status === 'number' && Number.isInteger(status) && status >= 0 && status < 1000 ? status : 0;

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
