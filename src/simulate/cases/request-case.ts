import type { HttpAnswer, HttpRequest } from '../http.js';
import type { Mismatch } from '../report.js';
import { compareAnswer, objectOf } from '../scenario.js';
import type { Case } from './case.js';
import { expectTrue } from './registrations.js';
import type { Stage } from './stage.js';

/** One request, with the answer that it must have whatever went before. */
export interface RequestSpec extends Omit<Case, 'run' | 'tags'> {
  readonly tags?: readonly string[];
  readonly request: (stage: Stage) => HttpRequest | Promise<HttpRequest>;
  /** Header names in lower case, and what their value must look like. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Looks at the answer: that another server answers 200 to everything shall not count. */
  readonly check?: (answer: HttpAnswer) => readonly Mismatch[];
}

export function requestCase({ tags = [], request, headers = {}, check = () => [], ...described }: RequestSpec): Case {
  return {
    ...described,
    tags: ['http', ...tags],
    async run(stage) {
      const asked = await request(stage);
      const at = `${asked.method} ${asked.path}`;
      const answer = await stage.target.send(asked);
      const mismatches = compareAnswer(at, described.expected, answer);
      return [...mismatches, ...compareHeaders(at, headers, answer), ...compareProblem(described.expected, answer), ...check(answer)];
    },
  };
}

function compareHeaders(at: string, headers: Readonly<Record<string, RegExp>>, answer: HttpAnswer): Mismatch[] {
  return Object.entries(headers).flatMap(([name, pattern]) => {
    const received = String(answer.headers[name] ?? 'none');
    return pattern.test(received) ? [] : [{ at: `${at}: header ${name}`, expected: String(pattern), received }];
  });
}

/** RFC 9457: an error is a problem document that says what its status line says. */
function compareProblem(expected: Case['expected'], { status, headers, json }: HttpAnswer): Mismatch[] {
  if (expected.outcome === 'verified') return [];
  const { type, title, status: told, code, request_id: requestId } = objectOf(json);
  const contentType = headers['content-type'] ?? 'none';
  return [
    expectTrue('content type', 'application/problem+json', contentType, contentType.startsWith('application/problem+json')),
    expectTrue('type', `urn:passkey:problem:${String(code)}`, type, type === `urn:passkey:problem:${String(code)}`),
    expectTrue('title', 'a text', title, typeof title === 'string' && title !== ''),
    expectTrue('status', String(status), told, told === status),
    expectTrue('request_id', 'a text', requestId, typeof requestId === 'string' && requestId !== ''),
  ].flat();
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  return { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
