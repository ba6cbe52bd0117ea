import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { setClientData, type TextEdit } from './edits.js';

/** The members of client data in its text. */
export function membersOf(text: string): JsonObject {
  return objectOf(JSON.parse(text));
}

/** Puts another value in place of a text in the client data. */
export function editMember(name: string, edit: (value: string) => unknown): TextEdit {
  return (text) => setClientData({ [name]: edit(String(membersOf(text)[name])) })(text);
}

/** Puts members before all others. */
export function putFirst(members: (client: JsonObject) => JsonObject): TextEdit {
  return (text) => {
    const client = membersOf(text);
    return JSON.stringify({ ...members(client), ...client });
  };
}

/** A wrong value where it counts; the right one in a member that means nothing, before it. */
export function moveAside(name: string, wrong: string): TextEdit {
  return (text) => {
    const { [name]: right } = membersOf(text);
    return putFirst(() => ({ extraData: { [name]: right } }))(setClientData({ [name]: wrong })(text));
  };
}

/** Writes a member twice, first of all and last of all. */
export function writeTwice(name: string, values: (right: unknown) => readonly [first: unknown, last: unknown]): TextEdit {
  return (text) => {
    const { [name]: right, ...others } = membersOf(text);
    const [first, last] = values(right);
    const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    return `{${member(first)},${JSON.stringify(others).slice(1, -1)},${member(last)}}`;
  };
}
