import type { Annotation, Unannotated } from '../../explain/document-schema.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { stringAt } from '../json.js';
import { describeFailure, succeeded } from '../run.js';
import type { App } from './app.js';

/** Fields as the server decoded them, or why there are none. */
export type Annotated = { readonly annotation: Annotation } | { readonly problem: string };

/** What was asked already, by the response. What failed is asked again. */
const asked = new WeakMap<JsonObject, Map<string, Promise<Annotated>>>();

/** Has the server decode the fields of a response, and of the key of its credential record: the page decodes nothing by itself. */
export async function annotate({ api }: App, { response = {}, publicKey, rpId }: Unannotated): Promise<Annotated> {
  const known = asked.get(response) ?? new Map<string, Promise<Annotated>>();
  asked.set(response, known);
  const key = JSON.stringify([publicKey, rpId]);
  const ask = async (): Promise<Annotated> => {
    const leg = await api.call('POST', '/dev/annotate', { response, public_key: publicKey, rp_id: rpId });
    if (succeeded(leg) && isAnnotation(leg.answer)) return { annotation: leg.answer };
    known.delete(key);
    return { problem: stringAt(leg.answer, 'detail') ?? describeFailure(leg) };
  };
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  return await answer;
}

function isAnnotation(value: unknown): value is Annotation {
  return isObject(value) && isObject(value['response']);
}
