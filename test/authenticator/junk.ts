import fc from 'fast-check';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

/** Names of members that some place looks for. */
const NAMES = ['id', 'type', 'name', 'first', 'second', 'eval', 'kind', 'fmt', 'rp', 'aborted', 'throwIfAborted', 'makeCredential', 'read'];
const unreadable = Object.defineProperties(
  { [fc.toStringMethod]: () => 'throwing getters' },
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      {
        enumerable: true,
        get() {
          throw new Error('broken');
        },
      },
    ]),
  ),
);

/** What nobody should hand over, in place of any member. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.constantFrom<unknown>(
    Symbol('x'),
    () => 'x',
    class {},
    cyclic,
    Array(2),
    [cyclic],
    [null],
    [7n],
    [Symbol('x')],
    unreadable,
    [unreadable],
    Object.create(null),
  ),
);

/** `object` with `value` at the path, such as `rp.name` or `list.0.type`; what is on the way is copied. */
export function withMember(object: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const member = rest.length === 0 ? value : withMember(Reflect.get(Object(object), name), rest.join('.'), value);
  return Array.isArray(object) ? object.with(Number(name), member) : { ...Object(object), [name]: member };
}
