import { findHeader } from '../../../explain/annotate/har-entries.js';
import type { JsonObject } from '../../../kernel/json-value.js';
import { bodyValue, cookiesSent, cookiesSet, type RecordedExchange } from './exchanges.js';
import { type Leaf, lastKey, listLeaves } from './leaves.js';

/** Maps each value of the recorded user to the expression that replaces it in a profile. */
export type RecordedUser = ReadonlyMap<string, string>;

const EMAIL = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+$/;
const PASSWORD = /pass(?:word|wd|phrase)?\d?$|^pwd$|(?:password|passwd|pwd)_?(?:confirm|confirmation|repeat|again|verify)$|^confirm_?pass/i;
const DISPLAY_NAME = /^(?:display_?name|full_?name|name|first_?name|last_?name|given_?name|family_?name)$/i;
const USER_NAME = /^(?:user_?name|user|login|identifier|account|nick(?:name)?|handle)$/i;

/** Detects fields that hold a password, by their name. */
export function isPasswordField(name: string): boolean {
  return PASSWORD.test(lastWord(name));
}

/** Finds the last word of a field name, e.g. `password` in `user[password]` and `data.user.password`. */
function lastWord(name: string): string {
  return /([\w-]+)\W*$/.exec(name)?.[1] ?? name;
}

/** The user of a recording, and the requests that name another user, such as an administrator. */
interface RecordedUsers {
  readonly user: RecordedUser;
  readonly others: ReadonlySet<RecordedExchange>;
}

/**
 * Finds the values of the user who registered: the names in the creation options, and values that pages sent under usual names such as
 * `email`.
 *
 * @param options index of the exchange with the creation options, and the user that the options name
 */
export function recordedUsers(
  exchanges: readonly RecordedExchange[],
  options: { readonly index: number; readonly user: JsonObject },
): RecordedUsers {
  const { id, name, displayName } = options.user;
  const others = findOthers(exchanges, options);
  const user = new Map<string, string>();
  const add = (value: unknown, expression: string) => {
    if (typeof value === 'string' && value.length > 2 && !user.has(value)) user.set(value, expression);
  };
  const sent = exchanges.filter((exchange) => !others.has(exchange)).flatMap(sentTexts);
  for (const { path, value } of sent) {
    if (isPasswordField(lastKey(path))) add(value, 'user.password');
  }
  add(name, EMAIL.test(String(name)) ? 'user.email' : 'user.name');
  for (const leaf of sent) {
    const names = readName(leaf);
    if (names !== undefined) add(names.value, `user.${names.kind}`);
    else if (DISPLAY_NAME.test(lastWord(lastKey(leaf.path)))) add(leaf.value, 'user.displayName');
  }
  add(displayName, 'user.displayName');
  add(id, 'user.handle');
  return { user, others };
}

interface UserName {
  readonly kind: 'email' | 'name';
  readonly value: string;
}

function readName({ path, value }: Leaf): UserName | undefined {
  if (typeof value !== 'string') return undefined;
  if (EMAIL.test(value)) return { kind: 'email', value };
  return USER_NAME.test(lastWord(lastKey(path))) ? { kind: 'name', value } : undefined;
}

const listNames = (exchange: RecordedExchange): UserName[] => sentTexts(exchange).flatMap((leaf) => readName(leaf) ?? []);

const hasPassword = (exchange: RecordedExchange): boolean => sentTexts(exchange).some(({ path }) => isPasswordField(lastKey(path)));

/** Finds the requests that name another user but not the one who registered. */
function findOthers(
  exchanges: readonly RecordedExchange[],
  { index, user }: { readonly index: number; readonly user: JsonObject },
): ReadonlySet<RecordedExchange> {
  const own = new Map<string, Set<string>>();
  const isOwn = ({ kind, value }: UserName) => own.get(kind)?.has(value.toLowerCase()) === true;
  const named = exchanges.map((exchange) => ({ exchange, names: listNames(exchange) })).filter(({ names }) => names.length > 0);
  const learn = (names: readonly UserName[]) => {
    for (const kind of ['email', 'name'] as const) {
      const values = names.filter((each) => each.kind === kind).map(({ value }) => value.toLowerCase());
      if (!own.has(kind) && values.length > 0) own.set(kind, new Set(values));
    }
  };
  // What the options call the user counts where a page sends it, too.
  const called = [user['name'], user['displayName']].flatMap((text) => (typeof text === 'string' ? [text.toLowerCase()] : []));
  for (const { names } of named) if (names.some(({ value }) => called.includes(value.toLowerCase()))) learn(names);
  const before = exchanges.slice(0, index).filter(hasPassword);
  const opening = before.findLast((exchange) => opens(exchange, exchanges[index])) ?? before.at(-1);
  if (opening !== undefined) learn(listNames(opening));
  for (const { names } of named) if (names.some(isOwn)) learn(names);
  const isAnother = ({ names }: { readonly names: readonly UserName[] }) => names.every((each) => own.has(each.kind) && !isOwn(each));
  return new Set(named.filter(isAnother).map(({ exchange }) => exchange));
}

/** Whether a response set a cookie or contained a token that a later request sends. */
function opens(exchange: RecordedExchange, later: RecordedExchange | undefined): boolean {
  if (later === undefined) return false;
  const cookies = cookiesSent(later);
  const token = /^\S+ (\S+)$/.exec(findHeader(later.entry.request, 'authorization') ?? '')?.[1];
  return (
    [...cookiesSet(exchange)].some(([name, value]) => cookies.get(name) === value) || (token !== undefined && exchange.text.includes(token))
  );
}

/** Lists the strings in a request's query and body. Leaves out strings that contain JSON. */
export function sentTexts(exchange: RecordedExchange): Leaf[] {
  const query = [...exchange.url.searchParams].map(([key, value]): Leaf => ({ path: [{ key }], value }));
  return [...query, ...listLeaves(bodyValue(exchange))].filter(({ value }) => typeof value === 'string' && !/^\s*[[{]/.test(value));
}
