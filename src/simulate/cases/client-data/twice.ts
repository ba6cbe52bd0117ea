import type { Case } from '../../engine/case.js';
import { writeTwice } from '../../engine/edits.js';
import { bothFlows } from '../../engine/flows.js';

interface Twice {
  /** Name of the member of the client data. */
  readonly member: string;
  /** A value that is refused. */
  readonly wrong: (kind: 'register' | 'login') => string;
  /** The code of our own server, which reads the last of the two. */
  readonly code: string;
  readonly step: string;
}

/**
 * A member that stands in the client data twice, with a right and a wrong value. JSON parsers take the first, the last or neither; which one
 * is left to the server. Only one that accepts either order looks for whichever fits.
 */
export function twice({ member, wrong, code, step }: Twice): Case[] {
  return bothFlows({
    what: `${member}-twice`,
    title: `the ${member} twice, of which only one is right`,
    why: `A server that accepts the right ${member} both in front of a wrong one and behind it looks for one that fits, or reads the text in two ways. Parse the client data once, and use the ${member} of what the parser gives.`,
    code,
    step,
    async run({ kind, ready }) {
      const bad = wrong(kind);
      const rightLast = await (await ready({ clientData: writeTwice(member, (right) => [bad, right]) })).send();
      if (rightLast.outcome === 'refused') return undefined;
      if (rightLast.outcome !== 'accepted') return rightLast;
      return (await ready({ clientData: writeTwice(member, (right) => [right, bad]) })).send();
    },
  });
}
