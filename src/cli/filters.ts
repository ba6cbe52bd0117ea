import type { Accounts } from '../accounts/accounts.js';
import type { AccessFilter, OwnerFilter, PasskeyTraits } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';
import type { PasskeyFilter } from '../relying-party/ports.js';
import { aaguidsNamed, formatAaguid, likeProvider, parseAaguid } from '../webauthn/aaguid.js';
import { type Flags, readFlag } from './config/resolve.js';
import { list, moment, parsed, text } from './config/values.js';
import type { Io } from './io.js';

/** One filter flag as it was given. */
export interface Asked {
  /** For messages: `--rp-id example.com`. */
  readonly flag: string;
  readonly filter: PasskeyFilter;
}

/**
 * The filter flags that are given, but for `--revoked` and `--all`.
 *
 * @throws PasskeyError `usage` for a value that cannot be read · `owner_not_found`, `ambiguous_user` for `--user`.
 */
export async function askedFor(io: Io, flags: Flags, accounts: Accounts): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const ask = (name: string, value: unknown, filter: PasskeyFilter) => asked.push({ flag: `${name} ${String(value)}`, filter });
  const given = (name: string, raw: unknown) => readFlag(io, text({ placeholder: 'text' }), name, raw);
  if (flags.user !== undefined) {
    const { type, id } = await accounts.resolveUser(given('--user', flags.user));
    ask('--user', flags.user, { owner: { type, id } });
  }
  if (flags.type !== undefined) ask('--type', flags.type, { type: given('--type', flags.type) });
  if (flags.rpId !== undefined) ask('--rp-id', flags.rpId, { rpId: given('--rp-id', flags.rpId) });
  if (flags.label !== undefined) ask('--label', flags.label, { label: given('--label', flags.label) });
  if (flags.provider !== undefined) ask('--provider', flags.provider, { aaguids: findAaguids(given('--provider', flags.provider)) });
  if (flags.aaguid !== undefined) ask('--aaguid', flags.aaguid, { aaguids: readFlag(io, list(aaguid), '--aaguid', flags.aaguid) });
  if (flags.unusedSince !== undefined) {
    ask('--unused-since', flags.unusedSince, { unusedSince: readFlag(io, moment(io.now), '--unused-since', flags.unusedSince) });
  }
  if (flags.createdBefore !== undefined) {
    ask('--created-before', flags.createdBefore, { createdBefore: readFlag(io, moment(io.now), '--created-before', flags.createdBefore) });
  }
  if (flags.revokedSince !== undefined) {
    ask('--revoked-since', flags.revokedSince, { revokedSince: readFlag(io, moment(io.now), '--revoked-since', flags.revokedSince) });
  }
  if (flags.revokedReason !== undefined) {
    ask('--revoked-reason', flags.revokedReason, { revokedReason: given('--revoked-reason', flags.revokedReason) });
  }
  if (flags.change !== undefined) ask('--change', flags.change, { revokedChange: given('--change', flags.change) });
  if (typeof flags.backedUp === 'boolean') {
    asked.push({ flag: flags.backedUp ? '--backed-up' : '--no-backed-up', filter: { backedUp: flags.backedUp } });
  }
  return asked;
}

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

function findAaguids(provider: string): string[] {
  const found = aaguidsNamed(provider);
  if (found.length > 0) return found;
  throw new PasskeyError(
    'usage',
    `--provider expects the name of a passkey provider or security key, or a part of it; none contains ${JSON.stringify(provider)}${likeProvider(provider)}. --aaguid takes any AAGUID.`,
  );
}

/** Reads whether live or revoked ones are listed: live ones, unless the flags say otherwise. */
export function readLife({ revoked, revokedSince, revokedReason, change, all }: Flags): boolean | 'only' {
  const isAboutRevocation = revoked === true || revokedSince !== undefined || revokedReason !== undefined || change !== undefined;
  return isAboutRevocation ? 'only' : all === true;
}

/** The passkeys that the flags of `addPasskeyFilters` ask for. @throws PasskeyError as {@link askedFor}. */
export async function readPasskeyFilter(io: Io, flags: Flags, accounts: Accounts): Promise<PasskeyFilter> {
  return passkeyFilter(await askedFor(io, flags, accounts), readLife(flags));
}

export function passkeyFilter(asked: readonly Asked[], revoked: boolean | 'only'): PasskeyFilter {
  return { ...together(asked), revoked };
}

/** The filter of a list of users. A condition about passkeys must hold for one of theirs. */
export function ownerFilter(asked: readonly Asked[], { revoked }: Flags): OwnerFilter {
  const { rpId, aaguids, backedUp, ...own } = together(asked);
  const traits = pickTraits({ rpId, aaguids, backedUp, ...(revoked === true && { revoked: 'only' }) });
  return { ...own, ...(Object.keys(traits).length > 0 && { owning: traits }) };
}

/** The filter of a list of tokens. A condition about passkeys must hold for the one whose login opened the token. */
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

/** `--provider` and `--aaguid` both name AAGUIDs: those that are in both. */
function together(asked: readonly Asked[]): Omit<PasskeyFilter, 'ids' | 'firstId' | 'lastId' | 'revoked'> {
  let filter: PasskeyFilter = {};
  for (const { filter: next } of asked) {
    const { aaguids } = filter;
    const both = aaguids && next.aaguids?.filter((each) => aaguids.includes(each));
    filter = { ...filter, ...next, ...(both && { aaguids: both }) };
  }
  return filter;
}
