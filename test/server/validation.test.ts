import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { answerErrorsAsProblems } from '../../src/server/problem.js';
import * as fido from '../../src/server/routes/fido.js';
import * as ceremony from '../../src/server/schemas/ceremony.js';
import * as development from '../../src/server/schemas/development.js';
import * as explain from '../../src/server/schemas/explain.js';
import * as passkey from '../../src/server/schemas/passkey.js';
import { compileWithFirstRequest } from '../../src/server/validation.js';

interface Row {
  readonly keyword: string;
  /** The schema of one value, with what it allows. */
  readonly schema: JsonObject;
  readonly bad: unknown;
  /** What the message must say. */
  readonly bound: string;
}

const many = (length: number) => Array.from({ length }, (_, at) => at);

/** A value that a bound refuses, for every keyword that has one. */
const BAD: Readonly<Record<string, (limit: number) => unknown>> = {
  minimum: (limit) => limit - 1,
  maximum: (limit) => limit + 1,
  exclusiveMinimum: (limit) => limit,
  minLength: (limit) => 'x'.repeat(limit - 1),
  maxLength: (limit) => 'x'.repeat(limit + 1),
  minItems: (limit) => many(limit - 1),
  maxItems: (limit) => many(limit + 1),
};

function rowsOf(schema: unknown, seen = new Set<unknown>()): Row[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => rowsOf(each, seen));
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const own = Object.entries(schema).flatMap(([keyword, value]): Row[] => {
    const bad = BAD[keyword];
    if (bad !== undefined && typeof value === 'number') return [{ keyword, schema, bad: bad(value), bound: String(value) }];
    if (keyword === 'pattern') return [{ keyword, schema, bad: '\n', bound: value === '\\S' ? 'not white space' : String(value) }];
    if (keyword === 'const') return [{ keyword, schema, bad: 'something else', bound: JSON.stringify(value) }];
    if (keyword === 'enum') return [{ keyword, schema, bad: 'something else', bound: JSON.stringify(value) }];
    return [];
  });
  return [...own, ...Object.values(schema).flatMap((each) => rowsOf(each, seen))];
}

const { id: _id, ...invented } = {
  id: 0,
  minItems: { type: 'array', minItems: 1 },
  maxItems: { type: 'array', maxItems: 2 },
  exclusiveMinimum: { type: 'number', exclusiveMinimum: 3 },
};

describe('a message about a wrong value says what is allowed', () => {
  const schemas = [ceremony, development, explain, fido, passkey, invented];
  const rows = schemas.flatMap((module) => rowsOf({ ...module }));
  const app = fastify();
  const replies: string[] = [];

  beforeAll(async () => {
    app.setValidatorCompiler(compileWithFirstRequest);
    answerErrorsAsProblems(app, { production: false });
    for (const [at, { schema }] of rows.entries()) {
      app.post(`/${at}`, { schema: { body: { type: 'object', properties: { value: schema } } } }, async () => ({}));
    }
    for (const [at, { bad }] of rows.entries()) {
      const { detail } = (await app.inject({ method: 'POST', url: `/${at}`, payload: { value: bad } })).json();
      replies.push(String(detail));
    }
  });
  afterAll(() => app.close());

  test('for every bound of every body', () => {
    const found = new Set(rows.map(({ keyword }) => keyword));
    expect([...Object.keys(BAD), 'pattern', 'const', 'enum'].filter((keyword) => !found.has(keyword))).toEqual([]);
    const wrong = rows.flatMap(({ keyword, bound }, at) =>
      replies[at]?.startsWith('/value ') && replies[at].includes(bound) ? [] : [[keyword, bound, replies[at]]],
    );
    expect(wrong).toEqual([]);
    expect(replies.filter((reply) => reply.includes('does not fit'))).toEqual([]);
  });

  test('in words', async () => {
    const wordOf = (keyword: string) => replies[rows.findIndex((row) => row.keyword === keyword && row.schema !== undefined)];
    expect(['minItems', 'maxItems', 'exclusiveMinimum'].map(wordOf)).toEqual([
      '/value must have at least 1 item, it has 0.',
      '/value must have at most 64 items, it has 65.',
      '/value must be more than 3, it is 3.',
    ]);
  });
});
