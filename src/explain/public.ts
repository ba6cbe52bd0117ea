/**
 * The entry point `passkey-cli/explain`, which finds the mistakes in a credential and decodes its bytes. No file of the package imports
 * this module.
 */
export type { ExplainDocument, TreeDocument } from './document-schema.js';
export type { ExplainExpectations } from './expectation-members.js';
export { annotate, type ExplainInput, type ExplainOptions, explain, explainAll } from './library.js';
