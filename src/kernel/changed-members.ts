import { isObject, type JsonObject } from './json-value.js';

/** Members with members of their own, which are compared one by one. */
const GROUPS = ['authenticatorSelection', 'extensions'];

/**
 * The members of options that differ from those that a relying party would have sent by itself: dotted names such as `attestation` and
 * `extensions.prf`, in the order of the options, those that were left out last. An empty list asks for as much as none.
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
