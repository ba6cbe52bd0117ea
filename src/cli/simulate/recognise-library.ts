import { findErrorTexts } from '../../explain/error-texts/find.js';
import { SERVER_TEXTS } from '../../explain/error-texts/table.js';
import { LIBRARY_FIXES } from '../../explain/library-fixes.js';
import type { ProbeStep } from '../../simulate/target/probe-report.js';

/**
 * Recognises the verification library of the server under test by its error message for a forged response. Null if no known library
 * matches.
 */
export function recogniseLibrary(steps: readonly ProbeStep[]): string | null {
  const answers = steps.flatMap(({ exchanges }) => exchanges).filter(({ status }) => status !== null && status >= 400);
  const named = answers.flatMap(({ received }) => findErrorTexts(received, SERVER_TEXTS).map(({ row }) => row.from));
  // Some texts are those of two libraries.
  const from = named.find((name) => !name.includes(' or ')) ?? named[0];
  if (from === undefined) return null;
  return LIBRARY_FIXES.find(({ names: [name] }) => name === from)?.names.at(-1) ?? from;
}
