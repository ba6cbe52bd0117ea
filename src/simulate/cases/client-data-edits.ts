type ClientDataEdit = (text: string) => string;

/** Sets members of the client data; `undefined` takes one away. */
export function setClientData(members: Readonly<Record<string, unknown>>): ClientDataEdit {
  return (text) => JSON.stringify({ ...(JSON.parse(text) as object), ...members });
}

export function editOrigin(edit: (origin: string) => string): ClientDataEdit {
  return (text) => setClientData({ origin: edit(String((JSON.parse(text) as { origin: unknown }).origin)) })(text);
}

export function editChallenge(edit: (challenge: string) => string): ClientDataEdit {
  return (text) => setClientData({ challenge: edit(String((JSON.parse(text) as { challenge: unknown }).challenge)) })(text);
}

/** 32 bytes that no server issues. */
export const FOREIGN_CHALLENGE = 'Zm9yZWlnbiBjaGFsbGVuZ2UgZm9yZWlnbiBjaGFsbGU';

/** Another port of the same host: the port is part of the origin. */
export function otherPort(origin: string): string {
  const url = new URL(origin);
  url.port = url.port === '1' ? '2' : '1';
  return url.origin;
}
