import { type Logger, pino } from 'pino';
import { redaction } from '../../src/server/logger.js';

/** A logger as `passkey serve` makes it, whose lines stay here. */
export function collectLog(level = 'debug'): {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
  readonly text: () => string;
} {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, redact: redaction }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines, text: () => JSON.stringify(lines) };
}
