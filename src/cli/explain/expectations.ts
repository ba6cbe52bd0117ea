import { type Command, Option } from 'commander';
import { EXPECTATION_MEMBERS } from '../../explain/expectation-members.js';
import { collect } from '../command.js';

/** Files that `explain` alone reads. */
const OF_EXPLAIN: readonly string[] = ['metadata', 'aaguidNames'];

/** Adds the flags for what a ceremony is held against, where its input does not say: read by `readSettings`. */
export function addExpectations(command: Command): Command {
  command.optionsGroup('Expected values:');
  for (const [name, member] of Object.entries(EXPECTATION_MEMBERS)) {
    if (OF_EXPLAIN.includes(name)) continue;
    if ('several' in member) command.option(member.flag, `${member.meaning}; may be given several times`, collect);
    else command.option(member.flag, member.meaning);
    if (name === 'requireUserVerification') command.addOption(new Option('--no-require-uv').hideHelp());
  }
  return command;
}
