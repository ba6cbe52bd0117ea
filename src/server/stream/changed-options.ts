import { isObject, type JsonObject } from '../../webauthn/json-value.js';

/** What binds a ceremony: nobody chooses it. */
const BOUND = ['challenge', 'rp', 'rpId', 'user'];

/** Names that are told, and characters of each: what is asked for may be anything. */
const MOST_NAMES = 50;
const LONGEST_NAME = 100;

/** Members that hold members of their own, each of which is compared by itself. */
const GROUPS = ['authenticatorSelection', 'extensions'];

/**
 * The members of the options that were sent which the policy by itself would have given otherwise, or not at all: dotted names such as
 * `attestation` and `extensions.prf`, in the order of the options, those that were left out last.
 */
export function changedOptions(sent: JsonObject, standing: JsonObject): string[] {
  const names = differing(sent, standing).flatMap((name) => {
    if (BOUND.includes(name)) return [];
    if (!GROUPS.includes(name)) return [name];
    return differing(membersOf(sent[name]), membersOf(standing[name])).map((member) => `${name}.${member}`);
  });
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
}

function differing(sent: JsonObject, standing: JsonObject): string[] {
  const names = new Set([...Object.keys(sent), ...Object.keys(standing)]);
  return [...names].filter((name) => !same(sent[name], standing[name]));
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** An empty list asks for as much as none. */
function same(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b);
}

function textOf(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  return text === '[]' ? undefined : text;
}
