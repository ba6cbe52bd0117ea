/**
 * Header fields that concern one connection rather than the message (RFC 9110 §7.6.1). They include the framing fields, since connections
 * differ in framing.
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

/** Reads the names in a `Connection` field, in lower case. The header fields with these names also concern only one connection. */
const readNominated = (connection = ''): readonly string[] => connection.split(',').map((name) => name.trim().toLowerCase());

/** Selects the header fields that may be passed on to another connection, with their names in lower case. */
export function keepEndToEnd<Value>(fields: Iterable<[string, Value]>, connection?: string | null): [string, Value][] {
  const nominated = readNominated(connection ?? undefined);
  return [...fields].filter(([name]) => !HOP_FIELDS.has(name) && !nominated.includes(name));
}
