import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { FieldError } from '../../errors.js';
import { escapePointer } from '../../kernel/json-location.js';
import type { DevelopmentGuard } from '../development-guard.js';
import { keepEndToEnd } from '../message-fields.js';
import type { App } from '../options.js';
import { makeDevNextBody } from '../schemas/development.js';
import type { ScriptedAnswer, ScriptedAnswers } from '../scripted-answers.js';
import { fieldErrors } from '../validation.js';

/** Maximum number of scripted responses that wait for a request. */
const MOST_WAITING = 100;

/** HTTP statuses whose responses have no body (RFC 9110 §15). */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * Adds `POST /dev/next`, which scripts the next response of an API operation, for tests of a front end. `GET /dev/next` lists the scripted
 * responses that have not been sent yet, and `DELETE /dev/next` removes them. Call this function after adding the routes of the API.
 */
export function addDevNextRoutes(app: App, { local }: DevelopmentGuard, { operations, waiting }: ScriptedAnswers): void {
  const schema = { hide: true };

  app.post('/dev/next', { onRequest: local, schema: { ...schema, body: makeDevNextBody(operations) } }, async ({ body: given }, reply) => {
    const { on, status = 200, headers = {}, body, delay = 0 } = given;
    const answer = { on, status, headers, body, delay };
    const errors = findErrors(answer);
    if (waiting.length >= MOST_WAITING) {
      errors.push({ pointer: '', detail: `is one more than the ${MOST_WAITING} responses that may wait; DELETE /dev/next removes them` });
    }
    if (errors.length > 0) throw fieldErrors(errors);
    waiting.push(answer);
    return reply.code(204).send();
  });

  app.get('/dev/next', { onRequest: local, schema }, async () => ({ answers: waiting }));

  app.delete('/dev/next', { onRequest: local, schema }, async (_request, reply) => {
    waiting.length = 0;
    return reply.code(204).send();
  });
}

/** Finds mistakes in a scripted response that no schema can express. */
function findErrors({ status, headers, body }: ScriptedAnswer): FieldError[] {
  const wrong = Object.entries(headers).flatMap(([name, value]) => {
    const detail = whyHeaderRefused(name, [value].flat());
    return detail === undefined ? [] : [{ pointer: `/headers/${escapePointer(name)}`, detail }];
  });
  const isExtra = body !== undefined && WITHOUT_BODY.includes(status);
  return [...wrong, ...(isExtra ? [{ pointer: '/body', detail: `must be left out: a response with status ${status} has none` }] : [])];
}

function whyHeaderRefused(name: string, values: readonly unknown[]): string | undefined {
  if (keepEndToEnd([[name.toLowerCase(), '']]).length === 0) return 'must be left out: the server writes it for each connection';
  try {
    validateHeaderName(name);
  } catch {
    return 'must have the name of a header field (RFC 9110 §5.1)';
  }
  try {
    for (const value of values) validateHeaderValue(name, String(value));
  } catch {
    return 'must be the value of a header field (RFC 9110 §5.5), without line breaks';
  }
  return undefined;
}
