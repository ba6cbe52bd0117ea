import { isObject, type JsonObject } from '../../webauthn/json-value.js';

/** `format` of a file with one ceremony as the test page shows it ("Save as one file"): a run, and what stands beside it. */
export const CEREMONY_FORMAT = 'passkey-ceremony';

/** What a call of `navigator.credentials` was asked, or what it answered, in a run that the test page exported. */
export interface PageFinding {
  readonly kind: 'creation-options' | 'request-options' | 'registration' | 'authentication';
  readonly json: JsonObject;
  readonly place: string;
  readonly mediation: 'conditional' | undefined;
}

/** The calls of a run of the test page ("Copy as JSON"), in their order. Its requests only repeat them. */
export function pageFindings({ legs }: JsonObject): PageFinding[] {
  return (Array.isArray(legs) ? legs : []).filter(isCall).flatMap(({ call, options, response, mediation: how }) => {
    const create = call === 'create';
    const mediation = how === 'conditional' ? how : undefined;
    const found = (kind: PageFinding['kind'], what: string, json: unknown): PageFinding[] =>
      isObject(json) ? [{ kind, json, place: `${String(call)}(), ${what}`, mediation }] : [];
    return [
      ...found(create ? 'creation-options' : 'request-options', 'options', options),
      ...found(create ? 'registration' : 'authentication', 'answer', response),
    ];
  });
}

/** Whether a document is such a run: no other has calls of the browser among its `legs`. */
export function isPageRun({ legs }: JsonObject): boolean {
  return Array.isArray(legs) && legs.some(isCall);
}

function isCall(leg: unknown): leg is JsonObject {
  return isObject(leg) && leg['kind'] === 'browser' && (leg['call'] === 'create' || leg['call'] === 'get');
}
