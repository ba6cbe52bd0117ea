// Stands in for TypeBox where a module only makes schemas of the plain kinds: the same objects, without the engine for computed types, which
// short commands would spend more time on loading than on all else. test/architecture/light-typebox.test.ts compares them with TypeBox's.

/** `~kind` and the like are hidden, as TypeBox hides them: a schema is printed and compared without them. */
function create(hidden, members, options) {
  const schema = { ...members, ...options };
  for (const [key, value] of Object.entries(hidden)) {
    Object.defineProperty(schema, key, { configurable: true, writable: true, enumerable: false, value });
  }
  return schema;
}

const plain = (kind, type) => (options) => create({ '~kind': kind }, { type }, options);

const ObjectSchema = (properties, options) => {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name], '~optional'));
  return create({ '~kind': 'Object' }, { type: 'object', ...(required.length > 0 && { required }), properties }, options);
};

const RecordSchema = (key, value, options) => {
  if (key['~kind'] !== 'String' || key.pattern !== undefined) throw new TypeError('Expected a record with any text as key.');
  return create({ '~kind': 'Record' }, { type: 'object', patternProperties: { '^.*$': value } }, options);
};

const Optional = (schema) => {
  const hidden = Object.fromEntries(
    Object.getOwnPropertyNames(schema)
      .filter((key) => key.startsWith('~'))
      .map((key) => [key, schema[key]]),
  );
  return create({ ...hidden, '~optional': true }, schema, {});
};

const StringSchema = plain('String', 'string');
const NumberSchema = plain('Number', 'number');
const BooleanSchema = plain('Boolean', 'boolean');
const ArraySchema = (items, options) => create({ '~kind': 'Array' }, { type: 'array', items }, options);

export const Integer = plain('Integer', 'integer');
export const Null = plain('Null', 'null');
export const Literal = (value, options) => create({ '~kind': 'Literal' }, { type: typeof value, const: value }, options);
export const Union = (anyOf, options) => create({ '~kind': 'Union' }, { anyOf }, options);
export const Enum = (values, options) => create({ '~kind': 'Enum' }, { enum: values }, options);
/** Of a schema that is written out. */
export const Unsafe = (schema) => create({ '~unsafe': null }, { ...schema }, {});
export const Unknown = (options) => create({ '~kind': 'Unknown' }, {}, options);
export {
  ArraySchema as Array,
  BooleanSchema as Boolean,
  NumberSchema as Number,
  ObjectSchema as Object,
  Optional,
  RecordSchema as Record,
  StringSchema as String,
};
