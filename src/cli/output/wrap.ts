/** Functions that add colours to a string, or leave it unchanged if colours are off. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const LEAST = 20;

/** Breaks a string into lines of at most `width` characters. Breaks at spaces, and inside a word only if the word is longer than a line. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(width, LEAST);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    let start = 0;
    for (; line.length - start > room; start += room) {
      lines.push(line.slice(start, start + room));
    }
    line = line.slice(start);
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Renders a label with its text beside it. If the text does not fit on one line, it continues on further lines. */
export function labelled(label: string, text: string, { width, indent }: { readonly width: number; readonly indent: number }): string {
  return wrap(text, width - indent)
    .map((row, index) => `${(index === 0 ? label : '').padEnd(indent)}${row}`)
    .join('\n');
}
