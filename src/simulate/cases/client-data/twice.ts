import type { Case } from '../../engine/case.js';
import { createBrowser, registerPasskey, requestOf } from '../../engine/ceremony.js';
import type { CaseContext } from '../../engine/context.js';
import type { CommonEdits } from '../../engine/edits.js';
import { writeTwice } from '../../engine/edits.js';
import { logIn, registerElsewhere } from '../../engine/flows.js';
import { compareOutcome, denied, refused } from '../../engine/outcome.js';
import type { Answer } from '../../target/driver.js';

interface Twice {
  /** Name of the member of the client data. */
  readonly member: string;
  /** A value that is refused. */
  readonly wrong: (kind: 'register' | 'login') => string;
  /** Of our own server, which reads the last of the two. */
  readonly code: string;
  readonly step: string;
}

/**
 * A member that stands in the client data twice, with a right and a wrong value. JSON parsers take the first, the last or neither; which one
 * is left to the server. Only one that accepts either order looks for whichever fits.
 */
export function twice({ member, wrong, code, step }: Twice): Case[] {
  const described = {
    title: `the ${member} twice, of which only one is right`,
    why: `A server that accepts the right ${member} both in front of a wrong one and behind it looks for one that fits, or reads the text in two ways. Parse the client data once, and use the ${member} of what the parser gives.`,
  };
  const rightLast = (bad: string): CommonEdits => ({ clientData: writeTwice(member, (right) => [bad, right]) });
  const rightFirst = (bad: string): CommonEdits => ({ clientData: writeTwice(member, (right) => [right, bad]) });
  return [
    {
      ...described,
      id: `register.${member}-twice`,
      tags: ['registration'],
      expected: refused(code, step),
      run: async (context) => {
        const session = await context.session(1);
        const send = (edits: CommonEdits) => registerElsewhere(context, session, edits);
        return either(context, refused(code, step), [() => send(rightLast(wrong('register'))), () => send(rightFirst(wrong('register')))]);
      },
    },
    {
      ...described,
      id: `login.${member}-twice`,
      tags: ['authentication'],
      expected: denied(code, step),
      run: async (context) => {
        const browser = createBrowser(context);
        const session = await context.session(1);
        const prepared = { context, session, browser, passkey: await registerPasskey(context, session, browser) };
        const send = (edits: CommonEdits) => logIn(prepared, {}, edits);
        return either(context, denied(code, step), [() => send(rightLast(wrong('login'))), () => send(rightFirst(wrong('login')))]);
      },
    },
  ];
}

type Sending = () => Promise<Answer>;

async function either({ driver: { has } }: CaseContext, expected: Case['expected'], [one, other]: readonly [Sending, Sending]) {
  const first = await one();
  if (first.outcome === 'refused') return [];
  const decisive = first.outcome === 'accepted' ? await other() : first;
  return compareOutcome(requestOf(decisive, 'the ceremony'), expected, decisive, has);
}
