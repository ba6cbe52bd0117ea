import { Command, type Option } from 'commander';
import { CommandHelp } from './help.js';

/** Matches a long flag. No flag begins with three hyphens; a PEM file begins with five, and may be the value of a flag. */
const LONG_FLAG = /^--(?!-)/;

const HELP_LETTER = 'h';

/**
 * A command that never reads a flag as the value of the flag before it. Otherwise, if the shell variable WHY were empty, `--reason $WHY
 * --dry-run` would have the reason `--dry-run`, and would make the change.
 */
export class FlagCommand extends Command {
  override createCommand(name?: string): FlagCommand {
    return new FlagCommand(name);
  }

  override createHelp(): CommandHelp {
    return Object.assign(new CommandHelp(), this.configureHelp());
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    this.#refuseFlagsAsValues(words);
    return super.parseOptions(words);
  }

  #refuseFlagsAsValues(words: readonly string[]): void {
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? '';
      // Behind these words stand those of a command within this one, or of another program.
      if (word === '--' || (!word.startsWith('-') && (this.commands.length > 0 || this.#passesThrough))) return;
      const option = this.#findTaker(word);
      if (option === undefined) continue;
      at += 1;
      const value = words[at];
      if (value !== undefined && this.#isFlag(value)) this.#refuse(option, value);
    }
  }

  #passesThrough = false;

  override passThroughOptions(passThrough = true): this {
    this.#passesThrough = passThrough;
    return super.passThroughOptions(passThrough);
  }

  /** Finds the option in `word` whose value is the next word: `--reason`, `-p`, or the last option in a group such as `-vp`. */
  #findTaker(word: string): Option | undefined {
    if (word.startsWith('--')) return this.options.find(({ long, required }) => required && long === word);
    if (!word.startsWith('-')) return undefined;
    const group = this.#readGroup(word);
    const taker = group.findIndex((option) => option === undefined || (option !== 'help' && !option.isBoolean()));
    const last = group.at(-1);
    return taker === group.length - 1 && last !== 'help' && last?.required === true ? last : undefined;
  }

  #isFlag(value: string): boolean {
    if (LONG_FLAG.test(value)) return true;
    if (!/^-[a-z?]/i.test(value)) return false;
    const group = this.#readGroup(value);
    const stranger = group.indexOf(undefined);
    const taker = group.findIndex((option) => option !== undefined && option !== 'help' && !option.isBoolean());
    return stranger === -1 || (taker !== -1 && taker < stranger);
  }

  /** Finds the option for each letter in a group such as `-vp`. Undefined for a letter that is not an option. */
  #readGroup(word: string): (Option | 'help' | undefined)[] {
    return Array.from(word.slice(1), (letter) =>
      letter === HELP_LETTER ? 'help' : this.options.find(({ short }) => short === `-${letter}`),
    );
  }

  #refuse({ long, short, flags }: Option, value: string): never {
    const example = `${long ?? short}=${value}`;
    this.error(`error: option '${flags}' needs a value, and '${value}' is a flag. Write ${example} if you mean it.`, {
      code: 'commander.optionMissingArgument',
    });
  }
}
