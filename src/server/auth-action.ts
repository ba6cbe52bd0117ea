import { AsyncLocalStorage } from 'node:async_hooks';
import { validateHeaderValue } from 'node:http';
import type { BuiltInAuthAction } from '../accounts/auth-actions.js';
import { PasskeyError } from '../errors.js';
import type { PasskeyBody } from '../relying-party/passkey-document.js';
import { keepEndToEnd } from './message-fields.js';
import { AuthActionFailure, BEARER_CHALLENGE } from './problem.js';

/** The argument of a user's auth action module for one login. */
export interface AuthActionInput {
  /** The passkey that logged in, as the HTTP API returns it. */
  readonly passkey: PasskeyBody;
  readonly owner: { readonly id: number; readonly type: string; readonly name: string; readonly email: string };
  /** The login request, including its body, as a web-standard `Request`. */
  readonly request: Request;
}

/**
 * Default export of an auth action module. If it returns an object, the server sends the object as JSON with status 200. If it returns a
 * `Response`, the server sends the `Response` unchanged.
 */
export type AuthActionFunction = (input: AuthActionInput) => unknown;

export interface LoadedAuthAction {
  /** The path of the module as written in the setting. It is used in the log. */
  readonly name: string;
  readonly run: AuthActionFunction;
}

export type AuthActionSetting = BuiltInAuthAction | LoadedAuthAction;

/** The response of an auth action module as plain data. When the server sends it, no code of the module runs any more. */
interface AuthActionAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | Buffer | undefined;
}

/** How long an auth action module may take for its whole response, in milliseconds. */
const MAX_DURATION = 30_000;
/** Maximum number of bytes in the response of an auth action module. */
const MAX_ANSWER = 1024 * 1024;

const running = new AsyncLocalStorage<string>();

/** Runs code of the auth action module `name`, so that errors which it throws later can also be attributed to the module. */
export function asAuthAction<T>(name: string, work: () => T): T {
  return running.run(name, work);
}

/** Names the auth action module that started the code which is running now. Undefined if no module started it. */
export function runningAuthAction(): string | undefined {
  return running.getStore();
}

/**
 * Calls an auth action module and reads its response to the end, within 30 seconds and 1 MiB.
 *
 * @throws PasskeyError `internal_error` if the module fails. The client learns nothing more. The `cause`, which is for the log, names the
 * module and its fault.
 */
export function runAuthAction({ name, run }: LoadedAuthAction, input: AuthActionInput): Promise<AuthActionAnswer> {
  const failed: Fail = (what, ...causes) =>
    new PasskeyError('internal_error', '', {
      cause: new AuthActionFailure(
        `the auth action ${name} ${what}${causes.map((cause) => `: ${inOneLine(cause)}`).join('')}`,
        causes.length === 0 ? {} : { cause: causes[0] },
      ),
    });
  // Reading the answer runs code of the module, too: `then`, `toJSON`, getters, streams.
  return asAuthAction(name, async () => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(failed(`did not respond within ${MAX_DURATION / 1000} seconds`)), MAX_DURATION).unref();
    const late = new Promise<never>((_resolve, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
    });
    try {
      return await Promise.race([callAndRead(run, input, { failed, signal: deadline.signal }), late]);
    } finally {
      clearTimeout(timer);
    }
  });
}

interface Reading {
  readonly failed: Fail;
  /** Signal that is aborted when the module has taken too long. */
  readonly signal: AbortSignal;
}

async function callAndRead(run: AuthActionFunction, input: AuthActionInput, reading: Reading): Promise<AuthActionAnswer> {
  const { failed } = reading;
  let answer: unknown;
  try {
    answer = await run(input);
  } catch (cause) {
    throw failed('threw', cause);
  }
  try {
    return await readAnswer(answer, reading);
  } catch (cause) {
    const explained = cause instanceof PasskeyError && cause.cause instanceof AuthActionFailure;
    throw explained ? cause : failed('returned a response that cannot be read', cause);
  }
}

/**
 * Makes an error about the module. `causes` is empty or holds the thrown value; a list is needed because a module may even throw
 * `undefined`.
 */
type Fail = (what: string, ...causes: readonly unknown[]) => PasskeyError;

/** Describes a thrown value in one line. Handles values that throw an error when they are read. */
function inOneLine(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return `something of type ${typeof thrown}`;
  }
}

async function readAnswer(answer: unknown, reading: Reading): Promise<AuthActionAnswer> {
  const { failed } = reading;
  if (isResponse(answer)) return await readResponse(answer, reading);
  if (typeof answer !== 'object' || answer === null || answer instanceof Error) {
    const what = answer instanceof Error ? 'an Error' : answer === null ? 'null' : typeof answer;
    throw failed(`must return an object or a Response; it returned ${what}`);
  }
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: serialize(answer, failed) };
}

const TOO_LARGE = `returned a response of more than ${MAX_ANSWER / 2 ** 20} MiB`;

function serialize(answer: object, failed: Fail): string {
  let body: string | undefined;
  try {
    body = JSON.stringify(answer);
  } catch (cause) {
    throw failed('returned an object that is not JSON', cause);
  }
  if (body === undefined) throw failed('returned an object that is not JSON');
  if (Buffer.byteLength(body) > MAX_ANSWER) throw failed(TOO_LARGE);
  return body;
}

/** Checks whether a value is a `Response`, even if the `Response` comes from another realm or another copy of undici. */
function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === '[object Response]';
}

async function readResponse(response: Response, reading: Reading): Promise<AuthActionAnswer> {
  const { status } = response;
  const headers = readHeaders(response, reading.failed);
  // RFC 9110 §15.5.2: a 401 says how to authenticate.
  if (status === 401) headers['www-authenticate'] ??= BEARER_CHALLENGE;
  return { status, headers, body: await readBody(response, reading) };
}

function readHeaders(response: Response, failed: Fail): AuthActionAnswer['headers'] {
  const headers: AuthActionAnswer['headers'] = {};
  for (const [name, value] of keepEndToEnd(response.headers, response.headers.get('connection'))) {
    // `Headers` takes control characters that an HTTP message cannot carry.
    try {
      validateHeaderValue(name, value);
    } catch (cause) {
      throw failed(`returned a Response whose header ${name} cannot be sent`, cause);
    }
    if (name !== 'set-cookie') headers[name] = value;
  }
  const cookies = response.headers.getSetCookie();
  return cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies };
}

async function readBody({ body }: Response, { failed, signal }: Reading): Promise<Buffer | undefined> {
  if (body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const reader = body.getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    signal.addEventListener('abort', cancel);
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      chunks.push(read.value);
      size += read.value.byteLength;
      if (size > MAX_ANSWER) {
        cancel();
        throw failed(TOO_LARGE);
      }
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    throw cause instanceof PasskeyError ? cause : failed('returned a Response whose body cannot be read', cause);
  }
}
