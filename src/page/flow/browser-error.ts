import type { Explanation } from '../../explain/browser-errors/failed-call.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { Api } from '../api.js';
import { stringAt } from '../json.js';
import { describeFailure, succeeded } from '../run.js';

/** An error of the browser, with the call that threw it, as `POST /dev/browser-error` takes it. */
export type Thrown = JsonObject & { readonly name: string; readonly message: string };

export type ExplainThrown = (thrown: Thrown) => Promise<Explanation>;

/** Has the server explain an error of the browser. Without the server there is only what the browser said. */
export async function explainThrown(api: Api, thrown: Thrown): Promise<Explanation> {
  const leg = await api.call('POST', '/dev/browser-error', thrown);
  if (succeeded(leg) && isExplanation(leg.answer)) return leg.answer;
  const { name, message } = thrown;
  return {
    title: `The browser answered ${name}`,
    causes: [message === '' ? 'It gave no message.' : message],
    next: `Nothing more is known, since the server explained nothing: ${stringAt(leg.answer, 'detail') ?? describeFailure(leg)}`,
  };
}

function isExplanation(value: unknown): value is Explanation {
  return isObject(value) && Array.isArray(value['causes']);
}
