import type { ExplainDocument } from './document-schema.js';

/** The document of what was not explained, or is no ceremony. The page has it too, of a saved ceremony that no server judged. */
export const NOTHING_EXPLAINED = {
  source: '',
  name: null,
  input: null,
  ceremony: null,
  headline: null,
  verdict: null,
  server: null,
  known_errors: [],
  revision: '',
  steps: [],
  library: null,
  difference: null,
  attestation: null,
  observations: [],
  encoding: [],
  expected: null,
  advice: [],
  tree: null,
  error: null,
} as const satisfies ExplainDocument;
