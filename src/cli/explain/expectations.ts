import type { Command } from 'commander';
import { EXPECTATION_MEMBERS, type ExpectationMember } from '../../explain/expectation-members.js';
import { addFlags } from '../flags.js';

/** Names of the expectations that `passkey explain`, and no other caller, reads from files. */
const OF_EXPLAIN: readonly string[] = ['metadata', 'aaguidNames'];

/** Adds flags for expectations that the input may lack. `readSettings` reads their values. */
export function addExpectations(command: Command): Command {
  const members = Object.entries<ExpectationMember>(EXPECTATION_MEMBERS).filter(([name]) => !OF_EXPLAIN.includes(name));
  const uses = members.map(([name, { flag = name, meaning, several }]) => [
    flag,
    several ? { about: `${meaning}; may be given several times`, isRepeatable: true } : meaning,
  ]);
  addFlags(command, { ...Object.fromEntries(uses), noRequireUv: { isHidden: true } }, 'Expected values:');
  return command;
}
