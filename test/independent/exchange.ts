import type { IndependentParty } from './server.js';

export type Json = Record<string, unknown>;

/** What a party answered, its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Json;
}

export const toJson = (body: string): Json => Object(body === '' ? {} : JSON.parse(body));

/** Sends JSON without sockets. */
export async function post(party: IndependentParty, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return await send(party, 'POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
}

export async function send(
  party: IndependentParty,
  method: string,
  path: string,
  request: { readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { status, headers, body } = await party.answer({ method, path, ...request });
  return { status, headers, json: toJson(body) };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
