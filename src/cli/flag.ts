import { type Command, Option } from 'commander';
import { spellFlag } from '../kernel/wording.js';

/** Lists that are made on demand: of stored things, or from tables that take a moment to load. */
export type ListName =
  | 'algorithms'
  | 'attestation-formats'
  | 'cases'
  | 'credentials'
  | 'failed-checks'
  | 'live-passkeys'
  | 'live-tokens'
  | 'mutations'
  | 'passkeys'
  | 'personas'
  | 'profiles'
  | 'revoked-passkeys'
  | 'shapes'
  | 'steps'
  | 'tags'
  | 'users';

/** The values that a flag or argument takes, for completion. `several` are separated by commas. */
export interface Source {
  readonly words?: ListName | readonly string[];
  /** The names that the shell itself adds. */
  readonly shell?: 'files' | 'folders' | 'commands';
  readonly several?: true;
}

/** One flag. Its name is the key of its row: `failOn` is `--fail-on`. */
export interface Flag {
  /** Placeholder of its value: `file`, or `[file]` where the value may be left out. A flag without one is a switch. */
  readonly value?: string | undefined;
  /** Letter of the short form. */
  readonly short?: string | undefined;
  /** Its description, if it is the same for every command. */
  readonly about?: string;
  readonly isRepeatable?: boolean;
  /** The completion, if its placeholder does not determine it. */
  readonly completes?: Source | undefined;
}

/** A flag in one command: its effect there, and its differences from its row. */
export interface FlagUse extends Flag {
  readonly isRequired?: true;
  readonly isHidden?: true;
  /** Names of the flags that exclude it. */
  readonly conflicts?: string | readonly string[];
}

class FlagOption extends Option {
  readonly completes: Source | undefined;

  constructor(flags: string, { about, completes }: Flag) {
    super(flags, about);
    this.completes = completes;
  }
}

/** The completion of a flag's value; undefined if its row does not determine it. */
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
