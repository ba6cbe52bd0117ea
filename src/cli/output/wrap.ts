/** Adds colours to text, or leaves it unchanged. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const LEAST = 20;

/** Breaks a text into lines of at most `width` characters, at spaces and within words that are longer. */
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

/** Lays out a label with its text beside it, on as many lines as the text needs. */
export function labelled(label: string, text: string, { width, indent }: { readonly width: number; readonly indent: number }): string {
  return wrap(text, width - indent)
    .map((row, index) => `${(index === 0 ? label : '').padEnd(indent)}${row}`)
    .join('\n');
}
