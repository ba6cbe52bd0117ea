import { PasskeyError } from '../errors.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { annotate as annotateRecognised } from './annotate/annotate.js';
import { recognise } from './annotate/recognise.js';
import { writeDocuments, writeTree } from './document.js';
import type { ExplainDocument, TreeDocument } from './document-schema.js';
import type { ExplainExpectations } from './expectation-members.js';
import { readExpectations } from './expectations.js';
import { explainInput, rpIdHashes } from './explain.js';

/**
 * An input to explain: bytes; text in JSON, PEM, base64, base64url or hexadecimal; or an object as `JSON.parse` returns it, such as a
 * `RegistrationResponseJSON`.
 */
export type ExplainInput = Uint8Array | ArrayBuffer | string | object;

export interface ExplainOptions {
  /** Name of the input in the document and in messages. Default: `The input`. */
  readonly source?: string;
  /** Returns the current time in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

const SOURCE = 'The input';

/**
 * Makes the JSON document that `passkey explain --json` prints for one input: verdict, every step of W3C WebAuthn L3 §7.1 or §7.2, and the
 * annotated tree.
 *
 * @throws PasskeyError `configuration_invalid`, naming the expectation that is wrong; `validation_failed` or `fixture_invalid` with the
 * first wrong byte or position, if the input cannot be read; `validation_failed` for an archive with several ceremonies, for which
 * `explainAll` is needed.
 */
export async function explain(
  input: ExplainInput,
  expectations: ExplainExpectations = {},
  options: ExplainOptions = {},
): Promise<ExplainDocument> {
  const [document] = await explainEach(input, expectations, options, (ceremonies) => {
    if (ceremonies > 1) {
      throw new PasskeyError('validation_failed', `Expected an input with one ceremony; got ${ceremonies}. Call explainAll().`);
    }
  });
  if (document === undefined) throw new PasskeyError('internal_error', 'An input was explained without a document.');
  return document;
}

/**
 * Like `explain`, but returns one document for each ceremony of an HTTP archive (HAR). If there are several documents, they do not contain
 * the annotated tree.
 */
export async function explainAll(
  input: ExplainInput,
  expectations: ExplainExpectations = {},
  options: ExplainOptions = {},
): Promise<ExplainDocument[]> {
  return explainEach(input, expectations, options);
}

async function explainEach(
  input: ExplainInput,
  expectations: ExplainExpectations,
  { source = SOURCE, now = Date.now }: ExplainOptions,
  accept?: (ceremonies: number) => void,
): Promise<ExplainDocument[]> {
  const at = now();
  const explained = await explainInput(
    { name: source, bytes: readInput(input, source) },
    readExpectations(expectations, () => at),
    at,
    {
      accept,
    },
  );
  return writeDocuments(source, explained);
}

/**
 * Makes the annotated tree of an input, which shows every byte with its offset and meaning. Verifies nothing.
 *
 * @throws PasskeyError `validation_failed` with the first wrong byte, if the input cannot be read.
 */
export function annotate(input: ExplainInput, { source = SOURCE }: Pick<ExplainOptions, 'source'> = {}): TreeDocument {
  return writeTree(annotateRecognised(recognise(readInput(input, source), source), { rpIds: rpIdHashes() }));
}

function readInput(input: ExplainInput, source: string): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  try {
    return encodeUtf8(typeof input === 'string' ? input : JSON.stringify(input));
  } catch (cause) {
    throw new PasskeyError('validation_failed', `${source}: expected bytes, text or an object that JSON.stringify can write.`, { cause });
  }
}
