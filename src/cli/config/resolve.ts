import { type ErrorCode, PasskeyError } from '../../errors.js';
import { didYouMean } from '../../kernel/nearest.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { type Io, warn } from '../io.js';
import { printable } from '../output/printable.js';
import { CONFIG_FILE, type ConfigFile, readConfigFile } from './file.js';
import {
  CONFIG_SETTINGS,
  CREDENTIAL_SETTINGS,
  type CredentialSettings,
  EXEC_SETTINGS,
  type ExecSettings,
  nameFlag,
  nameVariable,
  type Resolved,
  SERVE_SETTINGS,
  type ServeSettings,
  type Setting,
  STORE_SETTINGS,
  type StoreSettings,
} from './settings.js';
import type { Kind, Source } from './values.js';

type Table = Readonly<Record<string, Setting<unknown>>>;

/** Parsed flags of a command line, as commander returns them. An omitted flag has no key. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * Resolves the settings of a command that opens the store. Flags override `PASSKEY_*` variables, which override the configuration file,
 * which overrides defaults. Checks the whole configuration file, even keys that the command does not need, so that mistakes show at once.
 *
 * Refuses a store in memory, since such a store would start empty and end with the command.
 *
 * @throws PasskeyError `usage` naming the wrong flag or variable; `configuration_invalid` naming the wrong key of the configuration file.
 */
export async function resolveStoreSettings(io: Io, flags: Flags): Promise<StoreSettings> {
  const settings = await resolveTable(STORE_SETTINGS, io, flags);
  if (settings.store === 'memory:') {
    throw new PasskeyError(
      'usage',
      'A memory store exists only inside `passkey serve` and `passkey exec`. Give --store the path of a file in both places, or start exec with --temporary-store.',
    );
  }
  return settings;
}

/** Resolves the settings of a command that opens the credentials file. Otherwise like {@link resolveStoreSettings}. */
export async function resolveCredentialSettings(io: Io, flags: Flags): Promise<CredentialSettings> {
  return resolveTable(CREDENTIAL_SETTINGS, io, flags);
}

/** Resolves all settings of `serve`, whose store may be in memory. Otherwise like {@link resolveStoreSettings}. */
export async function resolveServeSettings(io: Io, flags: Flags): Promise<ServeSettings> {
  return resolveTable(SERVE_SETTINGS, io, flags);
}

/** Resolves all settings of `passkey exec`. Otherwise like {@link resolveServeSettings}. */
export async function resolveExecSettings(io: Io, flags: Flags): Promise<ExecSettings> {
  return resolveTable(EXEC_SETTINGS, io, flags);
}

async function resolveTable<T extends Table>(table: T, io: Io, flags: Flags): Promise<Resolved<T>> {
  const named = typeof flags.config === 'string' ? flags.config : undefined;
  const file = await readConfigFile(io, named);
  const fromFile = file === undefined ? {} : readValues(file);
  const here: Source = { form: 'text', base: io.cwd };
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(table)) {
    const variable = nameVariable(key);
    const given = entry.flagOnly ? undefined : io.env[variable];
    if (flags[key] !== undefined) {
      values[key] = readOrThrow({ kind: entry.kind, raw: flags[key], source: here, name: nameFlag(key, entry), code: 'usage' });
    } else if (given !== undefined && given !== '') {
      values[key] = readOrThrow({ kind: entry.kind, raw: given, source: here, name: variable, code: 'usage' });
    } else {
      values[key] = (entry.flagOnly ? undefined : fromFile[key]) ?? readFallback(entry, here);
      if (key === 'store' && file?.isNamed === false) sayCredentials(io, fromFile.store);
    }
  }
  return values as Resolved<T>;
}

/**
 * Prints a warning that names the credentials in the environment which will be sent to a database. The user may not have chosen the
 * database: a cloned repository may contain a configuration file that names it.
 */
function sayCredentials(io: Io, store: unknown): void {
  const url = typeof store === 'string' && isPostgresUrl(store) ? parseUrl(store) : undefined;
  if (url === undefined) return;
  const { username, password, host } = url;
  const given = Object.entries({ PGUSER: username, PGPASSWORD: password }).filter(([name, inUrl]) => inUrl === '' && Boolean(io.env[name]));
  if (given.length === 0) return;
  const names = given.map(([name]) => name).join(' and ');
  warn(
    io,
    printable(`${names} from the environment ${given.length === 1 ? 'goes' : 'go'} to the database that ${CONFIG_FILE} names: ${host}.`),
  );
}

function readValues(file: ConfigFile): Record<string, unknown> {
  const known: Table = CONFIG_SETTINGS;
  const values: Record<string, unknown> = {};
  for (const [key, raw] of Object.entries(file.values)) {
    if (key === '$schema') continue;
    const entry = Object.hasOwn(known, key) ? known[key] : undefined;
    if (entry === undefined) {
      throw new PasskeyError(
        'configuration_invalid',
        `${file.name} has an unknown key "${key}"${didYouMean(key, Object.keys(known))}. Known keys: ${Object.keys(known).join(', ')}.`,
      );
    }
    const source: Source = { form: 'json', base: file.base };
    values[key] = readOrThrow({ kind: entry.kind, raw, source, name: `${file.name}: "${key}"`, code: 'configuration_invalid' });
  }
  return values;
}

/** Reads the default value of a setting. A default path is relative to the working directory, so it is read like the value of a flag. */
function readFallback(entry: Setting<unknown>, source: Source): unknown {
  return typeof entry.fallback === 'string' ? entry.kind.read(entry.fallback, source) : entry.fallback;
}

/** Reads the value of a flag that has no variable and no key in the configuration file, such as `--limit`. */
export function readFlag<T>(io: Io, kind: Kind<T>, name: string, raw: unknown): T {
  return readOrThrow({ kind, raw, source: { form: 'text', base: io.cwd }, name, code: 'usage' });
}

function readOrThrow<T>(o: { kind: Kind<T>; raw: unknown; source: Source; name: string; code: ErrorCode }): T {
  const value = o.kind.read(o.raw, o.source);
  if (value !== undefined) return value;
  const wrong = o.kind.wrong?.(o.raw, o.source);
  if (wrong !== undefined) throw new PasskeyError(o.code, `${o.name}: ${wrong}.`);
  throw new PasskeyError(o.code, `${o.name} expects ${o.kind.expects}; got ${shown(o.raw)}.`);
}

function shown(raw: unknown): string {
  const text = JSON.stringify(raw) ?? String(raw);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
