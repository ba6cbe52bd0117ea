import type { JsonObject } from '../../../kernel/json-value.js';
import { bodyValue, type RecordedExchange } from './exchanges.js';
import { type Leaf, lastKey, listLeaves } from './leaves.js';

/** Values of the recorded user, each with the expression that stands for it in a profile. */
export type RecordedUser = ReadonlyMap<string, string>;

const EMAIL = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+$/;
const PASSWORD = /pass(?:word|wd|phrase)?\d?$|^pwd$|(?:password|passwd|pwd)_?(?:confirm|confirmation|repeat|again|verify)$|^confirm_?pass/i;
const DISPLAY_NAME = /^(?:display_?name|full_?name|name|first_?name|last_?name|given_?name|family_?name)$/i;
const USER_NAME = /^(?:user_?name|user|login|identifier|account|nick(?:name)?|handle)$/i;

/** Whether a field of that name holds a password. */
export function isPasswordField(name: string): boolean {
  return PASSWORD.test(lastWord(name));
}

/** `password` of `user[password]` and `data.user.password`. */
function lastWord(name: string): string {
  return /([\w-]+)\W*$/.exec(name)?.[1] ?? name;
}

/**
 * Who registered: what the creation options call the user, and what the pages sent under the usual names.
 *
 * @param user of the creation options
 */
export function recordedUser(exchanges: readonly RecordedExchange[], { id, name, displayName }: JsonObject): RecordedUser {
  const found = new Map<string, string>();
  const add = (value: unknown, expression: string) => {
    if (typeof value === 'string' && value.length > 2 && !found.has(value)) found.set(value, expression);
  };
  const sent = exchanges.flatMap(sentTexts);
  for (const { path, value } of sent) {
    if (isPasswordField(lastKey(path))) add(value, 'user.password');
  }
  add(name, EMAIL.test(String(name)) ? 'user.email' : 'user.name');
  for (const { path, value } of sent) {
    const key = lastWord(lastKey(path));
    if (typeof value === 'string' && EMAIL.test(value)) add(value, 'user.email');
    else if (USER_NAME.test(key)) add(value, 'user.name');
    else if (DISPLAY_NAME.test(key)) add(value, 'user.displayName');
  }
  add(displayName, 'user.displayName');
  add(id, 'user.handle');
  return found;
}

/** Texts of the query and of the body. What is JSON itself says nothing of a user. */
export function sentTexts(exchange: RecordedExchange): Leaf[] {
  const query = [...exchange.url.searchParams].map(([key, value]): Leaf => ({ path: [{ key }], value }));
  return [...query, ...listLeaves(bodyValue(exchange))].filter(({ value }) => typeof value === 'string' && !/^\s*[[{]/.test(value));
}
