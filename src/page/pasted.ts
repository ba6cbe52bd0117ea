import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../webauthn/json-value.js';
import type { SharedItem } from './ceremony-file.js';

/** One document of `POST /dev/explain`, or the ceremony of a file: what was pasted or dropped, or one ceremony of it. */
export interface Pasted {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly document: ExplainDocument;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  /** What the page that saved the file showed. */
  readonly shared?: SharedItem | undefined;
}
