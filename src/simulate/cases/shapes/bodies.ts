import type { Case } from '../../engine/case.js';
import { flowCase, prepareActor, type Ready, readyLogin, readyRegistration, sendLogin, sendRegistration } from '../../engine/flows.js';
import { refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import type { Answer } from '../../target/driver.js';

const WHY =
  'Anybody can send it. A parser that throws, with nobody to catch it, fills logs and alarms, and may end the process. Answer 400.';
const MALFORMED = refused('malformed_json', undefined, 400);

const isJson = (text: string): boolean => /^\s*[{[]/.test(text);

/** Sends a response whose JSON ends in the middle. */
async function sendCut({ session, body }: Ready, send: (ready: Ready) => Promise<Answer>): Promise<Answer> {
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
export const MALFORMED_BODIES: readonly Case[] = [
  flowCase({
    id: 'register.body-cut',
    title: 'a body whose JSON ends in the middle',
    why: WHY,
    tags: ['registration'],
    expected: MALFORMED,
    async run(context) {
      const ready = await readyRegistration(context, await context.session(1));
      return [{ what: 'the registration', answer: await sendCut(ready, sendRegistration), expected: MALFORMED }];
    },
  }),
  flowCase({
    id: 'login.body-cut',
    title: 'a body whose JSON ends in the middle',
    why: WHY,
    tags: ['authentication'],
    expected: MALFORMED,
    async run(context) {
      const ready = await readyLogin(await prepareActor(context, await context.session(1)));
      return [{ what: 'the login', answer: await sendCut(ready, sendLogin), expected: MALFORMED }];
    },
  }),
];
