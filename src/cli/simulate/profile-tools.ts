import { PasskeyError } from '../../errors.js';
import type { ReadProfile } from '../../simulate/target/read-profile.js';
import type { Flags } from '../config/resolve.js';
import type { Io } from '../io.js';

const OF_INIT_PROFILE = ['from', 'har', 'force'] as const;

/**
 * Writes or probes a target profile if the flags request that, instead of a test run.
 *
 * @param read the profile to probe. Default: the profile that `--target` names.
 * @returns the exit code; undefined if the flags request neither.
 * @throws PasskeyError `usage` for a flag without another flag that it needs; also the errors of writing or probing.
 */
export async function runProfileTool(io: Io, flags: Flags, read?: ReadProfile): Promise<number | undefined> {
  if (flags.initProfile === undefined) {
    const stray = OF_INIT_PROFILE.find((name) => flags[name] !== undefined && !(name === 'har' && flags.url !== undefined));
    if (stray !== undefined) throw new PasskeyError('usage', `--${stray} needs --init-profile. Add it, or leave --${stray} out.`);
    const onlyWrites = flags.write === true && flags.probe !== true;
    if (onlyWrites) throw new PasskeyError('usage', '--write needs --probe. Add it, or leave --write out.');
    return flags.probe === true ? (await import('./probe.js')).probeTarget(io, flags, read) : undefined;
  }
  if (flags.probe === true) {
    throw new PasskeyError('usage', 'Write the profile with --init-profile first; then probe it with --target and --probe.');
  }
  await (await import('./profile.js')).initProfile(io, flags);
  return 0;
}
