import { isObject, type JsonObject } from './json-value.js';

/** Names of the options that are objects. Their members are compared one by one. */
const GROUPS = ['authenticatorSelection', 'extensions'];

/**
 * Names the members of the sent options that differ from the relying party's default options. Nested names have a dot, as in
 * `extensions.prf`. Changed members come first, in the order of the sent options; omitted members follow. An empty list counts as equal to
 * an absent one.
 */
export function changedMembers(sent: JsonObject, standing: JsonObject): string[] {
  return differing(sent, standing).flatMap((name) =>
    GROUPS.includes(name) ? differing(readMembers(sent[name]), readMembers(standing[name])).map((member) => `${name}.${member}`) : [name],
  );
}

function differing(sent: JsonObject, standing: JsonObject): string[] {
  const names = new Set([...Object.keys(sent), ...Object.keys(standing)]);
  return [...names].filter((name) => writeText(sent[name]) !== writeText(standing[name]));
}

function readMembers(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function writeText(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  return text === '[]' ? undefined : text;
}
