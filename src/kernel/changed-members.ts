import { isObject, type JsonObject } from './json-value.js';

/** Options whose members are compared one by one. */
const GROUPS = ['authenticatorSelection', 'extensions'];

/**
 * Names the members of options that differ from the relying party's own options. Nested names have a dot, as in `extensions.prf`. Members
 * appear in the order of the options, omitted ones last. An empty list equals an absent one.
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
