import type { ExplainDocument } from './document-schema.js';

/**
 * Default members of the JSON document, for an input that was not explained or is not a ceremony. The page also uses them for a saved
 * ceremony that no server has judged.
 */
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
