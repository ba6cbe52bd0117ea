import type { HarFinding } from './annotate/har.js';
import type { ReadCredential } from './annotate/read-credential.js';
import type { KnownError } from './document-schema.js';
import type { Observation } from './report/observations.js';

const TITLE = 'The body is JSON inside JSON: call JSON.stringify once';
const NEXT = 'Pass the object itself to JSON.stringify, or to the HTTP client, which may call it too.';

const explain = (cause: string): KnownError => ({
  from: 'recording',
  title: TITLE,
  causes: [cause],
  next: NEXT,
  step: null,
  expectations: [],
  source: null,
});

/** Explains why a server refused a request whose body is a JSON string that contains JSON. Returns undefined for any other body. */
export function explainStringifiedTwice(findings: readonly HarFinding[], credential: ReadCredential): KnownError | undefined {
  const finding = findings.find(({ found }) => 'credential' in found && found.credential === credential);
  if (finding?.isStringifiedTwice !== true) return undefined;
  return explain(
    `The body of ${finding.place}, or the response in it, is JSON in a string: your server parses it to a string and finds no members there.`,
  );
}

/** Explains why a server refused a credential that is a JSON string with JSON in it, for an input that also contains the server's error. */
export const explainPastedTwice = (encodings: readonly string[]): KnownError[] =>
  isTwice(encodings) ? [explain('The credential, or the response in it, is JSON in a string: your server parses it to a string.')] : [];

const isTwice = (encodings: readonly string[]): boolean =>
  encodings.some((encoding, index) => encoding === 'JSON string' && encodings[index + 1] === 'JSON');

/**
 * Reports whether an input is a JSON string that contains JSON. `encodings` are those of the input, from the outermost to the innermost.
 */
export function observeStringifiedTwice(encodings: readonly string[]): Observation[] {
  return isTwice(encodings) ? [{ slug: 'json-inside-json', message: `This is JSON inside JSON: call JSON.stringify once. ${NEXT}` }] : [];
}
