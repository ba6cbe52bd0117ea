/** Reads the ```console blocks of a Markdown file: each `$ command` with the output that is shown below it. */
export interface Example {
  readonly line: number;
  readonly command: readonly string[];
  /** Lines shown; a `…` stands for any run of characters, a line that is only `…` for any lines. */
  readonly shown: readonly string[];
}

/** The blocks in the order they stand; one block is one sitting in one folder. */
export function readExamples(markdown: string): Example[][] {
  const blocks: Example[][] = [];
  let block: { line: number; command: string[]; shown: string[] }[] | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (!block) {
      if (text === '```console') block = [];
      continue;
    }
    if (text === '```') {
      blocks.push(block);
      block = undefined;
    } else if (text.startsWith('$ ')) {
      block.push({ line: index + 1, command: words(text.slice(2)), shown: [] });
    } else {
      block.at(-1)?.shown.push(text);
    }
  }
  return blocks;
}

/** Splits as a shell would, quotes included; nothing else of a shell is used in the examples. */
export function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

/** A regular expression that the whole output must match. A time that is shown stands for any time. */
export function shownPattern(shown: readonly string[]): RegExp {
  const literal = (text: string) =>
    text
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d')
      // Ids of changes.
      .replace(/\b[0-9a-f]{12}\b/g, '[0-9a-f]{12}');
  const line = (text: string) => text.split('…').map(literal).join('.*');
  const body = shown.map((text) => (text.trim() === '…' ? '(?:.*\\n)*?' : `${line(text.trimEnd())} *\\n`)).join('');
  return new RegExp(`^${body}$`);
}
