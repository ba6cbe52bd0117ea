import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { PasskeyError } from '../../errors.js';
import { parseUntrustedJson } from '../../kernel/json-value.js';
import { CborSyntaxError } from '../../webauthn/cbor.js';
import { readCborBody } from './cbor-body.js';
import { type Addresses, findAddress, trust, UNTRUSTED } from './connection.js';

type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: string;
  /** Absolute path with query, or the full URL of another server. */
  readonly path: string;
  readonly headers?: Headers;
  /** Request body, sent unchanged. */
  readonly body?: string | Uint8Array;
  /** If true, the request is never sent a second time, because the first attempt may have spent a challenge. */
  readonly once?: true;
  /**
   * Marks a request that cleans up. It is sent even after the run was interrupted, with this time limit for its response in milliseconds.
   */
  readonly cleanUpWithin?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed response body; undefined if it is empty, not JSON, or nested too deeply. */
  readonly json: unknown;
  readonly text: string;
}

/** Status codes with which a server or proxy says that it is temporarily unavailable. They say nothing about the request. */
const UNAVAILABLE: readonly number[] = [429, 502, 503, 504];

export const isUnavailable = (status = 0): boolean => UNAVAILABLE.includes(status);

/** Sends HTTP requests to a server under test. Unlike `fetch`, it sends every header as given, including `Host`. */
export interface HttpTarget {
  readonly url: URL;
  /**
   * Sends a request and reads the whole response.
   *
   * @throws PasskeyError `target_unreachable` if no complete response arrives in time, `interrupted` if the run is stopped; OversizedAnswer
   * if the response body is too long.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

/** Why a request got no response: the server refused a new connection because it no longer runs, or closed a kept-alive connection. */
export type LostConnection = 'refused' | 'closed';

/** The `cause` of a PasskeyError `target_unreachable` when the connection was lost. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly how: LostConnection;

  constructor(how: LostConnection, cause: unknown) {
    super(describeCause(cause), { cause });
    this.how = how;
  }
}

/** Maximum size of a response body in bytes. It is far more than any relying party sends, and protects memory from an endless response. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Thrown when a response body is longer than the limit. */
export class OversizedAnswer extends Error {
  override readonly name = 'OversizedAnswer';
  readonly at: string;
  readonly expected = `at most ${MAX_ANSWER_BYTES} bytes`;
  readonly received = 'more';

  constructor({ method, path }: HttpRequest) {
    super();
    this.at = `the answer to ${method} ${path}`;
  }
}

/** Time limit for a whole exchange, from the first byte sent to the last byte received, in milliseconds. */
const ANSWER_WITHIN_MS = 30_000;

export interface TargetOptions {
  /** Ends every pending request when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit for a whole response in milliseconds, even if data keeps trickling in; default: 30 seconds. */
  readonly answerWithin?: number | undefined;
  /** Root certificates to trust in addition to those of Node.js, in PEM. */
  readonly ca?: string | undefined;
  readonly addresses?: Addresses | undefined;
  /** If true, accepts any certificate. Only for diagnosis, which sends no secrets. */
  readonly anyCertificate?: boolean;
}

/**
 * Creates a client for a server. The client keeps connections alive, as browsers do.
 *
 * @throws PasskeyError `usage` for root certificates that are not valid.
 */
export function createHttpTarget(url: URL, options: TargetOptions = {}): HttpTarget {
  const { signal: stop, answerWithin = ANSWER_WITHIN_MS, ca, addresses, anyCertificate } = options;
  const httpAgent = new HttpAgent({ keepAlive: true });
  const httpsAgent = new HttpsAgent({ keepAlive: true, rejectUnauthorized: anyCertificate !== true, ...trust(ca) });
  /**
   * Pending requests, to be ended when the signal is aborted. They share one listener on the signal, because Node.js warns if every request
   * adds its own.
   */
  const pending = new Set<ClientRequest>();
  const stopPending = () => pending.forEach((request) => request.destroy(new Error('The run is stopped.')));
  stop?.addEventListener('abort', stopPending);

  function open({ method, path, headers, body }: HttpRequest): ClientRequest {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
    const at = new URL(path, url);
    const secure = at.protocol === 'https:';
    const outgoing = (secure ? httpsRequest : httpRequest)(at, {
      method,
      agent: secure ? httpsAgent : httpAgent,
      ...findAddress(at, addresses),
      headers: { host: at.host, accept: 'application/json', ...(bytes && { 'content-length': bytes.length }), ...headers },
    });
    return outgoing.end(bytes);
  }

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    try {
      return await sendOnce(request);
    } catch (error) {
      if (request.once === true || readLost(error) !== 'closed') throw error;
      // Connections that were kept as long may be closed as well.
      for (const sockets of [httpAgent, httpsAgent].flatMap((agent) => Object.values(agent.freeSockets))) {
        for (const socket of sockets ?? []) socket.destroy();
      }
      return sendOnce(request);
    }
  }

  async function sendOnce(request: HttpRequest): Promise<HttpAnswer> {
    const { cleanUpWithin: cleanUp } = request;
    const within = cleanUp ?? answerWithin;
    const stopping = cleanUp === undefined ? stop : undefined;
    if (stopping?.aborted) throw interrupted(stopping.reason);
    let outgoing: ClientRequest | undefined;
    let late = false;
    let answers = false;
    // A timer of our own: signals for each request take longer than all the rest of this.
    const timer = setTimeout(() => {
      late = true;
      outgoing?.destroy(new Error('The time is up.'));
    }, within);
    try {
      outgoing = open(request);
      if (stopping !== undefined) pending.add(outgoing);
      outgoing.once('response', () => {
        answers = true;
      });
      return await answerTo(outgoing, request);
    } catch (cause) {
      if (cause instanceof OversizedAnswer) throw cause;
      if (stopping?.aborted) throw interrupted(cause);
      const reason = late ? `none within ${within / 1000} s` : `none (${describeCause(cause)})`;
      const message = `Expected an answer from ${new URL(request.path, url).origin}, got ${reason}. ${advice(cause)}`;
      const how = late || answers ? undefined : findLost(outgoing, cause);
      throw new PasskeyError('target_unreachable', message, { cause: how === undefined ? cause : new ConnectionLost(how, cause) });
    } finally {
      clearTimeout(timer);
      if (outgoing !== undefined) pending.delete(outgoing);
    }
  }

  function close(): void {
    stop?.removeEventListener('abort', stopPending);
    httpAgent.destroy();
    httpsAgent.destroy();
  }

  return { url, send, close };
}

/** Finds how the connection of a request was lost; undefined if the request ended in another way. */
function findLost(outgoing: ClientRequest | undefined, cause: unknown): LostConnection | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ECONNREFUSED') return 'refused';
  return outgoing?.reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE') ? 'closed' : undefined;
}

/** Reads from an error of `send` how the connection was lost; undefined for any other error. */
export function readLost(error: unknown): LostConnection | undefined {
  return error instanceof PasskeyError && error.cause instanceof ConnectionLost ? error.cause.how : undefined;
}

const describeCause = (cause: unknown): string => (cause instanceof Error ? cause.message || cause.name : String(cause));

export function interrupted(cause: unknown): PasskeyError {
  return new PasskeyError('interrupted', 'The run was interrupted.', { cause });
}

function advice(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return UNTRUSTED.includes(code)
    ? 'To trust its certificate, use --ca FILE.pem, or set the environment variable NODE_EXTRA_CA_CERTS=FILE.pem.'
    : 'Check the URL, and that the server is running.';
}

/** Sends a request and collects its response. Uses event listeners because an async iterator takes longer than most responses. */
function answerTo(outgoing: ClientRequest, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    // Without a listener, nothing would come of it.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('it switched to another protocol'));
    });
    outgoing.on('response', (answer) => {
      // After a failure, servers such as uvicorn close the connection without saying so: the next request on it would be lost.
      if ((answer.statusCode ?? 0) >= 500) outgoing.shouldKeepAlive = false;
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= MAX_ANSWER_BYTES) return;
        reject(new OversizedAnswer(request));
        outgoing.destroy();
      });
      answer.on('end', () => {
        const text = readText(Buffer.concat(chunks), answer.headers['content-type']);
        resolve(parseAnswer({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      });
      answer.on('error', reject);
      // The last word, where there is none of the others.
      answer.on('close', () => reject(new Error('aborted')));
    });
  });
}

/** Decodes a response body as text. CBOR is converted to JSON. */
function readText(bytes: Buffer, type = ''): string {
  if (!/^application\/(?:[\w.-]+\+)?cbor\b/i.test(type)) return bytes.toString('utf8');
  try {
    return readCborBody(bytes);
  } catch (error) {
    if (error instanceof CborSyntaxError) return bytes.toString('utf8');
    throw error;
  }
}

export function parseAnswer(received: Omit<HttpAnswer, 'json'>): HttpAnswer {
  return { ...received, json: parseUntrustedJson(received.text) };
}

/** Creates a POST request with a JSON body. A string is sent unchanged. */
export function post(path: string, body: unknown, headers: Headers = {}): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** URL paths of our own API. */
export const PATHS = {
  registerOptions: '/api/passkeys/register/options',
  register: '/api/passkeys/register',
  verifyOptions: '/api/passkeys/verify/options',
  verify: '/api/passkeys/verify',
  loginOptions: '/api/passkeys/login/options',
  login: '/api/passkeys/login',
  passkeys: '/api/passkeys',
  session: '/api/session',
} as const;
