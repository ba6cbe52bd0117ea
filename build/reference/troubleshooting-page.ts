import { readFileSync } from 'node:fs';
import { explainErrorText } from '../../src/explain/error-text.js';
import type { Explanation } from '../../src/explain/error-texts/meaning.js';
import { MEANINGS } from '../../src/explain/error-texts/meanings.js';
import type { ErrorText } from '../../src/explain/error-texts/row.js';
import { ERROR_TEXTS } from '../../src/explain/error-texts/table.js';
import { toTable } from './errors-page.js';

const PAGE = new URL('../../docs/troubleshooting.md', import.meta.url);
const HEADING = '## Messages\n';

/** Makes docs/troubleshooting.md: what is written there, up to the messages, and the messages from the table of errors. */
export function makeTroubleshootingPage(): string {
  const [written = ''] = readFileSync(PAGE, 'utf8').split(HEADING);
  const meanings = new Map<string, { readonly meaning: Explanation; readonly rows: ErrorText[] }>();
  for (const row of ERROR_TEXTS) {
    const meaning = explainRow(row);
    const group = meanings.get(meaning.title) ?? { meaning, rows: [] };
    group.rows.push(row);
    meanings.set(meaning.title, group);
  }
  const sections = [...meanings.values()].map(({ meaning, rows }) => describeMeaning(meaning, rows));
  return `${written}${HEADING}\n${[INTRODUCTION, ...sections, '### Sources', SOURCES, tableOfSources()].join('\n\n')}\n`;
}

const INTRODUCTION = `By cause; values in them are examples. Whatever surrounds a message (a stack, a log, JSON) does not matter to \`passkey explain\`,
which also compares the origins in it.`;

const SOURCES = 'Where the messages stand, and in which version they were read there.';

function explainRow(row: ErrorText): Explanation {
  const explained: readonly Explanation[] = typeof row.about === 'string' ? [MEANINGS[row.about]] : explainErrorText(row.text);
  const [known] = explained;
  if (known === undefined) throw new Error(`Expected a text that its own row reads; got ${row.text}`);
  const { title, causes, next } = known;
  return { title, causes, next: next.replace('{option}', 'the [option of your library](errors.md)') };
}

function describeMeaning({ title, causes, next }: Explanation, rows: readonly ErrorText[]): string {
  return [
    `### ${title}`,
    causes.map((cause, index) => `${index + 1}. ${cause}`).join('\n'),
    `**Fix:** ${next}`,
    rows.map(({ from, text }) => `- ${quoteCode(text)} (${from})`).join('\n'),
  ].join('\n\n');
}

const quoteCode = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

function tableOfSources(): string {
  const sources = new Map(ERROR_TEXTS.map(({ from, version, source }) => [source, [from, version, source]]));
  return toTable(['Program', 'Version', 'Source'], [...sources.values()]);
}
