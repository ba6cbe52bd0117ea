import { PasskeyError } from '../../errors.js';
import { objectOf } from '../../webauthn/json-value.js';
import { isLoopbackAddress } from '../../webauthn/loopback.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import {
  bearer,
  createHttpTarget,
  type HttpAnswer,
  type HttpRequest,
  type HttpTarget,
  OversizedAnswer,
  PATHS,
  post,
  type RetryOptions,
  retryRateLimited,
} from './http.js';

/** A running server, and how to act as its users. */
export interface RemoteOptions {
  readonly url: string;
  /** Bearer tokens of up to two of its users. */
  readonly tokens: readonly string[];
  /** URL of the application whose ceremonies run; default: `url`. */
  readonly appUrl?: string;
  /** Milliseconds that the server may take for a whole answer; default: 30 seconds. */
  readonly answerWithin?: number;
}

/** A server under test that runs elsewhere. */
export interface RemoteServer {
  readonly target: HttpTarget;
  /** Bearer tokens of the first and the second user. */
  readonly tokens: readonly string[];
  /** The application whose ceremonies run. */
  readonly application: URL;
}

/** @throws PasskeyError `usage` for a URL that is not that of a server. */
export function remoteServer({ url: text, tokens, appUrl, answerWithin }: RemoteOptions, retry: RetryOptions): RemoteServer {
  const url = serverUrl(text);
  return {
    target: retryRateLimited(createHttpTarget(url, { signal: retry.signal, answerWithin }), retry),
    tokens,
    application: appUrl === undefined ? defaultApplication(url) : serverUrl(appUrl),
  };
}

function serverUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new PasskeyError('usage', `Expected an http or https URL such as http://localhost:7277, got "${text}".`);
  }
  if (url.href !== `${url.origin}/`) {
    throw new PasskeyError('usage', `Expected the URL of a server without path, query or user, such as ${url.origin}; got "${text}".`);
  }
  return url;
}

/** The server's own application. No client takes an IP address as RP ID. */
function defaultApplication(server: URL): URL {
  const url = new URL(server);
  if (isLoopbackAddress(url.hostname)) url.hostname = 'localhost';
  return url;
}

/**
 * Checks a running server before hundreds of cases do: that it answers, that it accepts the tokens, that they belong to
 * different users, and that it accepts ceremonies of the application.
 *
 * @throws PasskeyError `target_unreachable`, or `usage` naming a token by its position; the token itself is secret.
 */
export async function checkRemote(server: RemoteServer): Promise<void> {
  const { target, tokens } = server;
  if (tokens.length === 0) {
    await answerOf(target, { method: 'GET', path: '/' });
    return;
  }
  const positions = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const position = index + 1;
    const userHandle = await userHandleOf(server, token, position);
    if (userHandle === undefined) continue;
    const same = positions.get(userHandle);
    if (same !== undefined) {
      const message = `--token ${same} and --token ${position} belong to the same user. Give tokens of two different users.`;
      throw new PasskeyError('usage', message);
    }
    positions.set(userHandle, position);
  }
}

/** Registration options are the only answer that identifies the token's user. Undefined for any other answer: the cases report it. */
async function userHandleOf({ target, application }: RemoteServer, token: string, position: number): Promise<string | undefined> {
  const body = { app_name: 'passkey simulate', app_url: application.origin };
  const answer = await answerOf(target, post(PATHS.registerOptions, body, bearer(token)));
  if (answer === undefined) return undefined;
  const { status, json } = answer;
  if (status === 401) {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} refuses --token ${position} (401). Give the bearer token of one of its users, neither expired nor revoked.`,
    );
  }
  if (status === 403 && objectOf(json).code === 'origin_not_allowed') {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} does not accept ceremonies of ${application.origin} (403). Use --app-url to name an application that the server was started with (--origin).`,
    );
  }
  const { id } = objectOf(objectOf(json).user);
  return typeof id === 'string' ? id : undefined;
}

/** Undefined for an answer that is not read to its end: its arrival is enough here. */
function answerOf(target: HttpTarget, request: HttpRequest): Promise<HttpAnswer | undefined> {
  return target.send(request).catch((error: unknown) => {
    if (error instanceof OversizedAnswer) return undefined;
    throw error;
  });
}
