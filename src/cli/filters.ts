import type { Command } from 'commander';
import type { Accounts } from '../accounts/accounts.js';
import type { AccessFilter, OwnerFilter, PasskeyTraits } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';
import { spellFlag } from '../kernel/wording.js';
import type { PasskeyFilter } from '../relying-party/ports.js';
import { aaguidsNamed, formatAaguid, likeProvider, parseAaguid } from '../webauthn/aaguid.js';
import { type Flags, readFlag } from './config/resolve.js';
import { type Kind, list, moment, parsed, text } from './config/values.js';

import { addFlags } from './flags.js';
import type { Io } from './io.js';

const TIME = 'a date, a time or how long ago, e.g. 2026-01-31 or 30d';

export const FILTERS_HELP = 'Each filter narrows the others. Times without an offset are in UTC.';

/** Words that the help of a command uses to describe the filters. */
interface Words {
  /** Names the members that `--label` searches. */
  readonly label: string;
  /** Words inserted before a condition on a passkey, if the command lists something else than passkeys. */
  readonly passkey: string;
  /** The end of the description of `--unused-since`, which begins with "only …". */
  readonly unused: string;
}

interface Filter {
  about(words: Words): string;
  /**
   * Converts the value of the flag to a filter. @param read reads the value as a given kind. @param time the kind of values that are times.
   */
  read(o: { read<T>(kind: Kind<T>): T; readonly time: Kind<number>; readonly accounts: Accounts }): PasskeyFilter | Promise<PasskeyFilter>;
}

const word = text({ placeholder: 'text' });

const aaguid = parsed({
  placeholder: 'aaguid',
  expects: 'an AAGUID of 8-4-4-4-12 hexadecimal digits',
  parse(raw) {
    try {
      return formatAaguid(parseAaguid(String(raw)));
    } catch {
      return undefined;
    }
  },
});

/** All filter flags that have a value. The key is the name that commander gives the flag. */
const FILTERS = {
  user: {
    about: () => 'only those of this user: an e-mail, TYPE:ID or id',
    async read({ read, accounts }) {
      const { type, id } = await accounts.resolveUser(read(word));
      return { owner: { type, id } };
    },
  },
  type: { about: () => 'only those of this type of user', read: ({ read }) => ({ type: read(word) }) },
  label: {
    about: ({ label }) => `only those with this text in their ${label}, ignoring case`,
    read: ({ read }) => ({ label: read(word) }),
  },
  rpId: {
    about: ({ passkey }) => `only those${passkey} of this RP ID`,
    read: ({ read }) => ({ rpId: read(word) }),
  },
  provider: {
    about: ({ passkey }) => `only those${passkey} of a provider or security key with this text in its name, ignoring case`,
    read: ({ read }) => ({ aaguids: findAaguids(read(word)) }),
  },
  aaguid: {
    about: ({ passkey }) => `only those${passkey} with this AAGUID; repeatable`,
    read: ({ read }) => ({ aaguids: read(list(aaguid)) }),
  },
  createdBefore: {
    about: () => `only those created before this time: ${TIME}`,
    read: ({ read, time }) => ({ createdBefore: read(time) }),
  },
  unusedSince: {
    about: ({ unused }) => `only ${unused}`,
    read: ({ read, time }) => ({ unusedSince: read(time) }),
  },
  revokedSince: {
    about: () => `only those revoked since this time: ${TIME}`,
    read: ({ read, time }) => ({ revokedSince: read(time) }),
  },
  revokedReason: {
    about: () => 'only those revoked for a reason that contains this text, ignoring case',
    read: ({ read }) => ({ revokedReason: read(word) }),
  },
  change: {
    about: () => 'only those revoked by one bulk change, by the id that it printed',
    read: ({ read }) => ({ revokedChange: read(word) }),
  },
} satisfies Readonly<Record<string, Filter>>;

const ALL: readonly (readonly [key: string, filter: Filter])[] = Object.entries(FILTERS);

function addFilters(command: Command, words: Words, names: readonly (keyof typeof FILTERS)[]): Command {
  return addFlags(command, Object.fromEntries(names.map((name) => [name, FILTERS[name].about(words)])));
}

/** Adds the filter flags that lists of passkeys, users and tokens have in common. */
function addCommonFilters(command: Command, words: Words): Command {
  addFilters(command.optionsGroup('Filters:'), words, ['user', 'type', 'label', 'rpId', 'provider', 'aaguid']);
  addFlags(command, {
    backedUp: `only those${words.passkey} whose private key is backed up`,
    noBackedUp: `only those${words.passkey} whose private key is not backed up`,
  });
  return addFilters(command, words, ['createdBefore']);
}

const PASSKEYS: Words = {
  label: 'label',
  passkey: '',
  unused: `those not used since this time: ${TIME}; if never used, the time of registration counts`,
};

/** Adds the filter flags of a command that itself determines whether it handles live or revoked passkeys. */
export function addPasskeyFilters(command: Command): Command {
  return addFilters(addCommonFilters(command, PASSKEYS), PASSKEYS, ['unusedSince']);
}

/** Adds the filter flags of a command for revoked passkeys. */
export function addRevocationFilters(command: Command): Command {
  return addFilters(addPasskeyFilters(command), PASSKEYS, ['revokedSince', 'revokedReason', 'change']);
}

/** Adds the filter flags of a command for both live and revoked passkeys. */
export function addAllPasskeyFilters(command: Command): Command {
  return addFlags(addRevocationFilters(command), {
    revoked: { about: 'only revoked ones', conflicts: 'all' },
    all: 'live and revoked ones',
  });
}

/** Adds the filter flags of a command for users. */
export function addUserFilters(command: Command): Command {
  const words: Words = {
    label: 'name or e-mail',
    passkey: ' with a passkey',
    unused: `those who used no passkey since this time: ${TIME}; if they never did, the time when they were added counts`,
  };
  return addFlags(addFilters(addCommonFilters(command, words), words, ['unusedSince']), {
    revoked: 'only those with a revoked passkey',
  });
}

/**
 * Adds the filter flags of a command for tokens. There is no `--unused-since`, since the store does not record when a token was last used.
 */
export function addTokenFilters(command: Command): Command {
  return addCommonFilters(command, { ...PASSKEYS, passkey: ' opened with a passkey' });
}

/** A filter flag with its value. */
export interface Asked {
  /** The flag as the user wrote it, for messages: `--rp-id example.com`. */
  readonly flag: string;
  readonly filter: PasskeyFilter;
}

/**
 * Reads the filter flags from the command line, except `--revoked` and `--all`.
 *
 * @throws PasskeyError `usage` for a value that cannot be read; `owner_not_found` or `ambiguous_user` for the value of `--user`.
 */
export async function readFilters(io: Io, flags: Flags, accounts: Accounts): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const time = moment(io.now);
  for (const [key, filter] of ALL) {
    const raw = flags[key];
    if (raw === undefined) continue;
    const name = spellFlag(key);
    asked.push({
      flag: `${name} ${String(raw)}`,
      filter: await filter.read({ read: (kind) => readFlag(io, kind, name, raw), time, accounts }),
    });
  }
  if (typeof flags.backedUp === 'boolean') {
    asked.push({ flag: flags.backedUp ? '--backed-up' : '--no-backed-up', filter: { backedUp: flags.backedUp } });
  }
  return asked;
}

function findAaguids(provider: string): string[] {
  const found = aaguidsNamed(provider);
  if (found.length > 0) return found;
  throw new PasskeyError(
    'usage',
    `--provider expects the name of a passkey provider or security key, or a part of it; none contains ${JSON.stringify(provider)}${likeProvider(provider)}. --aaguid takes any AAGUID.`,
  );
}

/** Reads whether to list live passkeys (`false`), revoked passkeys (`only`), or both (`true`). The default is live passkeys. */
export function readLife({ revoked, revokedSince, revokedReason, change, all }: Flags): boolean | 'only' {
  const isAboutRevocation = revoked === true || revokedSince !== undefined || revokedReason !== undefined || change !== undefined;
  return isAboutRevocation ? 'only' : all === true;
}

export function passkeyFilter(asked: readonly Asked[], revoked: boolean | 'only'): PasskeyFilter {
  return { ...together(asked), revoked };
}

/** Builds the filter of a list of users. A user matches the conditions on passkeys if one of the user's passkeys meets them. */
export function ownerFilter(asked: readonly Asked[], { revoked, withoutPasskey }: Flags): OwnerFilter {
  const { rpId, aaguids, backedUp, ...own } = together(asked);
  const traits = pickTraits({ rpId, aaguids, backedUp, ...(revoked === true && { revoked: 'only' }) });
  return { ...own, ...(Object.keys(traits).length > 0 && { owning: traits }), ...(withoutPasskey === true && { lacking: {} }) };
}

/** Builds the filter of a list of tokens. Conditions on passkeys apply to the passkey whose login opened the token. */
export function accessFilter(asked: readonly Asked[]): AccessFilter {
  const { rpId, aaguids, backedUp, ...own } = together(asked);
  const traits = pickTraits({ rpId, aaguids, backedUp });
  // Revoking a passkey ends what it opened, and `--all` shows that too.
  return { ...own, ...(Object.keys(traits).length > 0 && { openedWith: { ...traits, revoked: true } }) };
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

const pickTraits = ({ rpId, aaguids, backedUp, revoked }: Given<PasskeyTraits>): PasskeyTraits => ({
  ...(rpId !== undefined && { rpId }),
  ...(aaguids !== undefined && { aaguids }),
  ...(backedUp !== undefined && { backedUp }),
  ...(revoked !== undefined && { revoked }),
});

/** Combines filters. `--provider` and `--aaguid` both select AAGUIDs; if both are given, only AAGUIDs that both select count. */
function together(asked: readonly Asked[]): Omit<PasskeyFilter, 'ids' | 'firstId' | 'lastId' | 'revoked'> {
  let filter: PasskeyFilter = {};
  for (const { filter: next } of asked) {
    const { aaguids } = filter;
    const both = aaguids && next.aaguids?.filter((each) => aaguids.includes(each));
    filter = { ...filter, ...next, ...(both && { aaguids: both }) };
  }
  return filter;
}
