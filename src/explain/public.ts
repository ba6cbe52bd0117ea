/**
 * The entry point `passkey-cli/explain`: finds the mistakes in a credential, and decodes its bytes. Nothing inside the package imports it.
 */
export type { ExplainDocument, TreeDocument } from './document-schema.js';
export type { ExplainExpectations } from './expectation-members.js';
export { annotate, type ExplainInput, type ExplainOptions, explain, explainAll } from './library.js';
