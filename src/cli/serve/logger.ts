import { type Logger, type LoggerOptions, pino } from 'pino';
import type { ExecSettings } from '../config/settings.js';
import { hasColour, type Io } from '../io.js';
import { printable, printableJson, printableLines } from '../output/printable.js';

/** Names of JSON members whose values are removed from the log, in case a header or body that is logged contains a secret by accident. */
const SECRETS = ['authorization', 'cookie', 'set-cookie', 'token', 'secret', 'challenge', 'password'];
const NAMES_SECRET = new RegExp(`"(?:${SECRETS.join('|')})":`);

/**
 * Removes the values of members with a secret name, at any depth, from a line of JSON. pino's own `redact` copies every line; this function
 * copies only lines that contain such a name.
 */
export function withoutSecrets(line: string): string {
  if (!NAMES_SECRET.test(line)) return line;
  return `${JSON.stringify(JSON.parse(line, (name, value: unknown) => (SECRETS.includes(name) ? '[secret]' : value)))}\n`;
}

/**
 * Serializes an error for the log with the error's own message only. pino would append the messages of all causes, as in "See the log.:
 * Expected …", but the logged stack already contains them.
 */
export const serializers = {
  err: (error: unknown): unknown => (error instanceof Error ? { ...pino.stdSerializers.err(error), message: error.message } : error),
};

/**
 * Creates the server's log on stderr. It is readable text on a terminal, and JSON lines elsewhere. Secrets are removed before a line is
 * written.
 */
export async function createLogger(io: Io, level: ExecSettings['logLevel']): Promise<Logger> {
  const least = io.quiet === true && (level === 'trace' || level === 'debug' || level === 'info') ? 'warn' : level;
  const options = { level: least, serializers, base: null, timestamp: pino.stdTimeFunctions.isoTime } satisfies LoggerOptions;
  // A response can carry anything into a message; what reaches a terminal by way of a file or pipe is escaped too.
  const streamWrite = (line: string) => printableJson(withoutSecrets(line));
  if (io.stderr.isTTY !== true) return pino({ ...options, hooks: { streamWrite } }, io.stderr);
  // As a stream: pino's transports run in a worker thread, which does not survive bundling.
  const { default: pretty } = await import('pino-pretty');
  const inDetail = level === 'debug' || level === 'trace';
  return pino(
    { ...options, hooks: { streamWrite: (line) => printableLine(withoutSecrets(line)) } },
    pretty({
      destination: io.stderr,
      colorize: hasColour(io, io.stderr),
      translateTime: 'HH:MM:ss',
      singleLine: true,
      // A line says what happened; its fields are for machines.
      ...(inDetail ? {} : { include: 'level,time,err' }),
    }),
  );
}

/**
 * Makes a log line safe for a terminal, since the renderer of the log does not escape text. The message becomes one line; the stack keeps
 * its line breaks.
 */
function printableLine(line: string): string {
  const safe: unknown = JSON.parse(line, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return key === 'msg' ? printable(value) : printableLines(value);
  });
  return `${JSON.stringify(safe)}\n`;
}
