import { type ErrorCode, PasskeyError } from '../errors.js';
import { clause } from '../kernel/wording.js';
import { CborSyntaxError } from './cbor.js';

type MalformedCode = Extract<ErrorCode, `${string}_malformed`>;

/** Makes the error that every decoder throws. Its message names the structure, the byte, and what was expected and received. */
export function malformed(code: MalformedCode, subject: string, offset: number, detail: string, cause?: unknown): PasskeyError {
  return new PasskeyError(code, `${subject} is malformed at byte ${offset}: ${detail}. ${adviceOn(code)}`, { cause });
}

function adviceOn(code: ErrorCode): string {
  return `Send the bytes exactly as the ${code === 'client_data_malformed' ? 'browser' : 'authenticator'} made them.`;
}

/** Shortens a decoder's message for callers with better advice: leaves out the last sentence and the full stop. */
export function readFinding({ code, message }: PasskeyError): string {
  const advice = adviceOn(code);
  return clause(message.endsWith(advice) ? message.slice(0, -advice.length).trimEnd() : message);
}

/** Runs a CBOR reader and turns its syntax errors into errors of the structure around the CBOR. */
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
