import { makeVocabulary } from './vocabulary.js';

const SERIOUS = {
  critical: 'access to the account of another user',
  high: 'phishing, replay, a lost second factor, or a server that one request ends',
} as const;

/** The page of the skill with the serious causes, worst first, from the vocabulary. */
export function makeMistakesPage(): string {
  const { causes } = makeVocabulary();
  const sections = Object.entries(SERIOUS).map(([severity, meaning]) => {
    const rows = causes.filter((cause) => cause.severity === severity);
    const lines = rows.map(({ id, sentence, remedy }) => `- \`${id}\`: ${sentence}${remedy === null ? '' : ` *Fix:* ${remedy}`}`);
    return `## ${severity}: ${meaning}\n\n${lines.join('\n')}\n`;
  });
  return [
    '# What servers get wrong',
    '',
    'The causes of findings, by their names in a report, worst first. `passkey-cli/vocabulary.json` has those of lower severity as well, with references.',
    '',
    sections.join('\n'),
  ].join('\n');
}
