import { PasskeyError } from '../../errors.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { HttpAnswer, HttpRequest } from '../http/http.js';
import type { CookieJar } from './cookie-jar.js';

/** A request that a simulated browser sends. */
interface PageRequest {
  readonly method: string;
  readonly url: URL;
  /** Request headers by lower-case name. The `Cookie` header is not included, because it comes from the cookie jar. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /**
   * Whether to follow redirects. A string means to follow them until one leads to a URL or path that begins with this string, which is not
   * requested.
   */
  readonly follow: boolean | string;
  readonly cleanUpWithin?: number | undefined;
}

interface Page {
  readonly answer: HttpAnswer;
  /** URL of the last response. */
  readonly url: URL;
  /** `Set-Cookie` headers of all responses, including redirect responses. */
  readonly setCookie: readonly string[];
}

interface Browsing {
  send(request: HttpRequest): Promise<HttpAnswer>;
  readonly jar: CookieJar;
  /** Decides whether the browser may request this URL. */
  mayFollow(url: URL): boolean;
}

const MAX_REDIRECTS = 10;
/** Status codes of redirects: https://fetch.spec.whatwg.org/#redirect-status */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Headers that describe a request body. They are removed when a redirect removes the body. */
const OF_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

/**
 * Sends a request with the cookies of the jar, stores the cookies of the response, and follows redirects as fetch does
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch).
 *
 * @throws PasskeyError `usage` for a URL that may not be requested, or for too many redirects; and the errors of `send`.
 */
export async function browse(request: PageRequest, { send, jar, mayFollow }: Browsing): Promise<Page> {
  const setCookie: string[] = [];
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const { method, url, headers, body, cleanUpWithin } = current;
    if (!mayFollow(url)) throw notAllowed(url);
    const cookie = jar.header(url.href);
    const answer = await send({
      method,
      path: url.href,
      headers: { ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { body }),
      ...(cleanUpWithin !== undefined && { cleanUpWithin }),
    });
    const set = answer.headers['set-cookie'] ?? [];
    jar.store(url.href, set);
    setCookie.push(...set);
    const next = request.follow === false ? undefined : nextRequest(answer, current);
    if (next === undefined || isEnd(next.url, request.follow)) return { answer, url, setCookie };
    if (redirects === MAX_REDIRECTS) {
      throw new PasskeyError('usage', `Expected at most ${MAX_REDIRECTS} redirects; got another one, to ${next.url.href}.`);
    }
    current = next;
  }
}

function isEnd({ href, pathname }: URL, follow: boolean | string): boolean {
  return typeof follow === 'string' && (href.startsWith(follow) || pathname.startsWith(follow));
}

function notAllowed(url: URL): PasskeyError {
  const advice = `To allow requests to it, repeat the command with --allow-host ${url.hostname}.`;
  return new PasskeyError('usage', `The target leads to ${url.origin}, which is on another host. ${advice}`);
}

/**
 * Makes the request that follows a redirect. Undefined if the response is not a redirect, or if the redirect leads to a program other than
 * a browser.
 */
function nextRequest({ status, headers: { location } }: HttpAnswer, request: PageRequest): PageRequest | undefined {
  if (!REDIRECTS.includes(status) || location === undefined) return undefined;
  const url = parseUrl(location, request.url);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const toGet = (status <= 302 && request.method === 'POST') || (status === 303 && !/^(?:GET|HEAD)$/.test(request.method));
  const dropped = [...(toGet ? OF_BODY : []), ...(url.origin === request.url.origin ? [] : ['authorization', 'cookie'])];
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.includes(name)));
  return { ...request, ...(toGet && { method: 'GET', body: undefined }), url, headers };
}
