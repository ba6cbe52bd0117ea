import { annotateCeremony } from '../../src/explain/annotation.js';
import type { Annotation } from '../../src/explain/document-schema.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { type Asked, decodeResponse, type Field } from '../../src/page/decode.js';

/** What the server answers, as it comes over HTTP. */
export function annotated(response: JsonObject, rpId?: string): Annotation {
  return JSON.parse(JSON.stringify(annotateCeremony({ response, rpId })));
}

/** A response as the page shows it. */
export function decoded(response: JsonObject, asked: Asked): Field[] {
  return decodeResponse(annotated(response, asked.rpId), asked);
}
