import { isObject } from '../../kernel/json-value.js';
import { type Expression, parseExpression, parseText, type Scope } from './expression.js';
import { toText } from './path.js';
import { mistake } from './scan.js';

/** A variable without a value where a value is needed. */
export class AbsentVariable extends Error {
  override readonly name = 'AbsentVariable';
  /** Name and path. */
  readonly variable: string;

  constructor({ text, variable }: Expression) {
    super(`{${text}} has no value`);
    this.variable = variable;
  }
}

/** Called for every compiled expression; `inEach`: it is inside an `each`. */
export type OnExpression = (expression: Expression, inEach?: boolean) => void;

/** A compiled text with expressions in braces. */
export interface TextTemplate {
  /** An absent `{name?}` is empty. @throws AbsentVariable */
  render(scope: Scope): string;
  /** Undefined when a `{name?}` is absent. @throws AbsentVariable */
  renderWhole(scope: Scope): string | undefined;
  /** Whether it begins with an expression: then its beginning was taken from an answer. */
  readonly startsOpen: boolean;
  /** Whether it has no expression. */
  readonly constant: boolean;
  /** Whether it is nothing but one expression. */
  readonly single: boolean;
}

/** @throws PasskeyError `configuration_invalid` */
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

/** Null has no text. */
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

/** A compiled JSON value. Undefined: it is left out. @throws AbsentVariable */
export type ValueTemplate = (scope: Scope) => unknown;

/**
 * Compiles a JSON value whose texts have expressions in braces. `{ "$": "expression" }` becomes the value itself with its type, and `{ "$":
 * "expression", "each": template }` a list: the template once for each element, which is its variable `item`. A member or element that
 * consists of an absent `{name?}` is left out. `$$` means a member called `$`, `$$$` one called `$$`, and so on.
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

/** The name of a member in a profile: a name of dollar signs alone gets one more. */
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
