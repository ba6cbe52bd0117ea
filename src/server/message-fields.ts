/** Fields of one connection rather than of the message (RFC 9110 §7.6.1), and the framing, which each connection has its own of. */
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

/** Reads the names that a `Connection` field lists, in lower case: they are for one connection too. */
const readNominated = (connection = ''): readonly string[] => connection.split(',').map((name) => name.trim().toLowerCase());

/** The fields, names in lower case, that another connection may carry on. */
export function keepEndToEnd<Value>(fields: Iterable<[string, Value]>, connection?: string | null): [string, Value][] {
  const nominated = readNominated(connection ?? undefined);
  return [...fields].filter(([name]) => !HOP_FIELDS.has(name) && !nominated.includes(name));
}
