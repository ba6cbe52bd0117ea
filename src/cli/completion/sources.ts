import type { Argument, Command, Option } from 'commander';
import { SEVERITY_NAMES } from '../../simulate/report/severity.js';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, AUDIT_WAYS } from '../../store/audit/entry.js';
import { nameFlag, nameVariable, SERVE_SETTINGS, type Setting } from '../config/settings.js';
import { findSorts, type Listing } from '../output/listing.js';
import { PASSKEYS } from '../passkey/rows.js';
import { TOKENS } from '../token/rows.js';
import { USERS } from '../user/rows.js';

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

/** The columns that a list shows, and those that sort it, in either order. */
const listSources = <T, SortKey>(command: string, listing: Listing<T, SortKey>): Readonly<Record<string, Source>> => ({
  [`${command} --columns`]: { words: Object.keys(listing.columns), several: true },
  [`${command} --sort`]: { words: findSorts(listing).flatMap((column) => [column, `-${column}`]) },
});

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
  ...listSources('list', PASSKEYS),
  ...listSources('token list', TOKENS),
  ...listSources('user list', USERS),
  'revoke <id>': { words: 'live-passkeys' },
  'restore <id>': { words: 'revoked-passkeys' },
  'show <id>': { words: 'passkeys' },
  'token revoke <id>': { words: 'live-tokens' },
  'completion <shell>': { words: ['bash', 'zsh', 'fish', 'powershell'] },
  'doctor --fail-on': { words: ['warn', 'fail'] },
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
