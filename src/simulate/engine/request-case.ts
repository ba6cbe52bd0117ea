import type { JsonObject } from '../../kernel/json-value.js';
import type { Case, CaseSpec } from './case.js';
import {
  authenticate,
  authorization,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  type PreparedPasskey,
  performed,
  registerPasskey,
  requireApi,
} from './ceremony.js';
import type { CaseContext } from './context.js';
import { type HttpAnswer, type HttpRequest, PATHS, post } from './http.js';
import { compareAnswer, compareProblem } from './outcome.js';
import type { Mismatch } from './report.js';

/** One request. */
interface RequestSpec extends CaseSpec {
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
      const answer = await requireApi(context).target.send(sent);
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

/** Our own API: a registration of user 1, ready to be sent. */
export async function registrationToSend(context: CaseContext, members: JsonObject = {}): Promise<HttpRequest> {
  const { ownPage } = createBrowser(context);
  const publicKey = await beginRegistration(context, await context.session(1));
  const response = await performed(context, ownPage.create({ publicKey }));
  return post(PATHS.register, { ...members, ...response }, authorization(context, 1));
}

interface LoginToSend {
  /** Registered for user 1 before. */
  readonly passkey: PreparedPasskey;
  readonly request: HttpRequest;
}

/** Our own API: a login with a fresh passkey of user 1, ready to be sent. */
export async function loginToSend(context: CaseContext): Promise<LoginToSend> {
  const browser = createBrowser(context);
  const session = await context.session(1);
  const passkey = await registerPasskey(context, session, browser);
  const options = await beginAuthentication(context, session.newVisit(), passkey);
  return { passkey, request: post(PATHS.login, await authenticate(context, browser, options)) };
}
