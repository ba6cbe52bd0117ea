import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Type from 'typebox';
import { expect, test } from 'vitest';
import { root } from './bundled-packages.js';

type Makers = typeof Type;

/** What the bundle of the command line has in place of TypeBox, where a module makes plain schemas only. */
const light: Makers = await import(pathToFileURL(join(root, 'build/light-typebox.mjs')).href);

const strict = { additionalProperties: false, title: 'All' };

/** Every kind of schema, with and without options, nested and optional. */
const schemasOf = (T: Makers): Readonly<Record<string, object>> => ({
  text: T.String(),
  pattern: T.String({ pattern: '^a$', description: 'An a.' }),
  integer: T.Integer({ minimum: 1 }),
  number: T.Number({ exclusiveMinimum: 0 }),
  boolean: T.Boolean(),
  nothing: T.Null(),
  unknown: T.Unknown({ description: 'Anything.' }),
  literals: T.Union([T.Literal('a'), T.Literal(1, { description: 'One.' }), T.Literal(true)], { description: 'One of three.' }),
  enumeration: T.Enum(['a', 'b'], { description: 'One of two.' }),
  list: T.Array(T.Union([T.String(), T.Null()]), { minItems: 1 }),
  record: T.Record(T.String(), T.Unknown(), { description: 'Members of any name.' }),
  described: T.Record(T.String({ description: 'A name.' }), T.String()),
  object: T.Object({ a: T.String(), b: T.Optional(T.Integer({ minimum: 1 })), c: T.Object({ d: T.Optional(T.Null()) }) }, strict),
  optional: T.Optional(T.Object({ a: T.Array(T.Number()) })),
  empty: T.Object({}),
  written: T.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^a$' }),
});

/** With the members that TypeBox hides, and whether each is hidden. */
function whole(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Array.isArray(value) ? value.map(whole) : value;
  return Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, { value: member, enumerable }]) => [
    name,
    { enumerable, member: whole(member) },
  ]);
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => Array.isArray(each) && each.length === 2)
    ? value.map(([name, { enumerable, member }]) => [name, { enumerable, member: sorted(member) }]).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : value;

test.each(Object.keys(schemasOf(Type)))('%s is the same object as TypeBox makes', (name) => {
  const [ours, theirs] = [light, Type].map((makers) => sorted(whole(schemasOf(makers)[name])));
  expect(ours).toStrictEqual(theirs);
});

test('every maker that stands in is compared', () => {
  const compared = schemasOf.toString();
  expect(Object.keys(light).filter((name) => !compared.includes(`T.${name}(`))).toEqual([]);
});

test('a record whose names are restricted is left to TypeBox', () => {
  expect(() => light.Record(light.String({ pattern: 'a' }), light.Null())).toThrow('any text as key');
});
