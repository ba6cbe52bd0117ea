import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const simulate = resolve(import.meta.dirname, '../../src/simulate');

/** The code of each file below a folder, without comments and without the contents of its texts. */
function readCode(folder: string): readonly (readonly [file: string, code: string])[] {
  return readdirSync(join(simulate, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(simulate, path).split(sep).join('/'), stripTexts(readFileSync(path, 'utf8'))] as const;
    });
}

function stripTexts(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}

const linesThat = (files: ReturnType<typeof readCode>, pattern: RegExp): string[] =>
  files.flatMap(([file, code]) =>
    code
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );

/** The members of a report that are sentences. */
const TEXTS = '(?:received|expected|said|hint)';
const METHODS = '(?:startsWith|endsWith|includes|indexOf|match|matchAll|search|split)';

/** A text that is compared, searched or matched. */
const DECIDES = new RegExp(
  [
    String.raw`\b${TEXTS}\??\.${METHODS}\(`,
    String.raw`\.(?:test|exec)\([\w.?!\[\]]*\b${TEXTS}\b`,
    String.raw`\b(?:mismatch|result|answer|first|each)\??\.${TEXTS} (?:===|!==)`,
    String.raw`(?:===|!==) (?:mismatch|result|answer|first|each)\??\.${TEXTS}\b`,
    String.raw`\b(?:received|said|hint) (?:===|!==) ''`,
  ].join('|'),
);

describe('verdicts come from data', () => {
  test('findings read no rendered text of a result', () => {
    expect(linesThat(readCode('findings'), new RegExp(String.raw`\b${TEXTS}\b|\bexchanges\b`))).toEqual([]);
  });

  test.each(['engine', 'findings', 'report', 'target', 'reporters', 'cases', 'load', 'mutations'])(
    'no file of simulate/%s decides by a rendered text',
    (folder) => {
      expect(linesThat(readCode(folder), DECIDES)).toEqual([]);
    },
  );

  test.each([
    "if (received.startsWith('failed'))",
    'return /^refused/.test(mismatch.received);',
    "mismatch.received === 'signed out'",
    "first?.said.includes('500')",
  ])('%s is such a decision', (line) => {
    expect(DECIDES.test(stripTexts(line))).toBe(true);
  });
});
