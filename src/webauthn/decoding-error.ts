import { type ErrorCode, PasskeyError } from '../errors.js';
import { clause } from '../kernel/wording.js';
import { CborSyntaxError } from './cbor.js';

type MalformedCode = Extract<ErrorCode, `${string}_malformed`>;

/**
 * Creates the PasskeyError that all decoders throw. Its message names the structure and the byte, and says what was expected and received.
 */
export function malformed(code: MalformedCode, subject: string, offset: number, detail: string, cause?: unknown): PasskeyError {
  return new PasskeyError(code, `${subject} is malformed at byte ${offset}: ${detail}. ${adviceOn(code)}`, { cause });
}

function adviceOn(code: ErrorCode): string {
  return `Send the bytes exactly as the ${code === 'client_data_malformed' ? 'browser' : 'authenticator'} made them.`;
}

/** Shortens the message of a decoder's error, for callers that give better advice: removes the last sentence and the full stop. */
export function readFinding({ code, message }: PasskeyError): string {
  const advice = adviceOn(code);
  return clause(message.endsWith(advice) ? message.slice(0, -advice.length).trimEnd() : message);
}

/** Runs a CBOR reader and converts its syntax errors to errors that name the structure containing the CBOR. */
export function readingCbor<T>(code: MalformedCode, subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CborSyntaxError) {
      throw malformed(code, subject, error.offset, error.detail, error);
    }
    throw error;
  }
}
