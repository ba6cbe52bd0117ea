import { asObject, type JsonObject } from '../../kernel/json-value.js';
import type { TextEdit } from './edits.js';

/** Sets members of the client data; `undefined` removes a member. */
export function setClientData(members: JsonObject): TextEdit {
  return (text) => JSON.stringify({ ...asObject(JSON.parse(text)), ...members });
}

/** Makes the origin of the same host on another port, which is a different origin. */
export function otherPort(origin: string): string {
  const url = new URL(origin);
  url.port = url.port === '1' ? '2' : '1';
  return url.origin;
}

/** Parses the client data JSON and returns its members. */
export function readMembers(text: string): JsonObject {
  return asObject(JSON.parse(text));
}

/** Edits the value of a string member of the client data. */
export function editMember(name: string, edit: (value: string) => unknown): TextEdit {
  return (text) => setClientData({ [name]: edit(String(readMembers(text)[name])) })(text);
}

/** Inserts members before all other members of the client data. */
export function putFirst(members: (client: JsonObject) => JsonObject): TextEdit {
  return (text) => {
    const client = readMembers(text);
    return JSON.stringify({ ...members(client), ...client });
  };
}

/** Sets a member to a wrong value, and adds an unknown member before it that holds the right value. */
export function moveAside(name: string, wrong: string): TextEdit {
  return (text) => {
    const { [name]: right } = readMembers(text);
    return putFirst(() => ({ extraData: { [name]: right } }))(setClientData({ [name]: wrong })(text));
  };
}

/** Writes a member twice, as the first and as the last member of the client data. */
export function writeTwice(name: string, values: (right: unknown) => readonly [first: unknown, last: unknown]): TextEdit {
  return (text) => {
    const { [name]: right, ...others } = readMembers(text);
    const [first, last] = values(right);
    const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return `{${member(first)},${JSON.stringify(others).slice(1, -1)},${member(last)}}`;
  };
}
