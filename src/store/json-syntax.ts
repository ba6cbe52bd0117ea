/** Where a text stops being JSON, counted from 1, and what should have stood there. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

// A string has no character below U+0020, no bare quote and no bare backslash.
const TOKEN =
  /[{}[\],:]|"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[\t\n\r ]*/y;

type Expecting = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'separator';

const EXPECTED: Readonly<Record<Expecting, string>> = {
  value: 'a value',
  'value-or-end': 'a value or "]"',
  name: 'a member name in double quotes',
  'name-or-end': 'a member name in double quotes or "}"',
  colon: '":"',
  separator: '"," or the end of the list',
};

/**
 * Finds the first place at which a text is not JSON. `JSON.parse` tells it only in the prose of its message, and not in every
 * version of Node, so this runs once that has failed.
 *
 * @returns undefined when the text is JSON.
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let offset = 0;
  for (;;) {
    SPACE.lastIndex = offset;
    offset += SPACE.exec(text)?.[0].length ?? 0;
    const done: boolean = expecting === 'separator' && open.length === 0;
    if (offset === text.length) return done ? undefined : locate(text, offset, EXPECTED[expecting]);
    TOKEN.lastIndex = offset;
    const token: string = TOKEN.exec(text)?.[0] ?? '';
    const next: Expecting | undefined = done || token === '' ? undefined : after(token, expecting, open);
    if (next === undefined) return locate(text, offset, done ? 'the end of the text' : EXPECTED[expecting]);
    expecting = next;
    offset += token.length;
  }
}

/** What is expected after a token; undefined when the token is not one that may stand here. Keeps `open` up to date. */
function after(token: string, expecting: Expecting, open: ('{' | '[')[]): Expecting | undefined {
  switch (expecting) {
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'separator':
      if (token === ',') return open.at(-1) === '{' ? 'name' : 'value';
      return close(token, open);
    case 'name':
    case 'name-or-end':
      if (token.startsWith('"')) return 'colon';
      return expecting === 'name-or-end' ? close(token, open) : undefined;
    case 'value':
    case 'value-or-end':
      if (token === '{' || token === '[') {
        open.push(token);
        return token === '{' ? 'name-or-end' : 'value-or-end';
      }
      if (token === ']') return expecting === 'value-or-end' ? close(token, open) : undefined;
      return token === '}' || token === ',' || token === ':' ? undefined : 'separator';
  }
}

function close(token: string, open: ('{' | '[')[]): Expecting | undefined {
  if (token !== (open.at(-1) === '{' ? '}' : ']')) return undefined;
  open.pop();
  return 'separator';
}

function locate(text: string, offset: number, expected: string): JsonSyntaxError {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, expected };
}
