// node --import tsx build/reference/man-page.ts FILE: writes the manual page passkey(1).
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { version } from '../../src/cli/package.js';
import { type DescribedCommand, describeCommands, describeSettings } from './commands.js';

/** Makes the manual page, in roff, from the definitions of commands and settings. */
export async function makeManPage(): Promise<string> {
  const [program, ...commands] = await describeCommands();
  const variables = describeSettings().flatMap(({ variable, flag, description }) => item(variable, `As ${flag}: ${description}.`));
  const lines = [
    `.TH PASSKEY 1 "" "passkey ${escapeRoff(version())}"`,
    '.SH NAME',
    'passkey \\- test passkey (WebAuthn) flows',
    '.SH SYNOPSIS',
    '.B passkey',
    '.I COMMAND',
    '[options]',
    '.SH DESCRIPTION',
    escapeRoff(program?.description ?? ''),
    ...literal(program?.examples ?? ''),
    ...literal(program?.notes ?? ''),
    '.SH COMMANDS',
    ...commands.flatMap(describeInRoff),
    '.SH ENVIRONMENT',
    ...variables,
  ];
  return `${lines.join('\n')}\n`;
}

const describeInRoff = ({ usage, description, flags, examples, notes }: DescribedCommand): string[] => [
  `.SS "${escapeRoff(usage).replaceAll('"', '\\(dq')}"`,
  `${escapeRoff(description)}.`,
  ...flags.flatMap(([flag, about]) => item(flag, about)),
  ...literal(examples),
  ...literal(notes),
];

const item = (term: string, text: string): string[] => ['.TP', `\\fB${escapeRoff(term)}\\fR`, escapeRoff(text)];

/** Text whose lines stay as they are. */
const literal = (text: string): string[] => (text === '' ? [] : ['.PP', '.nf', ...text.split('\n').map(escapeRoff), '.fi']);

/** In ASCII. A line that begins with a dot or an apostrophe would be a request. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll(/[^\n -~]/gu, (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`);

const [, script, file] = process.argv;
if (file !== undefined && script === import.meta.filename) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await makeManPage());
}
