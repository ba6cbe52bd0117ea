import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { PasskeyError } from '../errors.js';

export interface HttpRequest {
  readonly method: string;
  /** Absolute path with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  /** Default: that of the target. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What the body parses to; undefined when it is empty or not JSON. */
  readonly json: unknown;
  readonly text: string;
}

/** A server under test. Unlike `fetch` it sends every header as told, `Host` too. */
export interface HttpTarget {
  readonly url: URL;
  /** @throws PasskeyError `target_unreachable` when there is no answer within half a minute. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

const ANSWER_WITHIN_MS = 30_000;
/** More than any answer of a relying party: a server that never ends its answer does not fill the memory. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Keeps connections alive, as a browser does. `stop` ends every request that is under way. */
export function createHttpTarget(url: URL, stop?: AbortSignal): HttpTarget {
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });

  async function send({ method, path, headers, body, signal = stop }: HttpRequest): Promise<HttpAnswer> {
    const bytes = body === undefined ? undefined : Buffer.from(body, 'utf8');
    const options = {
      method,
      agent,
      headers: { accept: 'application/json', ...(bytes && { 'content-length': bytes.length }), ...headers },
      signal,
      timeout: ANSWER_WITHIN_MS,
    };
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = (secure ? httpsRequest : httpRequest)(new URL(path, url), options, resolve);
        outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)));
        outgoing.on('error', reject);
        outgoing.end(bytes);
      });
      return await read(answer);
    } catch (cause) {
      if (signal?.aborted) throw new PasskeyError('interrupted', 'The run was interrupted.', { cause });
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new PasskeyError('target_unreachable', `Expected an answer from ${url.origin}, got none (${reason}); ${advice(cause)}`, {
        cause,
      });
    }
  }

  return { url, send, close: () => agent.destroy() };
}

/** Codes by which Node says that a certificate leads to none that it trusts. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

function advice(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return UNTRUSTED.includes(code)
    ? 'trust its certificate with the environment variable NODE_EXTRA_CA_CERTS=FILE.pem.'
    : 'is the server running there?';
}

async function read(answer: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += bytes.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: answer.statusCode ?? 0, headers: answer.headers, json: parse(text), text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON body, and the bearer token where there is one. */
export function postJson(target: HttpTarget, path: string, body: unknown, token?: string): Promise<HttpAnswer> {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return target.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
}
