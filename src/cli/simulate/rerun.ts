import { spellFlag } from '../../kernel/wording.js';
import type { CaseResult } from '../../simulate/report/report.js';
import type { Flags } from '../config/resolve.js';
import { type Io } from '../io.js';
import { ownCommand, quoteWord } from '../own-command.js';

/**
 * Names of flags that select cases, or that concern a whole run and its reports. A command that runs a single case again needs none of
 * them.
 */
const OF_THE_WHOLE_RUN: ReadonlySet<string> = new Set([
  'replay',
  'tag',
  'step',
  'attestationFormat',
  'rerunFailed',
  'baseline',
  'allowIncomplete',
  'failOn',
  'failOnLibrary',
  'failOnNotApplicable',
  'verbose',
  'writeBaseline',
  'bail',
  'jobs',
  'repeat',
  'reporter',
  'json',
  'list',
  'quiet',
  'color',
  'input',
]);

/**
 * Makes the command that runs one case again in the same way. Reports are shared with other people, so the command contains no bearer
 * tokens and no values of variables.
 */
export function rerunCommand(io: Io, flags: Flags, { id, replay }: Pick<CaseResult, 'id' | 'replay'>): string {
  const kept = Object.entries(flags).filter(([key]) => !OF_THE_WHOLE_RUN.has(key));
  return [
    ownCommand(io),
    'simulate',
    quoteWord(id),
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...kept.flatMap(([key, value]) => asGiven(key, value)),
  ].join(' ');
}

function asGiven(key: string, value: unknown): string[] {
  const flag = spellFlag(key);
  if (value === true) return [flag];
  if (value === false) return [flag.replace('--', '--no-')];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (key === 'set') return values.flatMap((each) => [flag, `${String(each).split('=')[0] ?? ''}="$VALUE"`]);
  if (key === 'token') return values.flatMap((_, index) => [flag, `"$TOKEN_${index + 1}"`]);
  return values.flatMap((each) => [flag, quoteWord(String(each))]);
}
