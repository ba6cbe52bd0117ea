import { type DescribedCommand, describeCommands, describeSettings } from './commands.js';
import { toTable } from './errors-page.js';

const INTRODUCTION = `Every command with its flags, as \`--help\` shows them, and as \`man passkey\` does after a global installation.
Guides: [serve](../serve.md), [simulate](../simulate.md) and the [profiles](../targets.md) of servers, [explain](../explain.md),
[administration](../admin.md), [stores](../store.md), [tests](../testing.md), [CI](../ci.md). Formats: [fixtures](../fixtures.md),
[stream of ceremonies](../stream.md), [ceremony file](../ceremony-file.md). Messages and codes: [errors](../errors.md).`;

const SETTINGS = `Flags override variables, which override the configuration file, which overrides the defaults. The configuration file is
\`passkey.config.json\` in the working directory, or the file of \`--config\` or \`PASSKEY_CONFIG\`. Its relative paths count from its folder.`;

const OTHER_VARIABLES = [
  ['`PASSKEY_CONFIG`', 'the configuration file'],
  ['`PASSKEY_TOKEN`, `PASSKEY_TOKEN_2` …', 'bearer tokens for `simulate`; `exec` sets them, and `PASSKEY_URL`, for its command'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'no colour; colour also where the output is no terminal'],
  ['`CI`', '`serve` opens no browser'],
];

/** Makes docs/reference/cli.md from the definitions of commands and settings. */
export async function makeCliPage(): Promise<string> {
  const commands = await describeCommands();
  const sections = [
    '# Command line',
    INTRODUCTION,
    '## Settings',
    SETTINGS,
    toTable(
      ['Key', 'Variable', 'Flag', 'Meaning'],
      describeSettings().map(({ key, variable, flag, description }) => [
        `\`${key}\``,
        `\`${variable}\``,
        inCell(flag),
        escapeText(description),
      ]),
    ),
    'Other variables:',
    toTable(['Variable', 'Meaning'], OTHER_VARIABLES),
    ...commands.map(describeCommand),
  ];
  return `${sections.join('\n\n')}\n`;
}

function describeCommand({ name, usage, description, flags, examples, notes }: DescribedCommand): string {
  const level = '#'.repeat(Math.min(4, name.split(' ').length + 1));
  return [
    `${level} ${name}`,
    `${capitalise(escapeText(description))}${description.endsWith('.') ? '' : '.'}`,
    `\`${usage}\``,
    ...(flags.length === 0
      ? []
      : [
          toTable(
            ['Flag', 'Meaning'],
            flags.map(([flag, about]) => [inCell(flag), escapeText(about)]),
          ),
        ]),
    `\`\`\`text\n${examples}\n\`\`\``,
    ...(notes === '' ? [] : [`\`\`\`text\n${notes}\n\`\`\``]),
  ].join('\n\n');
}

/** Code in a cell of a table. */
const inCell = (code: string) => `\`${code.replaceAll('|', '\\|')}\``;

/** Text that Markdown would take for markup. */
const escapeText = (text: string) => text.replaceAll(/[<|*]/g, (sign) => `\\${sign}`);

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
