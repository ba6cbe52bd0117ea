import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { Run, Software } from './run.js';
import type { Verdict } from './verdicts.js';

/** What an item shows beside its explanation. It leaves with a ceremony that is saved, and comes back with the file. */
export interface SharedItem {
  readonly kind: 'registration' | 'authentication' | 'request' | 'change' | 'other' | 'pasted';
  readonly title: string;
  readonly verdict: Verdict;
  /** Who asked: `this tab`, `another tab`, `curl/8.5.0`, `passkey revoke` … */
  readonly source: string;
  /** E-mail, or `TYPE:ID`. */
  readonly user: string | undefined;
  readonly passkey: string | undefined;
  readonly code: string | undefined;
  /** Members of the options that differ from the server's own. */
  readonly changed: readonly string[];
  /** Not the browser's own answer. */
  readonly software: Software | undefined;
  readonly run: Run | undefined;
}

/** One document of `POST /dev/explain`, or the ceremony of a file: what was pasted or dropped, or one ceremony of it. */
export interface Pasted {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly document: ExplainDocument;
  /** What was pasted, in words. */
  readonly kindName?: string | undefined;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  /** What the page that saved the file showed. */
  readonly shared?: SharedItem | undefined;
}
