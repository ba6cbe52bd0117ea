import { isObject } from '../../kernel/json-value.js';

/** Characters of an object or list that stays on one line. */
const SHORT = 48;

/** JSON for people: what is short stays on one line. */
export function formatJson(value: unknown, indent = ''): string {
  const entries = entriesOf(value);
  if (entries === undefined) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const pad = Array.isArray(value) ? '' : ' ';
  const line = `${open}${pad}${entries.map(([name, member]) => name + formatJson(member)).join(', ')}${pad}${close}`;
  if (indent !== '' && line.length <= SHORT && !line.includes('\n')) return line;
  const inner = `${indent}  `;
  const lines = entries.map(([name, member]) => `${inner}${name}${formatJson(member, inner)}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Members with what stands before their value; undefined for what has none. */
function entriesOf(value: unknown): [string, unknown][] | undefined {
  if (Array.isArray(value)) return value.map((one: unknown): [string, unknown] => ['', one]);
  if (!isObject(value)) return undefined;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]): [string, unknown] => [`${JSON.stringify(name)}: `, member]);
}

/** For each line of `text`, whether it says something that `own` does not. Layout and commas do not count. */
export function changedLines(text: string, own: string): boolean[] {
  const known = new Set(own.split('\n').map(bare));
  return text.split('\n').map((line) => bare(line) !== '' && !known.has(bare(line)));
}

function bare(line: string): string {
  return line.trim().replace(/,$/, '');
}
