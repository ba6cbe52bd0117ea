import type { LightMyRequestResponse } from 'fastify';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { asObject, isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { hold } from './parser.js';

/** What `GET /openapi.json` says of the answers, to hold real ones against. */
export interface Contract {
  /** Throws a BrokenProperty for an answer that the document does not know, or that breaks a rule of every answer. */
  check(method: string, url: string, answer: LightMyRequestResponse): void;
}

interface Operation {
  readonly path: RegExp;
  readonly method: string;
  /** Schema of the JSON body by status; undefined where an answer has no body. */
  readonly responses: ReadonlyMap<number, TSchema | undefined>;
}

const PROBLEM = /^application\/problem\+json/;
const JSON_BODY = /^application\/json/;
/** What a request costs in answers: no echo of a body, no list of everything. */
const LONGEST_ANSWER = 256 * 1024;

export function readContract(openApi: JsonObject, production: boolean): Contract {
  const problem = inlined(asObject(asObject(openApi['components'])['schemas'])['Problem'], undefined) as TSchema;
  const operations = Object.entries(asObject(openApi['paths'])).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) => operationOf(path, method, asObject(operation), problem)),
  );
  return {
    check(method, url, answer) {
      const { statusCode: status, headers } = answer;
      const type = String(headers['content-type'] ?? '');
      hold(status < 500, `no answer is a ${status}: ${answer.body.slice(0, 500)}`);
      hold(typeof headers['x-request-id'] === 'string', 'every answer has an X-Request-Id');
      hold(headers['cache-control'] === 'no-store' || !url.startsWith('/api/'), 'no answer of the API is cached');
      hold(answer.rawPayload.length <= LONGEST_ANSWER, `an answer is short; this one has ${answer.rawPayload.length} bytes`);
      if (status >= 400 && method !== 'HEAD' && !isFidoApi(url)) checkProblem(answer, type, problem, production);
      const operation = operations.find((each) => each.method === method.toLowerCase() && each.path.test(pathOf(url)));
      if (operation === undefined) return;
      hold(
        operation.responses.has(status),
        `${method} ${operation.path.source} documents ${[...operation.responses.keys()]}, not ${status}`,
      );
      const schema = operation.responses.get(status);
      if (schema === undefined) {
        hold(answer.body === '', `${status} has no body`);
        return;
      }
      hold((status >= 400 ? PROBLEM : JSON_BODY).test(type), `the content type fits ${status}: ${type}`);
      const [wrong] = Errors(schema, answer.json());
      hold(wrong === undefined, `the body of ${method} ${operation.path.source} ${status} fits: ${JSON.stringify(wrong)}`);
    },
  };
}

function isFidoApi(url: string): boolean {
  return /^\/(attestation|assertion)\//.test(url);
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

function operationOf(path: string, method: string, { responses }: JsonObject, problem: TSchema): Operation {
  const entries = Object.entries(asObject(responses)).map(([status, response]): [number, TSchema | undefined] => {
    const [content] = Object.values(asObject(asObject(response)['content']));
    const { schema } = asObject(content);
    return [Number(status), schema === undefined ? undefined : (inlined(schema, problem) as TSchema)];
  });
  const pattern = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return { path: new RegExp(`^${pattern}$`), method, responses: new Map(entries) };
}

/** With what references name in their place; there is one schema that they name. */
function inlined(schema: unknown, problem: TSchema | undefined): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlined(item, problem));
  if (!isObject(schema)) return schema;
  if (typeof schema['$ref'] === 'string') return problem;
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inlined(value, problem)]));
}

function checkProblem(
  { statusCode: status, headers, body }: LightMyRequestResponse,
  type: string,
  schema: TSchema,
  production: boolean,
): void {
  hold(PROBLEM.test(type), `a ${status} is a problem document, not ${type || 'without a type'}: ${body.slice(0, 200)}`);
  const problem = asObject(JSON.parse(body));
  const [wrong] = Errors(schema, problem);
  hold(wrong === undefined, `the problem document fits its schema: ${JSON.stringify(wrong)}`);
  hold(problem['status'] === status, `the problem says ${String(problem['status'])}, the answer ${status}`);
  hold(problem['type'] === `urn:passkey:problem:${String(problem['code'])}`, 'the type of a problem is that of its code');
  hold(problem['request_id'] === headers['x-request-id'], 'body and header name the same request');
  hold(!production || (problem['detail'] === undefined && problem['step'] === undefined), 'in production a problem has no details');
  hold(status !== 401 || String(headers['www-authenticate']).startsWith('Bearer'), 'a 401 says how to authenticate');
  hold(status !== 405 || typeof headers['allow'] === 'string', 'a 405 says what is allowed');
  hold(status !== 429 || headers['retry-after'] !== undefined, 'a 429 says when to try again');
}
