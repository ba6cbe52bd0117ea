/** A command of a Markdown page, with the output that the page shows below it. */
export interface Example {
  readonly line: number;
  /** As a shell would get it, on one line. */
  readonly command: string;
  /** Lines shown; a `…` stands for any run of characters, a line that is only `…` for any lines. */
  readonly shown: readonly string[];
}

/** A block of code with commands: one sitting in one folder. */
export interface Sitting {
  readonly examples: readonly Example[];
}

const BLOCK = /^(?<indent> *)```(?:sh|console)\b.*\n(?<code>[^]*?)^ *```$/gm;
/** A command that a test runs, ours or another one of npx. */
const RUN = /^(?:passkey|npx|(?:npm ci && )?npm run .*passkey --) /;
/** Starts our command line: from the path, by npx, or in a clone, where `-s` keeps npm's own lines out of stdout. */
export const OURS = /^(?:passkey|npx passkey-cli|(?:npm ci && )?npm run -s passkey --) /;

/** Reads the commands that start as in {@link RUN}, in the blocks `sh` and `console`: in the latter they stand behind `$ `. */
export function readSittings(markdown: string): Sitting[] {
  return [...markdown.matchAll(BLOCK)].flatMap(({ index, groups }) => {
    const { indent = '', code = '' } = groups ?? {};
    const first = markdown.slice(0, index).split('\n').length + 1;
    const examples = readExamples(code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), first);
    return examples.length === 0 ? [] : [{ examples }];
  });
}

function readExamples(code: string, first: number): Example[] {
  const isConsole = /^\$ /m.test(code);
  const examples: { line: number; command: string; shown: string[] }[] = [];
  for (const [index, text] of code.trimEnd().split('\n').entries()) {
    const last = examples.at(-1);
    if (last?.command.endsWith('\\')) last.command = `${last.command.slice(0, -1).trim()} ${text.trim()}`;
    else if (!isConsole || text.startsWith('$ ')) examples.push({ line: first + index, command: text.replace('$ ', ''), shown: [] });
    else last?.shown.push(text);
  }
  return examples.filter(({ command }) => RUN.test(command));
}

/** Splits as a shell would, quotes included. */
export function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

/** A regular expression that the whole output must match. A time that is shown stands for any time. */
export function shownPattern(shown: readonly string[]): RegExp {
  const literal = (text: string) =>
    text
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/(?:\d{4}-\d\d-\d\d )?\b\d\d:\d\d(?::\d\d)?\b/g, (time) => time.replaceAll(/\d/g, '\\d'))
      // Ids of changes.
      .replace(/\b[0-9a-f]{12}\b/g, '[0-9a-f]{12}');
  const line = (text: string) => text.split('…').map(literal).join('.*');
  const body = shown.map((text) => (text.trim() === '…' ? '(?:.*\\n)*?' : `${line(text.trimEnd())} *\\n`)).join('');
  return new RegExp(`^${body}$`);
}
