import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { PasskeyError } from '../../errors.js';
import type { WELL_KNOWN_FILES } from '../../server/routes/well-known.js';
import { registrableDomain } from '../../webauthn/registrable-suffix.js';
import { canonicalHost, isIpAddress, parseUrl } from '../../webauthn/rp-id.js';
import { findAddress, trust } from '../http/connection.js';
import { createHttpTarget, type HttpAnswer, type HttpTarget, OversizedAnswer, type TargetOptions } from '../http/http.js';

type FileName = (typeof WELL_KNOWN_FILES)[number];

/** The HTTP response from one URL, and the redirects that led to it. */
export interface Fetched {
  readonly asked: string;
  /** URLs of the redirects, in order. The last one was not followed if it leads to another host. */
  readonly redirects: readonly string[];
  /** The URL that responded, after all followed redirects. */
  readonly url: URL;
  readonly answer: HttpAnswer | undefined;
  /** The error, if there is no response. */
  readonly error: unknown;
}

/** The server's response to one request of a registration or login. */
export interface CeremonyAnswer {
  readonly url: URL;
  readonly answer: HttpAnswer;
}

/** The result of a TLS handshake. */
export interface Handshake {
  readonly host: string;
  /** The server's certificate; undefined if the handshake failed. */
  readonly certificate: X509Certificate | undefined;
  /** Node.js error code if the certificate chain that the server sends does not verify. */
  readonly problem: string | undefined;
}

/** A request that the diagnosis made, as listed in its report. The requests of registrations and logins are not listed. */
export interface MadeRequest {
  readonly method: string;
  readonly url: string;
  /** HTTP status; null for a TLS handshake, and for a request without a response. */
  readonly status: number | null;
}

export interface Facts {
  /** Origin of the page after its redirects. */
  readonly origin: string;
  readonly rpId: string;
  /** The time of the diagnosis, in milliseconds since the epoch. */
  readonly now: number;
  readonly page: Fetched;
  /** Responses to cross-origin requests for the page and for up to four endpoints of the ceremonies. */
  readonly crossOrigin: readonly Fetched[];
  readonly ceremonies: readonly CeremonyAnswer[];
  readonly handshakes: readonly Handshake[];
  readonly files: Readonly<Record<FileName, Fetched>>;
}

export type Reach = Pick<TargetOptions, 'ca' | 'addresses' | 'answerWithin' | 'signal'>;

/** The origin of a page on another site, which no server expects. */
export const FOREIGN_ORIGIN = 'https://passkey-doctor.invalid';
const PREFLIGHT = { origin: FOREIGN_ORIGIN, 'access-control-request-method': 'POST' };

export const MAX_REDIRECTS = 3;
const MAX_ENDPOINTS = 4;
const ANSWER_WITHIN_MS = 30_000;

/**
 * Fetches everything that the checks need, with 28 requests at most.
 *
 * It fetches the page and four files, each with up to three redirects, and makes a TLS handshake with up to three hosts. Then it requests
 * the page and up to four endpoints again, as a page of another site would.
 *
 * @param onRequest called for each request
 * @throws PasskeyError `target_unreachable` if the page does not respond; `interrupted` if the run was interrupted.
 */
export async function gatherFacts(
  { url, rpId, now, ceremonies, ...reach }: Reach & Pick<Facts, 'rpId' | 'now' | 'ceremonies'> & { readonly url: URL },
  onRequest: (request: MadeRequest) => void,
): Promise<Facts> {
  const { ca, addresses, answerWithin, signal } = reach;
  // The certificates are checked apart, so that one that has expired hides nothing else.
  const target = createHttpTarget(url, { ca, addresses, answerWithin, signal, anyCertificate: true });
  const hosts = [url.hostname, rpId];
  const isAsked = ({ hostname }: URL) => hosts.includes(hostname);
  const fetchAt = (at: URL, sent: Sent = {}) => fetchFrom(target, at, { ...sent, follows: isAsked, onRequest });
  // Browsers follow its redirects; those to other hosts of the same site are followed here too.
  const fetchRelated = (at: URL) => fetchFrom(target, at, { follows: (next) => isAsked(next) || isSameSite(next, rpId), onRequest });
  // The headers of the first answer tell; browsers follow no redirect of a preflight request anyway.
  const askAsForeign = (at: URL, sent: Sent) => fetchFrom(target, at, { ...sent, follows: () => false, onRequest });
  try {
    const page = await fetchAt(url, { headers: { accept: 'text/html' } });
    if (page.answer === undefined) throw new PasskeyError('target_unreachable', describeSilence(page), { cause: page.error });
    // Browsers read the files at the standard port; a test system on another one has them there.
    const site = rpId === url.hostname || canonicalHost(rpId) !== rpId ? page.url.origin : `https://${rpId}`;
    const secure = new Set([url, page.url, new URL(site)].filter(({ protocol }) => protocol === 'https:').map(({ origin }) => origin));
    const handshakes: Handshake[] = [];
    for (const origin of secure) {
      onRequest({ method: 'TLS', url: origin, status: null });
      handshakes.push(await shakeHands(new URL(origin), reach));
    }
    const place = (name: FileName) => new URL(`${site}/.well-known/${name}`);
    const fetchFile = (name: FileName) => fetchAt(place(name));
    const files = {
      webauthn: await fetchRelated(place('webauthn')),
      'passkey-endpoints': await fetchFile('passkey-endpoints'),
      'apple-app-site-association': await fetchFile('apple-app-site-association'),
      'assetlinks.json': await fetchFile('assetlinks.json'),
    };
    const crossOrigin = [await askAsForeign(page.url, { headers: { origin: FOREIGN_ORIGIN } })];
    const asked = ceremonies.map((each) => new URL(each.url.pathname, each.url));
    const endpoints = asked.filter(({ hostname, href }) => hosts.includes(hostname) && href !== page.url.href).map(({ href }) => href);
    for (const endpoint of [...new Set(endpoints)].slice(0, MAX_ENDPOINTS)) {
      crossOrigin.push(await askAsForeign(new URL(endpoint), { method: 'OPTIONS', headers: PREFLIGHT }));
    }
    return { origin: page.url.origin, rpId, now, page, crossOrigin, ceremonies, handshakes, files };
  } finally {
    target.close();
  }
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface FetchOptions extends Sent {
  /** Decides whether to follow a redirect to this URL. */
  readonly follows: (next: URL) => boolean;
  readonly onRequest: (request: MadeRequest) => void;
}

async function fetchFrom(
  target: HttpTarget,
  at: URL,
  { method = 'GET', headers = {}, follows, onRequest }: FetchOptions,
): Promise<Fetched> {
  const redirects: string[] = [];
  let url = at;
  let [answer, error]: [HttpAnswer | undefined, unknown] = [undefined, undefined];
  for (;;) {
    try {
      answer = await target.send({ method, path: url.href, headers });
    } catch (cause) {
      if (cause instanceof PasskeyError && cause.code === 'interrupted') throw cause;
      [answer, error] = [undefined, cause];
    }
    onRequest({ method, url: url.href, status: answer?.status ?? null });
    const next = answer === undefined ? undefined : readRedirect(answer, url);
    if (next !== undefined) redirects.push(next.href);
    if (next === undefined || redirects.length > MAX_REDIRECTS || !follows(next)) {
      return { asked: at.href, redirects, url, answer, error };
    }
    url = next;
  }
}

/** Checks that a URL uses https and has the same registrable domain as the RP ID. */
function isSameSite({ hostname, protocol }: URL, rpId: string): boolean {
  const domain = registrableDomain(rpId);
  return domain !== undefined && protocol === 'https:' && registrableDomain(hostname) === domain;
}

function readRedirect({ status, headers: { location } }: HttpAnswer, page: URL): URL | undefined {
  const url = status < 300 || status > 399 || location === undefined ? undefined : parseUrl(location, page);
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}

/**
 * Makes a TLS handshake and verifies the certificate chain that the server sends. Certificates missing from the chain are not fetched,
 * because Android does not fetch them either.
 */
function shakeHands(url: URL, { ca, addresses, answerWithin = ANSWER_WITHIN_MS }: Reach): Promise<Handshake> {
  const { hostname: host, port } = findAddress(url, addresses);
  const name = isIpAddress(url.hostname) ? {} : { servername: url.hostname };
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...name, ...trust(ca), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      const problem = socket.authorized ? undefined : String(socket.authorizationError);
      socket.end();
      resolve({ host: url.hostname, certificate, problem });
    });
    socket.setTimeout(answerWithin, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve({ host: url.hostname, certificate: undefined, problem: undefined }));
  });
}

/** Explains why a request has no usable response: it failed, or the response is too long to read. */
export function describeSilence({ error }: Fetched): string {
  if (error instanceof OversizedAnswer) return `${error.at} is longer than this command reads (${error.expected})`;
  return error instanceof Error ? error.message : String(error);
}
