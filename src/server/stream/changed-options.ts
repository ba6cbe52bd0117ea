import { changedMembers } from '../../kernel/changed-members.js';
import type { JsonObject } from '../../kernel/json-value.js';

/** What binds a ceremony: nobody chooses it. */
const BOUND = ['challenge', 'rp', 'rpId', 'user'];

/** Names that are told, and characters of each: what is asked for may be anything. */
const MOST_NAMES = 50;
const LONGEST_NAME = 100;

/** The members of the options that were sent which the policy by itself would have given otherwise, or not at all. */
export function changedOptions(sent: JsonObject, standing: JsonObject): string[] {
  const names = changedMembers(sent, standing).filter((name) => !BOUND.includes(name));
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
}
