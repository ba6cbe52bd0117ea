/** The entry point `passkey-cli/explain`: what is wrong with a credential, and what its bytes say. Nothing inside the package imports it. */
export type { ExplainDocument, TreeDocument } from './document-schema.js';
export type { ExplainExpectations } from './expectation-members.js';
export { annotate, type ExplainInput, type ExplainOptions, explain, explainAll } from './library.js';
