import { isObject } from '../../src/kernel/json-value.js';
import { recordRefusedLogin } from './refused-logins.js';

/** The answer of a server as an archive has it. */
export interface Answered {
  readonly status: number;
  readonly body?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  /** Size of the body that the archive says; default: that of `body`. */
  readonly size?: number;
  /** Exchanges that follow. */
  readonly next?: readonly object[];
}

const good = JSON.parse((await recordRefusedLogin({ requireUserVerification: false })).har);

/** A recording of a registration and a login that succeed, with another answer to the login. */
export function recordAnswer({ status, body, headers = [], size = body?.length ?? 0, next = [] }: Answered): string {
  const entries: unknown[] = [...good.log.entries];
  const login = entries.pop();
  if (!isObject(login)) throw new TypeError('Expected the request of a login.');
  const content = { size, ...(body !== undefined && { text: body }) };
  return JSON.stringify({ log: { entries: [...entries, { ...login, response: { status, headers, content } }, ...next] } });
}

/** The response of that login, as JSON. */
export const loginResponse: string = good.log.entries.at(-1).request.postData.text;
