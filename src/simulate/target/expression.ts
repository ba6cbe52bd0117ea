import { type Filter, parseFilter } from './filters.js';
import { type Path, parsePath, valueAt } from './path.js';
import { findOutside, mistake, splitOutside } from './scan.js';

/** Variables that a request can read, by name. */
export type Scope = Readonly<Record<string, unknown>>;

/** A compiled expression of a profile, such as `variable.path | filter argument | filter`. */
export interface Expression {
  /** Source text of the expression as written in the profile. */
  readonly text: string;
  /** Name of the variable that the expression reads, with the path to a member, e.g. `user.email`. */
  readonly variable: string;
  readonly path: Path;
  /** Whether a `?` marks the expression as optional. The value of an optional expression may be absent. */
  readonly optional: boolean;
  /** Whether an absent variable is allowed: the expression is optional, or one of its filters supplies a value instead. */
  readonly mayBeAbsent: boolean;
  /** Computes the value of the expression. Undefined if the variable has no value, or if a filter cannot convert it. */
  evaluate(scope: Scope): unknown;
}

/**
 * Compiles an expression.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function parseExpression(text: string): Expression {
  const [head = '', ...filters] = splitOutside(text, '|');
  const optional = head.endsWith('?');
  const variable = optional ? head.slice(0, -1).trim() : head;
  const path = parsePath(variable);
  if (path[0]?.kind !== 'member') throw mistake('an expression that begins with a variable, such as {user.email}', JSON.stringify(text));
  const pipe = parsePipe(filters);
  return {
    text: text.trim(),
    variable,
    path,
    optional,
    mayBeAbsent: optional || pipe.takesAbsent,
    evaluate: (scope) => pipe.apply(valueAt(scope, path)),
  };
}

/** Compiles filters into one that applies them in order. */
export function parsePipe(texts: readonly string[]): Filter {
  const filters = texts.map(parseFilter);
  return { apply: (value) => filters.reduce(applyTo, value), takesAbsent: filters.some(({ takesAbsent }) => takesAbsent) };
}

function applyTo(value: unknown, filter: Filter): unknown {
  return value === undefined && !filter.takesAbsent ? undefined : filter.apply(value);
}

/**
 * Parts of a string template: literal strings, and expressions that were written in braces. In the template, `{{` and `}}` stand for
 * literal braces.
 */
type TextParts = readonly (string | Expression)[];

/**
 * Splits a string template into literal strings and expressions.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function parseText(text: string): TextParts {
  const parts: (string | Expression)[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ((character === '{' || character === '}') && text[at + 1] === character) {
      literal += character;
      at += 1;
    } else if (character === '{') {
      const end = findOutside(text, '}', at + 1);
      if (end === text.length) throw mistake('a closing } (write {{ for a brace)', JSON.stringify(text));
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(parseExpression(text.slice(at + 1, end)));
      at = end;
    } else if (character === '}') {
      throw mistake('}} for a literal brace', JSON.stringify(text));
    } else literal += character;
  }
  return literal === '' && parts.length > 0 ? parts : [...parts, literal];
}
