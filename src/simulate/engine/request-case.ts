import { type HttpAnswer, type HttpRequest, PATHS, post } from '../http/http.js';
import { DIFFERS } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import { prepareActor, readyLogin } from './attempts.js';
import type { Case, CaseSpec } from './case.js';
import { type PreparedPasskey, requireApi } from './ceremony.js';
import type { CaseContext } from './context.js';
import { ACCEPTED, compareAnswer, compareProblem, type ExpectedAnswer } from './outcome.js';

/** Specification of a case that sends one request. */
interface RequestSpec extends CaseSpec {
  /** The expected response; default: status 200. */
  readonly expected?: ExpectedAnswer;
  /** Prepares the server for the request under test, and returns that request. */
  readonly request: (context: CaseContext) => HttpRequest | Promise<HttpRequest>;
  /** Required response headers: lower-case names, with the pattern that each value must match. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Checks the response in more detail, so that a server that answers every request with status 200 fails. */
  readonly check?: (answer: HttpAnswer) => readonly Mismatch[];
}

export function requestCase({ expected = ACCEPTED, request, headers = {}, check = () => [], ...described }: RequestSpec): Case {
  return {
    ...described,
    expected,
    needs: [...(described.needs ?? []), 'api'],
    async run(context) {
      const sent = await request(context);
      const at = `${sent.method} ${sent.path}`;
      const answer = await requireApi(context).target.send(sent);
      return [
        ...compareAnswer(at, expected, answer),
        ...compareHeaders(at, headers, answer),
        ...compareProblem(expected, answer),
        ...check(answer),
      ];
    },
  };
}

function compareHeaders(at: string, headers: Readonly<Record<string, RegExp>>, answer: HttpAnswer): Mismatch[] {
  return Object.entries(headers).flatMap(([name, pattern]) => {
    const value = String(answer.headers[name] ?? 'none');
    const mismatch = { at: `${at}: header ${name}`, expected: String(pattern), received: value, deviation: DIFFERS };
    return pattern.test(value) ? [] : [mismatch];
  });
}

/** Prepares a login at our own API with a fresh passkey of user 1. Returns the request that would finish the login. */
export async function loginToSend(context: CaseContext): Promise<{ readonly passkey: PreparedPasskey; readonly request: HttpRequest }> {
  const { passkey, body } = await readyLogin(await prepareActor(context, await context.session(1)));
  return { passkey, request: post(PATHS.login, body) };
}
