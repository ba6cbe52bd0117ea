import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { type BothRow, both, type EitherCeremony } from '../../engine/ceremony-cases.js';
import { editMember, moveAside, writeTwice } from '../../engine/client-data-edits.js';
import { bothFlows } from '../../engine/flows.js';

/** A row with a wrong value for one member of the client data. */
export interface MemberRow extends Omit<BothRow, 'what' | 'edits' | 'code' | 'step'> {
  readonly edit: (right: string, ceremony: EitherCeremony) => unknown;
  /** Set if our own server refuses the client data as malformed because it cannot read the value. */
  readonly unreadable?: true;
}

interface Member {
  readonly member: string;
  /** The error code that our own server returns. If a member is duplicated, our server reads the last one. */
  readonly code: string;
  readonly step: string;
}

const UNREADABLE = { code: 'client_data_malformed', step: 'client-data' };

export function wrongValues({ member, ...refusal }: Member, rows: Rows<MemberRow>): Case[] {
  return listRows(rows).flatMap(({ edit, unreadable, ...row }) =>
    both({
      ...row,
      ...(unreadable ? UNREADABLE : refusal),
      edits: (ceremony) => ({ clientData: editMember(member, (right) => edit(right, ceremony)) }),
    }),
  );
}

/**
 * Makes cases in which a member has a wrong value and the right value is elsewhere: in a meaningless member, or in a duplicate of the same
 * member.
 *
 * JSON parsers may read the first duplicate, read the last one, or refuse both. A server that accepts the duplicates in either order picks
 * whichever value fits, which is the fault to find.
 */
export function misplaced({ member, ...refusal }: Member, wrong: (ceremony: CeremonyKind) => string): Case[] {
  return [
    ...both({
      what: `${member}-in-further-member`,
      title: `a wrong ${member}, and the right one in a member that means nothing`,
      why: `A server that looks for the ${member} anywhere in the JSON text accepts a response made for another purpose. Parse the JSON, and compare the member ${member} of the outermost object.`,
      edits: ({ ceremony }) => ({ clientData: moveAside(member, wrong(ceremony)) }),
      ...refusal,
    }),
    ...bothFlows({
      what: `${member}-twice`,
      title: `the ${member} twice, of which only one is right`,
      why: `A server that accepts the right ${member} both before and after a wrong one searches for one that matches, or parses the JSON in two ways. Parse the client data once, and use the ${member} that the parser returns.`,
      ...refusal,
      async run({ ceremony, ready }) {
        const bad = wrong(ceremony);
        const rightLast = await (await ready({ clientData: writeTwice(member, (right) => [bad, right]) })).send();
        if (rightLast.outcome === 'refused') return undefined;
        if (rightLast.outcome !== 'accepted') return rightLast;
        return (await ready({ clientData: writeTwice(member, (right) => [right, bad]) })).send();
      },
    }),
  ];
}
