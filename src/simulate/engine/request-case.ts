import type { Case, CaseSpec } from './case.js';
import { apiOf } from './ceremony.js';
import { compareAnswer, compareProblem } from './compare-answer.js';
import type { CaseContext } from './context.js';
import type { HttpAnswer, HttpRequest } from './http.js';
import type { Mismatch } from './report.js';

/** One request. */
export interface RequestSpec extends CaseSpec {
  /** Prepares what the request needs, and returns it. */
  readonly request: (context: CaseContext) => HttpRequest | Promise<HttpRequest>;
  /** Lower-case names of required headers, with the pattern of their value. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Checks the answer, so that a server that answers 200 to everything does not pass. */
  readonly check?: (answer: HttpAnswer) => readonly Mismatch[];
}

export function requestCase({ tags = [], request, headers = {}, check = () => [], ...described }: RequestSpec): Case {
  return {
    ...described,
    tags: ['http', ...tags],
    needs: [...(described.needs ?? []), 'api'],
    async run(context) {
      const sent = await request(context);
      const at = `${sent.method} ${sent.path}`;
      const answer = await apiOf(context).target.send(sent);
      return [
        ...compareAnswer(at, described.expected, answer),
        ...compareHeaders(at, headers, answer),
        ...compareProblem(described.expected, answer),
        ...check(answer),
      ];
    },
  };
}

function compareHeaders(at: string, headers: Readonly<Record<string, RegExp>>, answer: HttpAnswer): Mismatch[] {
  return Object.entries(headers).flatMap(([name, pattern]) => {
    const received = String(answer.headers[name] ?? 'none');
    return pattern.test(received) ? [] : [{ at: `${at}: header ${name}`, expected: String(pattern), received }];
  });
}
