import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../../e2e/passkey-process.js';
import { readSittings, type Sitting, shownPattern } from './markdown.js';
import { argvOf, expectSuccess, isSlow, openSitting, shortened } from './outcome.js';

/** Commands, pages and folders of pages that another test runs. */
const ELSEWHERE = new Map([
  ['npx playwright test', 'test/e2e/testing-browser-docs.release.test.ts'],
  ['docs/browse.md', 'test/e2e/browse.release.test.ts'],
  ['docs/quick-start', 'test/e2e/quick-start.release.test.ts'],
]);

const listPages = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

const pages = [
  'README.md',
  ...listPages('skills'),
  ...listPages('docs').filter((name) => !ELSEWHERE.has(name) && !ELSEWHERE.has(dirname(name))),
];

/** By the place of their first command. */
export const SITTINGS: readonly (readonly [place: string, sitting: Sitting])[] = pages.flatMap((page) =>
  readSittings(readFileSync(join(ROOT, page), 'utf8'))
    .filter(({ examples }) => !examples.every(({ command }) => ELSEWHERE.has(command)))
    .map((sitting): [string, Sitting] => [`${page}:${sitting.examples[0]?.line}`, sitting]),
);

export const isLong = ({ examples }: Sitting): boolean => examples.some(({ command }) => isSlow(command));

/** Lists are shown as a terminal has them; tables of files and times as a pipe gets them, since those say more. */
const widthFor = (command: string): Readonly<Record<string, string>> =>
  /^passkey (?:audit|fixture)\b/.test(command) ? {} : { COLUMNS: '80' };

const CHANGE = /\(change ([0-9a-f]{12})\)/;

/** Runs the commands of a block, and compares what both streams say with what the page shows. */
export async function expectShown({ examples }: Sitting): Promise<void> {
  const run = await openSitting(examples.map(({ command }) => command).join('\n'));
  const changes = new Map<string, string>();
  for (const { line, command, shown } of examples) {
    const given = argvOf(command).map((word) => changes.get(word) ?? word);
    const argv = shown.length === 0 ? shortened(given) : given;
    const ran = await run(argv, { NO_COLOR: '1', ...widthFor(command) });
    if (shown.length === 0) {
      expectSuccess(argv, ran);
      continue;
    }
    changes.set(CHANGE.exec(shown.join('\n'))?.[1] ?? '', CHANGE.exec(ran.stderr)?.[1] ?? '');
    // Remarks come before a table, counts after it; a terminal shows both streams as they are written.
    const pattern = shownPattern(shown);
    const said = [ran.stderr + ran.stdout, ran.stdout + ran.stderr];
    expect(said.find((text) => pattern.test(text)) ?? said[1], `line ${line}: ${command}`).toMatch(pattern);
  }
}
