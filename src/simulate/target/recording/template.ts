import { jsonInText, type Step } from './leaves.js';

/** A part of a text: as it is, or the value of an expression. */
export type Piece = string | { readonly expression: string };

/** A value of a request with what changes from run to run named by expressions. */
export type Template =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'value'; readonly expression: string }
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, Template])[] }
  | { readonly kind: 'items'; readonly items: readonly Template[] }
  | { readonly kind: 'json'; readonly inner: Template };

/** Replaces the value at a path; undefined: go on inside it, or take it as it is. */
export type Replace = (path: readonly Step[], value: unknown) => Template | undefined;

export function buildTemplate(value: unknown, replace: Replace, path: readonly Step[] = []): Template {
  const replaced = replace(path, value);
  if (replaced !== undefined) return replaced;
  if (typeof value === 'string') {
    const json = jsonInText(value);
    const inner = json === undefined ? undefined : buildTemplate(json, replace, [...path, { json: true }]);
    return inner === undefined || isLiteral(inner) ? { kind: 'literal', value } : { kind: 'json', inner };
  }
  if (Array.isArray(value)) {
    return { kind: 'items', items: value.map((each: unknown, index) => buildTemplate(each, replace, [...path, { index }])) };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'literal', value };
  return {
    kind: 'members',
    members: Object.entries(value).map(([key, each]) => [key, buildTemplate(each, replace, [...path, { key }])] as const),
  };
}

function isLiteral(template: Template): boolean {
  switch (template.kind) {
    case 'literal':
      return true;
    case 'members':
      return template.members.every(([, each]) => isLiteral(each));
    case 'items':
      return template.items.every(isLiteral);
    case 'json':
      return isLiteral(template.inner);
    default:
      return false;
  }
}

/** As a profile has it. */
export function writeTemplate(template: Template): unknown {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? escapeBraces(template.value) : template.value;
    case 'text':
      return writePieces(template.pieces);
    case 'value':
      return { $: template.expression };
    case 'members':
      return Object.fromEntries(template.members.map(([key, each]) => [key, writeTemplate(each)]));
    case 'items':
      return template.items.map(writeTemplate);
    case 'json':
      return template.inner.kind === 'value' ? { $: `${template.inner.expression} | string` } : embedded(template.inner);
  }
}

export function writePieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? escapeBraces(piece) : `{${piece.expression}}`)).join('');
}

const escapeBraces = (text: string): string => text.replaceAll(/[{}]/g, '$&$&');

/** A text of JSON with expressions in it. */
function embedded(template: Template): string {
  switch (template.kind) {
    case 'literal':
      return escapeBraces(JSON.stringify(template.value));
    case 'text': {
      const [only, ...others] = template.pieces;
      if (typeof only === 'object' && others.length === 0) return `{${only.expression} | string}`;
      return `"${template.pieces.map((piece) => (typeof piece === 'string' ? escapeBraces(JSON.stringify(piece).slice(1, -1)) : `{${piece.expression}}`)).join('')}"`;
    }
    case 'value':
      return `{${template.expression} | string}`;
    case 'members':
      return `{{${template.members.map(([key, each]) => `${escapeBraces(JSON.stringify(key))}:${embedded(each)}`).join(',')}}}`;
    case 'items':
      return `[${template.items.map(embedded).join(',')}]`;
    case 'json':
      return `{${embedded(template.inner)} | string}`;
  }
}
