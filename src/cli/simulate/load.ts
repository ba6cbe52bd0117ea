import { PasskeyError } from '../../errors.js';
import { spellFlag } from '../../kernel/wording.js';
import { DEFAULT_DURATION, MAX_CHECK, MAX_DURATION, MAX_RATE, simulateLoad } from '../../simulate/load/load.js';
import { MAX_UNDER_WAY } from '../../simulate/load/open-target.js';
import { isKept, type LoadMix, type LoadPace } from '../../simulate/load/report.js';
import { renderLoad } from '../../simulate/reporters/load.js';
import { seconds } from '../../simulate/reporters/words.js';
import type { ReadProfile } from '../../simulate/target/read-profile.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { duration, integer, type Kind, parsed } from '../config/values.js';
import { interruptible } from '../interruption.js';
import { hasColour, type Io, printJson } from '../io.js';
import { printableValues } from '../output/printable.js';
import { version } from '../package.js';
import { progressLine } from '../progress.js';
import { readTarget, sayPause, TARGET_FLAGS } from './target.js';

const CHECK_FAILED = 1;
/** Milliseconds between two updates of the progress line. */
const PROGRESS_EVERY = 200;

const rate: Kind<number> = parsed({
  placeholder: 'number/s',
  expects: `a number of ceremonies per second such as 50/s, above 0 and at most ${MAX_RATE}/s`,
  parse(raw) {
    const [, digits] = /^(\d{1,6}(?:\.\d{1,6})?)(?:\/s)?$/.exec(String(raw).trim()) ?? [];
    const perSecond = Number(digits);
    return perSecond > 0 && perSecond <= MAX_RATE ? perSecond : undefined;
  },
});

const mix: Kind<LoadMix> = parsed({
  placeholder: 'registrations:logins',
  expects: 'two whole numbers up to 1000 such as 1:9, not both 0',
  parse(raw) {
    const [, first, second] = /^(\d{1,4}):(\d{1,4})$/.exec(String(raw).trim()) ?? [];
    const [registrations, logins] = [Number(first), Number(second)];
    return registrations <= 1000 && logins <= 1000 && registrations + logins > 0 ? { registrations, logins } : undefined;
  },
});

/**
 * Names of the flags that only have a meaning together with `--load`. `ALSO_TAKEN` names the other flags that may be combined with
 * `--load`.
 */
const OF_LOAD = ['concurrency', 'rate', 'duration', 'mix', 'check'];
const ALSO_TAKEN = ['load', 'json', 'url', ...TARGET_FLAGS.filter((key) => key !== 'restart')];

/** Refuses flags that only have a meaning together with `--load`. @throws PasskeyError `usage` if one of them is given without `--load`. */
export function refuseLoadFlags(flags: Flags): void {
  const key = OF_LOAD.find((each) => flags[each] !== undefined);
  if (key !== undefined) throw new PasskeyError('usage', `--${key} needs --load. Add --load, or leave --${key} out.`);
}

/**
 * Runs `passkey simulate --load`. @returns the exit code. It is 0 if ceremonies were accepted and no ceremony that the server acknowledged
 * was lost, otherwise 1. After an interruption, it is the exit code for the signal.
 */
export async function runLoad(
  io: Io,
  flags: Flags,
  { names, read }: { readonly names: readonly string[]; readonly read?: ReadProfile | undefined },
): Promise<number> {
  const key = Object.keys(flags).find((each) => !OF_LOAD.includes(each) && !ALSO_TAKEN.includes(each));
  const other = names[0] ?? (key && spellFlag(key));
  if (other !== undefined) {
    throw new PasskeyError('usage', `--load runs no cases, so ${other} has no effect on it. Leave one of them out.`);
  }
  const pace = readPace(io, flags);
  const asked = {
    duration: flags.duration === undefined ? DEFAULT_DURATION : readFlag(io, duration({ max: MAX_DURATION }), '--duration', flags.duration),
    ...(flags.mix !== undefined && { mix: readFlag(io, mix, '--mix', flags.mix) }),
    ...(flags.check !== undefined && { check: readFlag(io, integer({ min: 1, max: MAX_CHECK }), '--check', flags.check) }),
  };
  const target = await readTarget(io, flags, read);
  const progress = progressLine(io);
  let shownAt = Number.NEGATIVE_INFINITY;
  const { report, exitCode } = await interruptible(io, async (signal, exitCode) => {
    const report = await simulateLoad({
      target,
      pace,
      ...asked,
      signal,
      version: version(),
      onCeremony({ accepted, elapsed }) {
        if (elapsed - shownAt < PROGRESS_EVERY) return;
        shownAt = elapsed;
        progress.show(`${seconds(elapsed)} of ${seconds(asked.duration)} s, ${accepted} accepted`);
      },
      onCheck: () => progress.show('checking that nothing was lost'),
      onPause(milliseconds) {
        progress.clear();
        sayPause(io, milliseconds);
      },
    });
    return { report, exitCode: exitCode() };
  }).finally(() => progress.clear());
  if (flags.json === true) printJson(io, report);
  else io.stdout.write(renderLoad(printableValues(report), { colour: hasColour(io, io.stdout) }));
  if (report.interrupted && exitCode !== undefined) return exitCode;
  return isKept(report) ? 0 : CHECK_FAILED;
}

function readPace(io: Io, flags: Flags): LoadPace | undefined {
  if (flags.rate !== undefined && flags.concurrency !== undefined) {
    throw new PasskeyError('usage', '--rate and --concurrency both set the pace of a run. Give only one of them.');
  }
  if (flags.rate !== undefined) return { kind: 'rate', per_second: readFlag(io, rate, '--rate', flags.rate) };
  if (flags.concurrency === undefined) return undefined;
  const number = integer({ min: 1, max: MAX_UNDER_WAY });
  return { kind: 'concurrency', concurrency: readFlag(io, number, '--concurrency', flags.concurrency) };
}
