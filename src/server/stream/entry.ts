import { changedMembers } from '../../kernel/changed-members.js';
import type { OperationContext } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { nameOwner } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { CeremonyFinished, PasskeyChanged } from '../../relying-party/events.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import type { Problem } from '../problem.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';

// What the line of the stream says of an event or a refused request.

export function newEntry(
  given: Pick<StreamEntry, 'id' | 'kind' | 'state'> & { readonly at: number } & Partial<Omit<StreamEntry, 'at'>>,
): StreamEntry {
  return {
    finished_at: null,
    via: null,
    page: false,
    user_agent: null,
    address: null,
    request_ids: [],
    rp_id: null,
    origins: [],
    owner: null,
    user: null,
    passkey: null,
    code: null,
    message: null,
    step: null,
    status: null,
    changed_options: [],
    software: null,
    browser: null,
    ...given,
    at: formatTimestamp(given.at),
  };
}

/** Records in an entry where the latest request about it came from. */
export function noteSource(entry: StreamEntry, { requestId, via, address, userAgent, page }: OperationContext): void {
  entry.via = via ?? entry.via;
  entry.page ||= page === true;
  entry.address = address ?? entry.address;
  entry.user_agent = userAgent ?? entry.user_agent;
  if (requestId === undefined || entry.request_ids.includes(requestId)) return;
  // Of a page that calls without end, the last request is enough.
  if (entry.foreign !== undefined) entry.request_ids.length = 0;
  entry.request_ids.push(requestId);
}

export function noteEnd(entry: StreamEntry, { at, outcome, ceremony, passkey, owner, error }: CeremonyFinished): void {
  entry.state = outcome;
  entry.finished_at = formatTimestamp(at);
  entry.rp_id = ceremony?.rpId ?? passkey?.rpId ?? entry.rp_id;
  if (ceremony !== undefined) entry.origins = [...ceremony.origins];
  entry.owner = nameOwner(passkey?.owner ?? owner) ?? entry.owner;
  entry.passkey = passkey === undefined ? null : { id: passkey.id, label: passkey.label };
  entry.code = error?.code ?? null;
  entry.message = short(error?.message);
  entry.step = error?.step ?? null;
}

/** Records in an entry the problem document that a request got. This overrides the result that the entry had before. */
export function noteProblem(entry: StreamEntry, { code, detail, step, status }: Problem): void {
  entry.code = code;
  if (entry.foreign === undefined) entry.message = short(detail && shortenSecrets(detail));
  entry.step = step ?? entry.step;
  entry.status = status;
}

/** Shortens the parts of a URL path that may be a token or a challenge. */
export function shortenSecrets(text: string): string {
  return text.replace(/(\/[^/\s]{6})[^/\s]{18,}/g, '$1…');
}

/** Maximum number of characters of a string from a client that an entry shows. */
const LONGEST = 2_000;

function short(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Matches an origin that is safe in a shell command. Other host names may contain `$(…)`. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/**
 * Explains that pages of another origin call this server, and gives the command that allows this origin. @param given the origins that
 * `--origin` already names.
 */
export function describeForeignPage(
  origin: string,
  given: readonly string[],
): { readonly message: string; readonly command: string | null } {
  if (!PLAIN_ORIGIN.test(origin)) return { message: `A page at ${origin} called. Serve it from an http origin of yours.`, command: null };
  const flags = [...given, origin].map((each) => `--origin ${each}`).join(' ');
  const yours = isLoopbackHost(new URL(origin).hostname) ? '' : 'if it is yours, ';
  return { message: `A page at ${origin} called; ${yours}start with ${flags}`, command: `passkey serve ${flags}` };
}

type Change = NonNullable<StreamDetail['change']>;

const CHANGES = {
  'passkey-renamed': 'renamed',
  'passkey-revoked': 'revoked',
  'passkey-restored': 'restored',
  'passkey-purged': 'purged',
} as const satisfies Record<PasskeyChanged['type'], Change['type']>;

export function describeChange({ type, reason }: PasskeyChanged): Change {
  return { type: CHANGES[type], reason: reason ?? null };
}

/** Describes a change in one sentence: `Passkey 3 "iCloud Keychain" was revoked by root: lost phone.` */
export function changeMessage(
  { id, label }: { readonly id: number; readonly label: string | null },
  { type, reason }: Change,
  by?: string,
): string {
  const name = label === null ? '' : ` ${JSON.stringify(label)}`;
  const how = type === 'purged' ? 'deleted for good' : type;
  return `Passkey ${id}${name} was ${how}${by === undefined ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}.`;
}

/**
 * Members of the options that bind a ceremony to the relying party and the user. Only the server sets them, so they never count as changed.
 */
const BOUND = ['challenge', 'rp', 'rpId', 'user'];

/** Maximum number of names that an entry shows. This and the maximum length of a name are limited because a client may send anything. */
const MOST_NAMES = 50;
const LONGEST_NAME = 100;

/** Names the members in which the sent options differ from `standing`, the options that the policy alone would give. */
export function changedOptions(sent: JsonObject, standing: JsonObject): string[] {
  const names = changedMembers(sent, standing).filter((name) => !BOUND.includes(name));
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
}
