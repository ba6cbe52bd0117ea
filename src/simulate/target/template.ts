import { isObject } from '../../kernel/json-value.js';
import { type Expression, parseExpression, parseText, type Scope } from './expression.js';
import { toText } from './path.js';
import { mistake } from './scan.js';

/** Error for a template that needs a variable without a value. */
export class AbsentVariable extends Error {
  override readonly name = 'AbsentVariable';
  /** Name of the variable, with the path to a member. */
  readonly variable: string;

  constructor({ text, variable }: Expression) {
    super(`{${text}} has no value`);
    this.variable = variable;
  }
}

/** Called for every expression that is compiled. `inEach` says whether the expression is inside an `each`. */
export type OnExpression = (expression: Expression, inEach?: boolean) => void;

/** A compiled string template with expressions in braces. */
export interface TextTemplate {
  /** Fills in the expressions. An absent `{name?}` becomes an empty string. @throws AbsentVariable */
  render(scope: Scope): string;
  /**
   * Fills in the expressions of the template. Returns undefined if the value of a `{name?}` is absent.
   *
   * @throws AbsentVariable
   */
  renderWhole(scope: Scope): string | undefined;
  /** Whether the template begins with an expression. The beginning of the result may then come from a response. */
  readonly startsOpen: boolean;
  /** Whether the template contains no expression. */
  readonly constant: boolean;
  /** Whether the template consists of a single expression. */
  readonly single: boolean;
}

/**
 * Compiles a string template with expressions in braces.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function compileText(source: string, onExpression: OnExpression): TextTemplate {
  const parts = parseText(source);
  for (const part of parts) if (typeof part !== 'string') onExpression(part);
  const render = (scope: Scope): readonly (string | undefined)[] =>
    parts.map((part) => (typeof part === 'string' ? part : textIn(part, scope)));
  return {
    render: (scope) => render(scope).join(''),
    renderWhole(scope) {
      const texts = render(scope);
      return texts.includes(undefined) ? undefined : texts.join('');
    },
    startsOpen: typeof parts[0] !== 'string',
    constant: parts.every((part) => typeof part === 'string'),
    single: parts.length === 1 && typeof parts[0] !== 'string',
  };
}

/** Converts the value of an expression to a string. Undefined for null, which has no string form. */
function textIn(expression: Expression, scope: Scope): string | undefined {
  const text = toText(expression.evaluate(scope));
  if (text === undefined && !expression.optional) throw new AbsentVariable(expression);
  return text;
}

function valueIn(expression: Expression, scope: Scope): unknown {
  const value = expression.evaluate(scope);
  if (value === undefined && !expression.optional) throw new AbsentVariable(expression);
  return value;
}

/**
 * A compiled JSON value of a profile, as a function that fills it in. Returns undefined if the value must be left out.
 *
 * @throws AbsentVariable
 */
export type ValueTemplate = (scope: Scope) => unknown;

/**
 * Compiles a JSON value whose strings contain expressions in braces.
 *
 * - `{ "$": "expression" }` becomes the value of the expression with its type.
 * - `{ "$": "expression", "each": template }` becomes a list: the template is filled in for each element, which it reads as the variable
 * `item`.
 * - A member or element that consists of an absent `{name?}` is left out.
 * - `$$` stands for a member called `$`, `$$$` for a member called `$$`, and so on.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function compileValue(value: unknown, onExpression: OnExpression): ValueTemplate {
  if (typeof value === 'string') {
    const text = compileText(value, onExpression);
    return text.single ? text.renderWhole : text.render;
  }
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown) => compileValue(element, onExpression));
    return (scope) => elements.map((element) => element(scope)).filter((element) => element !== undefined);
  }
  if (!isObject(value)) return () => value;
  if (Object.hasOwn(value, '$')) return compileTyped(value, onExpression);
  const members = Object.entries(value).map(([name, member]) => [unescapeName(name), compileValue(member, onExpression)] as const);
  return (scope) =>
    Object.fromEntries(members.map(([name, member]) => [name, member(scope)] as const).filter(([, member]) => member !== undefined));
}

/** Escapes the name of a member for use in a profile: adds one dollar sign to a name that consists only of dollar signs. */
export const escapeName = (name: string): string => name.replace(/^\$+$/, '$&$$');

/** Undoes {@link escapeName}. */
export const unescapeName = (name: string): string => name.replace(/^\$(\$+)$/, '$1');

function compileTyped(value: Readonly<Record<string, unknown>>, onExpression: OnExpression): ValueTemplate {
  const { $: text, each, ...more } = value;
  if (typeof text !== 'string' || Object.keys(more).length > 0) {
    throw mistake('{ "$": "expression" } with no other member than "each"', JSON.stringify(value));
  }
  const expression = parseExpression(text);
  onExpression(expression);
  if (each === undefined) return (scope) => valueIn(expression, scope);
  return compileEach(
    expression,
    compileValue(each, (inner) => onExpression(inner, true)),
  );
}

function compileEach(expression: Expression, element: ValueTemplate): ValueTemplate {
  return (scope) => {
    const list = valueIn(expression, scope);
    if (list === undefined) return undefined;
    if (!Array.isArray(list)) throw mistake(`a list in {${expression.text}}`, JSON.stringify(list));
    return list.map((item: unknown) => element({ ...scope, item })).filter((value) => value !== undefined);
  };
}
