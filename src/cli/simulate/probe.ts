import { access, constants, readFile, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { measure } from '../../simulate/measure.js';
import { probe } from '../../simulate/probe.js';
import { BUILT_IN_PROFILES } from '../../simulate/target/built-in.js';
import { openDriver } from '../../simulate/target/open-driver.js';
import { type Measured, type ProbeFound, type ProbeReport, toCapabilities } from '../../simulate/target/probe-report.js';
import { type ReadProfile, writeCapabilities } from '../../simulate/target/read-profile.js';
import { replaceFile } from '../../store/replace-file.js';
import type { Flags } from '../config/resolve.js';
import { interruptible } from '../interruption.js';
import { hasColour, type Io, printJson, say } from '../io.js';
import { printable, printableValues } from '../output/printable.js';
import { renderFound, renderStep } from './probe-lines.js';
import { recogniseLibrary } from './recognise-library.js';
import { readTarget, sayPause } from './target.js';

const CHECK_FAILED = 1;
const UNREACHABLE = 4;

/**
 * Runs `passkey simulate --probe`, which tries a target profile. Exits 0 if the profile fits, 1 if a line of the profile does not fit, and
 * 4 if the server never responded.
 */
export async function probeTarget(io: Io, flags: Flags, given?: ReadProfile): Promise<number> {
  if (flags.write === true && flags.har !== undefined) {
    throw new PasskeyError(
      'usage',
      '--write needs a profile in a file, got a recording. Write its profile first, with --init-profile FILE --har.',
    );
  }
  const target = await readTarget(io, flags, given);
  if (target?.profile === undefined) {
    throw new PasskeyError('usage', '--probe needs a running server. Name it with --url, and its profile with --target.');
  }
  const { profile: read, url, ...reach } = target;
  const file = flags.write === true ? readFileName(String(flags.target ?? 'passkey')) : undefined;
  const json = flags.json === true;
  const style = { colour: hasColour(io, io.stdout) };
  return interruptible(io, async (signal) => {
    const retry = { signal, onPause: (milliseconds: number) => sayPause(io, milliseconds) };
    const driver = openDriver({ ...reach, profile: read, url, ...retry });
    try {
      const walked = await probe({
        ...read,
        driver,
        url,
        onStep(step) {
          if (!json) io.stdout.write(renderStep(printableValues(step), style));
        },
      });
      const found = { ...walked.found, library: recogniseLibrary(walked.steps) };
      const report = walked.passed
        ? addMeasured({ ...walked, found }, await measure({ target: { ...target, profile: read }, found, ...retry }))
        : { ...walked, found };
      if (json) printJson(io, report);
      else io.stdout.write(renderFound(printableValues(report), style));
      if (file !== undefined && report.passed) await writeFound(io, file, report.found);
      return report.passed ? 0 : report.answered ? CHECK_FAILED : UNREACHABLE;
    } finally {
      driver.close();
    }
  });
}

function addMeasured({ found, ...report }: ProbeReport, more: readonly Measured[]): ProbeReport {
  const measured = [...found.measured, ...more];
  return { ...report, found: { ...found, measured, has: toCapabilities(measured) } };
}

/** Reads the file name of a target profile from `--target`. @throws PasskeyError `usage` for a built-in profile, which is not in a file. */
function readFileName(target: string): string {
  if (!BUILT_IN_PROFILES.includes(target)) return target;
  const copy = `--init-profile FILE --from ${target}`;
  throw new PasskeyError('usage', `--write needs a profile in a file, got the built-in profile ${target}. Copy it first: ${copy}.`);
}

/**
 * Replaces the file of a profile in one step. After a crash, either the old or the new profile is there. Keeps links and the mode of the
 * file, since the members of a project share the profile.
 */
async function replaceProfile(file: string, text: string): Promise<void> {
  const target = await realpath(file);
  await access(target, constants.W_OK);
  await replaceFile(target, text, { mode: (await stat(target)).mode & 0o777 });
}

async function writeFound(io: Io, name: string, { measured }: ProbeFound): Promise<void> {
  const file = resolve(io.cwd, name);
  const text = await writeCapabilities(await readFile(file, 'utf8'), name, measured);
  await replaceProfile(file, text).catch((cause: NodeJS.ErrnoException) => {
    throw new PasskeyError('usage', `--write: ${name} cannot be written (${cause.code ?? cause.message}). Make it writable.`, { cause });
  });
  say(io, `Wrote the result into "has" of ${printable(name)}.`);
}
