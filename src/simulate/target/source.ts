import { didYouMean } from '../../kernel/nearest.js';
import { parsePipe } from './expression.js';
import { parsePath, valueAt } from './path.js';
import { mistake, splitOutside } from './scan.js';

/** A response of the target, in the form from which sources of a profile read values. */
export interface SourceAnswer {
  /** HTTP status, or the exit code of an `exec` step. */
  readonly status: number;
  readonly text: string;
  /** Body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Returns the value of a cookie that this response set. If it set no such cookie, returns the value in the cookie jar. */
  cookie(name: string): string | undefined;
  readonly url: string;
}

/** A compiled source of a value in a response, with its filters, e.g. `json user.id | string`. */
export interface Source {
  readonly kind: SourceKind;
  /** Reads the source's value from a response. Undefined if the response contains no such value. */
  read(answer: SourceAnswer): Promise<unknown>;
}

type Read = (answer: SourceAnswer) => unknown;

const withoutArgument =
  (kind: string, read: Read) =>
  (argument: string): Read => {
    if (argument !== '') throw mistake(`nothing after ${kind}`, JSON.stringify(argument));
    return read;
  };

const withName =
  (kind: string, read: (answer: SourceAnswer, name: string) => unknown) =>
  (name: string): Read => {
    if (name === '') throw mistake(`a name after ${kind}`, 'none');
    return (answer) => read(answer, name);
  };

const SOURCES = {
  json: (argument: string): Read => {
    const path = parsePath(argument);
    return ({ json }) => valueAt(json, path);
  },
  html: compileHtml,
  header: withName('header', (answer, name) => answer.header(name.toLowerCase())),
  cookie: withName('cookie', (answer, name) => answer.cookie(name)),
  status: withoutArgument('status', ({ status }) => status),
  text: withoutArgument('text', ({ text }) => text),
  url: withoutArgument('url', ({ url }) => url),
} as const satisfies Record<string, (argument: string) => Read>;

type SourceKind = keyof typeof SOURCES;

/** Names of all kinds of sources that a profile can use. */
const SOURCE_NAMES: readonly string[] = Object.keys(SOURCES);

const isKind = (text: string): text is SourceKind => Object.hasOwn(SOURCES, text);

/** Compiles a source of the form `SELECTOR` or `SELECTOR @attribute`. The HTML parser is loaded when the first response is read as HTML. */
function compileHtml(argument: string): Read {
  const [, selector = '', attribute] = /^(.*?)(?:\s+@([\w:-]+))?$/s.exec(argument) ?? [];
  if (selector === '') throw mistake('a CSS selector after html', JSON.stringify(argument));
  return async ({ text }) => {
    const { selectHtml } = await import('./html.js');
    return selectHtml(text, selector, attribute);
  };
}

/**
 * Compiles a source.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function parseSource(text: string): Source {
  const [head = '', ...filters] = splitOutside(text, '|');
  const [, kind = '', argument = ''] = /^(\S*)\s*(.*)$/s.exec(head) ?? [];
  if (!isKind(kind)) throw mistake(`a source (${SOURCE_NAMES.join(', ')})`, `${JSON.stringify(text)}${didYouMean(kind, SOURCE_NAMES)}`);
  const read = SOURCES[kind](argument);
  const pipe = parsePipe(filters);
  return { kind, read: async (answer) => pipe.apply(await read(answer)) };
}
