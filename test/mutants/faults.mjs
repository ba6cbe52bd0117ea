import { parseAst } from 'rolldown/parseAst';

const OPERATORS = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '-': '+',
  '&&': '||',
  '||': '&&',
};
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min', startsWith: 'endsWith', endsWith: 'startsWith' };
const ORDERS = ['toSorted', 'toReversed'];

/**
 * Lists the faults that a file can have: `by` instead of the expression `was` at `start` to `end`. `key` stands before both where the
 * expression is a member of an object by its name alone. `atLoad`: it is evaluated as the module is loaded, which may happen within any test.
 */
export function listFaults(file, text) {
  const faults = [];
  const source = ({ start, end }) => text.slice(start, end);
  let functions = 0;
  const add = (node, by, key = '') =>
    faults.push({ file, text, start: node.start, end: node.end, was: source(node), by, key, atLoad: functions === 0 });
  const rules = {
    BinaryExpression(node) {
      const by = OPERATORS[node.operator];
      if (by !== undefined) add(node, `(${source(node.left)} ${by} ${source(node.right)})`);
    },
    LogicalExpression(node) {
      const by = OPERATORS[node.operator];
      add(node, by === undefined ? `(${source(node.left)})!` : `((${source(node.left)}) ${by} (${source(node.right)}))`);
    },
    ConditionalExpression: (node) => add(node, `(${source(node.test)} ? ${source(node.alternate)} : ${source(node.consequent)})`),
    UnaryExpression(node) {
      if (node.operator === '!') add(node, `(${source(node.argument)})`);
    },
    Literal(node, parent) {
      if (typeof node.value === 'boolean') add(node, String(!node.value));
      else if (typeof node.value === 'number' && parent.key !== node) add(node, `(${node.raw} + 1)`);
    },
    CallExpression(node, parent) {
      const method = node.callee.property?.name;
      const object = node.callee.object && source(node.callee.object);
      const words = node.arguments.map(source).join(', ');
      if (parent.type === 'ExpressionStatement' && node.callee.type !== 'Super') add(node, 'void 0');
      else if (Object.hasOwn(METHODS, method)) add(node, `${object}.${METHODS[method]}(${words})`);
      else if (ORDERS.includes(method)) add(node, object);
      else if (method === 'filter') add(node, `${object}.filter(() => true)`);
    },
    Property(node, parent) {
      const isPlain = parent.type === 'ObjectExpression' && !node.computed && !node.method && node.kind === 'init';
      if (!isPlain || !['Identifier', 'MemberExpression'].includes(node.value.type) || source(node.value) === 'undefined') return;
      if (node.shorthand) add(node, 'undefined', `${source(node.key)}: `);
      else add(node.value, 'undefined');
    },
  };
  // Of a table of option names nobody reads the values.
  const isOptionNames = (node) =>
    (node.type === 'VariableDeclarator' && node.id.typeAnnotation && source(node.id.typeAnnotation).includes('OptionNames')) ||
    (node.type === 'CallExpression' && node.callee.name === 'refuseUnknown');
  function visit(node, parent) {
    if (Array.isArray(node)) return node.forEach((each) => visit(each, parent));
    // Types change nothing at run time.
    if (node === null || typeof node !== 'object' || /^(?:TS(?!As|NonNull|Satisfies)|Import|ExportAll)/.test(node.type ?? '')) return;
    if (isOptionNames(node)) return void (node.type === 'CallExpression' && rules.CallExpression(node, parent));
    rules[node.type]?.(node, parent);
    const isFunction = /Function/.test(node.type ?? '');
    if (isFunction) functions += 1;
    for (const [member, value] of Object.entries(node)) if (member !== 'typeAnnotation') visit(value, node);
    if (isFunction) functions -= 1;
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file).body, { type: 'Program' });
  return faults;
}
