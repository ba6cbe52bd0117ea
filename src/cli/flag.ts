import { type Command, Option } from 'commander';
import { spellFlag } from '../kernel/wording.js';

/** Names of lists of values that are made on demand, either from stored data or from tables that take a moment to load. */
export type ListName =
  | 'algorithms'
  | 'attestation-formats'
  | 'cases'
  | 'credentials'
  | 'failed-checks'
  | 'live-passkeys'
  | 'live-tokens'
  | 'mutations'
  | 'page-cases'
  | 'passkeys'
  | 'personas'
  | 'profiles'
  | 'revoked-passkeys'
  | 'shapes'
  | 'steps'
  | 'tags'
  | 'users';

/**
 * Describes where completion finds the values of a flag or argument. With `several`, the user may write several values separated by commas.
 */
export interface Source {
  readonly words?: ListName | readonly string[];
  /** Kind of names that the shell itself completes. */
  readonly shell?: 'files' | 'folders' | 'commands';
  readonly several?: true;
}

/** One row in the table of flags. Its key in the table is the name of the flag: `failOn` is `--fail-on`. */
export interface Flag {
  /** Placeholder for the value in the help: `file`, or `[file]` if the value is optional. A flag without a placeholder is a switch. */
  readonly value?: string | undefined;
  /** Short form of the flag, which has one letter. */
  readonly short?: string | undefined;
  /** Description of the flag in the help, if it is the same for every command. */
  readonly about?: string;
  readonly isRepeatable?: boolean;
  /** Where completion finds the values of the flag, if the placeholder does not determine that. */
  readonly completes?: Source | undefined;
}

/** A flag in the form that one command uses. Its members override those in the table of flags. */
export interface FlagUse extends Flag {
  readonly isRequired?: true;
  readonly isHidden?: true;
  /** Names of flags that cannot be combined with this one. */
  readonly conflicts?: string | readonly string[];
}

class FlagOption extends Option {
  readonly completes: Source | undefined;

  constructor(flags: string, { about, completes }: Flag) {
    super(flags, about);
    this.completes = completes;
  }
}

/** Finds where completion gets the values of a flag. Undefined if the table of flags does not say it. */
export const completesWith = (option: Option): Source | undefined => (option instanceof FlagOption ? option.completes : undefined);

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Adds one flag to a command. */
export function addFlag(command: Command, name: string, use: FlagUse, heading?: string): Command {
  const { value, short, isRepeatable, isRequired, isHidden, conflicts } = use;
  const taken = value === undefined ? '' : value.startsWith('[') ? ` ${value}` : ` <${value}>`;
  const option = new FlagOption(`${short === undefined ? '' : `-${short}, `}${spellFlag(name)}${taken}`, use);
  if (isRepeatable === true) option.argParser(collect);
  if (isRequired) option.makeOptionMandatory();
  if (isHidden) option.hideHelp();
  if (conflicts !== undefined) option.conflicts([conflicts].flat());
  if (heading !== undefined) option.helpGroup(heading);
  return command.addOption(option);
}
