import { asObject, type JsonObject } from '../../kernel/json-value.js';
import type { TextEdit } from './edits.js';

/** Sets members of the client data; `undefined` removes one. */
export function setClientData(members: JsonObject): TextEdit {
  return (text) => JSON.stringify({ ...asObject(JSON.parse(text)), ...members });
}

/** The same host on another port. The port is part of the origin. */
export function otherPort(origin: string): string {
  const url = new URL(origin);
  url.port = url.port === '1' ? '2' : '1';
  return url.origin;
}

/** The members of client data in its text. */
export function readMembers(text: string): JsonObject {
  return asObject(JSON.parse(text));
}

/** Puts another value in place of a text in the client data. */
export function editMember(name: string, edit: (value: string) => unknown): TextEdit {
  return (text) => setClientData({ [name]: edit(String(readMembers(text)[name])) })(text);
}

/** Puts members before all others. */
export function putFirst(members: (client: JsonObject) => JsonObject): TextEdit {
  return (text) => {
    const client = readMembers(text);
    return JSON.stringify({ ...members(client), ...client });
  };
}

/** A wrong value in its place; the right one in a meaningless member before it. */
export function moveAside(name: string, wrong: string): TextEdit {
  return (text) => {
    const { [name]: right } = readMembers(text);
    return putFirst(() => ({ extraData: { [name]: right } }))(setClientData({ [name]: wrong })(text));
  };
}

/** Writes a member twice, first of all and last of all. */
export function writeTwice(name: string, values: (right: unknown) => readonly [first: unknown, last: unknown]): TextEdit {
  return (text) => {
    const { [name]: right, ...others } = readMembers(text);
    const [first, last] = values(right);
    const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return `{${member(first)},${JSON.stringify(others).slice(1, -1)},${member(last)}}`;
  };
}
