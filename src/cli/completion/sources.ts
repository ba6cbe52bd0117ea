import type { Argument, Command, Option } from 'commander';
import { SEVERITY_NAMES } from '../../simulate/report/severity.js';
import { completesWith, type Source } from '../flag.js';

const FILES: Source = { shell: 'files' };
const FREE: Source = {};

/** Sources of the values of arguments, by command and argument. The values of all other arguments depend only on the argument's name. */
const BY_ARGUMENT: Readonly<Record<string, Source>> = {
  'browse <case>': { words: 'page-cases' },
  'credential remove <id>': { words: 'credentials' },
  'revoke <id>': { words: 'live-passkeys' },
  'restore <id>': { words: 'revoked-passkeys' },
  'show <id>': { words: 'passkeys' },
  'token revoke <id>': { words: 'live-tokens' },
  'completion <shell>': { words: ['bash', 'zsh', 'fish', 'powershell'] },
  'exec <command>': { shell: 'commands' },
};

const BY_PLACEHOLDER: Readonly<Record<string, Source>> = {
  case: { words: 'cases' },
  dir: { shell: 'folders' },
  'dir|url': { shell: 'folders' },
  file: FILES,
  'file...': FILES,
  location: FILES,
  'file|dir': FILES,
  from: FILES,
  to: FILES,
  'name[=file]': { words: ['pretty', 'json', 'junit', 'tap', 'github', 'html', 'sarif'], several: true },
  path: FILES,
  profile: { words: 'profiles', shell: 'files' },
  severity: { words: SEVERITY_NAMES },
  shape: { words: 'shapes' },
  slug: { words: 'steps', several: true },
  tag: { words: 'tags', several: true },
  user: { words: 'users' },
  way: { words: ['verbatim', 'rebound'], several: true },
  // Files or text.
  key: FILES,
  ...Object.fromEntries(
    [
      'aaguid',
      'address',
      'bytes',
      'count',
      'command',
      'duration',
      'email',
      'endpoint',
      'handle',
      'host',
      'host=address',
      'id',
      'name',
      'name...',
      'name=value',
      'number',
      'number/s',
      'number|off',
      'origin',
      'part/parts',
      'registrations:logins',
      'text',
      'time',
      'times',
      'token',
      'type',
      'url',
      'url...',
    ].map((placeholder) => [placeholder, FREE]),
  ),
};

/** Makes the full name of a command without the program's name: `token create`. */
function joinNames(command: Command): string {
  const parent = command.parent;
  return parent === null ? '' : `${joinNames(parent)} ${command.name()}`.trim();
}

/** Reads the placeholder of a flag's value. Undefined for a switch, which has no value. */
const readPlaceholder = ({ flags }: Option): string | undefined => /[<[](.+)[>\]]$/.exec(flags)?.[1];

/** Finds the source of the possible values of a flag. Undefined if no table lists the flag. */
export const findOptionSource = (option: Option): Source | undefined =>
  completesWith(option) ?? BY_PLACEHOLDER[readPlaceholder(option) ?? ''];

/** Finds the source of the possible values of an argument. Undefined if no table lists the argument. */
export const findArgumentSource = (command: Command, argument: Argument): Source | undefined =>
  BY_ARGUMENT[`${joinNames(command)} <${argument.name()}>`] ?? BY_PLACEHOLDER[argument.name()];
