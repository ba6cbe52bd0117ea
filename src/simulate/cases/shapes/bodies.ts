import type { Case } from '../../engine/case.js';
import { bothFlows, type EitherFlow } from '../../engine/flows.js';
import { refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import type { Answer } from '../../target/driver.js';

const MALFORMED = refused('malformed_json', undefined, 400);

const isJson = (text: string): boolean => /^\s*[{[]/.test(text);

/** Sends a response whose JSON ends in the middle. */
async function sendCut({ ready, send }: EitherFlow): Promise<Answer> {
  const { session, body } = await ready();
  let cut = false;
  const forged = session.forging((request) => {
    if (request.body === undefined || !isJson(request.body)) return request;
    cut = true;
    return { ...request, body: request.body.slice(0, request.body.length / 2) };
  });
  const answer = await send({ session: forged, body });
  if (!cut) throw notApplicable('the target is not sent JSON');
  return answer;
}

/** The body of the request itself. */
export const MALFORMED_BODIES: readonly Case[] = bothFlows({
  what: 'body-cut',
  title: 'a body whose JSON ends in the middle',
  why: 'Anybody can send it. A parser that throws, with nobody to catch it, fills logs and alarms, and may end the process. Answer 400.',
  expected: { register: MALFORMED, login: MALFORMED },
  run: sendCut,
});
