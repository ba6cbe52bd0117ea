/**
 * Header fields that concern one connection rather than the message (RFC 9110 §7.6.1), including the framing, which differs between
 * connections.
 */
const HOP_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads the names that a `Connection` field lists, in lower case. These fields also concern only one connection. */
const readNominated = (connection = ''): readonly string[] => connection.split(',').map((name) => name.trim().toLowerCase());

/** Keeps the header fields that may be passed on to another connection. Their names are in lower case. */
export function keepEndToEnd<Value>(fields: Iterable<[string, Value]>, connection?: string | null): [string, Value][] {
  const nominated = readNominated(connection ?? undefined);
  return [...fields].filter(([name]) => !HOP_FIELDS.has(name) && !nominated.includes(name));
}
