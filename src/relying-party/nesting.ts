import { PasskeyError } from '../errors.js';
import { escapePointer } from '../webauthn/json-location.js';
import { isWithinDepth } from '../webauthn/json-value.js';

/** Inputs and outputs of extensions are a few levels deep. */
const MAX_DEPTH = 32;

/** @throws PasskeyError `validation_failed` at `pointer` when the value is nested too deeply to be copied and written later on. */
export function requireShallow(pointer: string, value: unknown): void {
  if (!isWithinDepth(value, MAX_DEPTH)) {
    const detail = `Expected at most ${MAX_DEPTH} levels of objects and arrays; got more. Send fewer.`;
    throw new PasskeyError('validation_failed', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
  }
}

/** @throws PasskeyError `validation_failed` at the member of the options that is nested too deeply. */
export function requireShallowOptions(options: object | undefined): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    requireShallow(`/options/${escapePointer(name)}`, value);
  }
}
