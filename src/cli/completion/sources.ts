import type { Argument, Command, Option } from 'commander';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, AUDIT_WAYS } from '../../store/audit/entry.js';
import { nameFlag, nameVariable, SERVE_SETTINGS, type Setting } from '../config/settings.js';
import {
  PASSKEY_COLUMNS,
  PASSKEY_SORT_COLUMNS,
  TOKEN_COLUMNS,
  TOKEN_SORT_COLUMNS,
  USER_COLUMNS,
  USER_SORT_COLUMNS,
} from '../definitions/columns.js';

/** Lists that are made when they are asked for: of what is stored, or of tables that take a moment to load. */
export type ListName =
  | 'algorithms'
  | 'attestation-formats'
  | 'cases'
  | 'credentials'
  | 'failed-checks'
  | 'live-passkeys'
  | 'live-tokens'
  | 'mutations'
  | 'passkeys'
  | 'personas'
  | 'profiles'
  | 'revoked-passkeys'
  | 'shapes'
  | 'steps'
  | 'tags'
  | 'users';

/** The values that a flag or argument takes. `several` are separated by commas. */
export interface Source {
  readonly words?: ListName | readonly string[];
  /** The names that the shell itself adds. */
  readonly shell?: 'files' | 'folders' | 'commands';
  readonly several?: true;
}

const FILES: Source = { shell: 'files' };
const FREE: Source = {};

/** Columns to sort by, in either order. */
const sorting = (columns: readonly string[]): Source => ({ words: columns.flatMap((column) => [column, `-${column}`]) });

/** By command and flag or argument; a flag alone is the same with every command. Everything else goes by its placeholder. */
const NAMED: Readonly<Record<string, Source>> = {
  '--auth-action': { words: ['session', 'token', 'expiring_token'], shell: 'files' },
  '--algorithms': { words: 'algorithms', several: true },
  '--persona': { words: 'personas' },
  '--user-verification': { words: ['as-asked', 'always', 'never'] },
  '--mediation': { words: ['conditional'] },
  '--tamper': { words: 'mutations' },
  '--self-attestation': { words: ['accept', 'refuse'] },
  '--backup-eligible': { words: ['true', 'false'] },
  '--attestation-format': { words: 'attestation-formats', several: true },
  'audit --action': { words: AUDIT_ACTIONS, several: true },
  'audit --code': { words: 'failed-checks', several: true },
  'audit --outcome': { words: AUDIT_OUTCOMES },
  'audit --passkey': { words: 'passkeys' },
  'audit --via': { words: AUDIT_WAYS, several: true },
  'attestation-root --format': { words: ['pem', 'statement', 'blob', 'blob-root'] },
  'credential create --algorithm': { words: 'algorithms' },
  'credential answer --id': { words: 'credentials' },
  'credential convert --id': { words: 'credentials' },
  'credential remove <id>': { words: 'credentials' },
  'list --columns': { words: PASSKEY_COLUMNS, several: true },
  'list --sort': sorting(PASSKEY_SORT_COLUMNS),
  'token list --columns': { words: TOKEN_COLUMNS, several: true },
  'token list --sort': sorting(TOKEN_SORT_COLUMNS),
  'user list --columns': { words: USER_COLUMNS, several: true },
  'user list --sort': sorting(USER_SORT_COLUMNS),
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
  file: FILES,
  'file...': FILES,
  location: FILES,
  'file|dir': FILES,
  from: FILES,
  to: FILES,
  'name[=file]': { words: ['pretty', 'json', 'junit', 'tap', 'github', 'html'], several: true },
  path: FILES,
  profile: { words: 'profiles', shell: 'files' },
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
      'handle',
      'host',
      'id',
      'name',
      'name...',
      'name=value',
      'number',
      'number/s',
      'number|off',
      'origin',
      'question=answer',
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

/** The names of a command, without that of the program: `token create`. */
function joinNames(command: Command): string {
  const parent = command.parent;
  return parent === null ? '' : `${joinNames(parent)} ${command.name()}`.trim();
}

/** The placeholder of a flag's value; undefined for a switch. */
export const readPlaceholder = ({ flags }: Option): string | undefined => /[<[](.+)[>\]]$/.exec(flags)?.[1];

/** Finds the values that a flag takes; undefined where no table has them. */
export function findOptionSource(command: Command, option: Option): Source | undefined {
  const flag = option.long ?? '';
  const placeholder = readPlaceholder(option) ?? '';
  const choices = findSetting(option)?.kind.choices;
  return (
    NAMED[`${joinNames(command)} ${flag}`] ??
    (choices === undefined ? undefined : { words: choices }) ??
    NAMED[flag] ??
    BY_PLACEHOLDER[placeholder]
  );
}

/** Finds the values that an argument takes. */
export function findArgumentSource(command: Command, argument: Argument): Source | undefined {
  return NAMED[`${joinNames(command)} <${argument.name()}>`] ?? BY_PLACEHOLDER[argument.name()];
}

/** The setting behind a flag: its help names the variable, which tells it from another flag of the same name. */
function findSetting({ long, description }: Option): Setting<unknown> | undefined {
  const all: Readonly<Record<string, Setting<unknown>>> = SERVE_SETTINGS;
  return Object.entries(all).find(
    ([key, entry]) => nameFlag(key, entry) === long && description.includes(`env: ${nameVariable(key)})`),
  )?.[1];
}
