import { performance } from 'node:perf_hooks';
import { reusingRsaKey, systemKeyPairs } from '../../authenticator/key-pair.js';
import { PasskeyError } from '../../errors.js';
import type { RemoteOptions } from '../engine/remote.js';
import { type CeremonyOptions, createCeremonies } from './ceremonies.js';
import { checkKept } from './check.js';
import { MAX_UNDER_WAY, openTarget } from './open-target.js';
import { createPasskeys } from './passkeys.js';
import { type LoadMix, type LoadPace, type LoadReport } from './report.js';
import { keepConcurrent, keepRate, type LoadClock, systemClock } from './schedule.js';
import { createTally } from './tally.js';

export interface LoadOptions {
  /** A running server. Default: our own server in this process, whose CPU use is then part of the measurement. */
  readonly target?: RemoteOptions | undefined;
  /**
   * A closed loop with a number of simultaneous ceremonies, up to 10,000, or an open loop that begins a number of ceremonies per second.
   * Default: 10 at once.
   */
  readonly pace?: LoadPace | undefined;
  /** Milliseconds during which ceremonies begin, at most an hour; default: 10 seconds. */
  readonly duration?: number;
  /** The proportion of registrations to logins; default: 1 to 9. If no passkey is free for a login, a registration takes place instead. */
  readonly mix?: LoadMix;
  /** Maximum number of registered passkeys to check after the load; default: 1,000. */
  readonly check?: number;
  /** Ends the run when it is aborted. The report then covers the run so far. */
  readonly signal?: AbortSignal;
  /** Called after each ceremony, with the number accepted so far and the milliseconds elapsed. */
  readonly onCeremony?: (progress: { readonly accepted: number; readonly elapsed: number }) => void;
  /** Called when the load has ended, before checking that the target has kept everything it acknowledged. */
  readonly onCheck?: () => void;
  /** Called when the server asks for a pause during the check after the load, before the pause and with its length in milliseconds. */
  readonly onPause?: (milliseconds: number) => void;
  /** Source of the time; default: the system clock. */
  readonly clock?: LoadClock;
  /** Version of this tool, for the report. */
  readonly version: string;
}

const DEFAULT_PACE: LoadPace = { kind: 'concurrency', concurrency: 10 };
export const DEFAULT_DURATION = 10_000;
const DEFAULT_MIX: LoadMix = { registrations: 1, logins: 9 };
const DEFAULT_CHECK = 1000;
export const MAX_DURATION = 3_600_000;
export const MAX_CHECK = 10_000;
export const MAX_RATE = 10_000;

/**
 * Performs ceremonies with its own passkeys for a time and measures them. Then it checks that the target has kept everything it
 * acknowledged.
 *
 * @returns the report; `isKept` tells whether the run passed.
 * @throws PasskeyError `usage` if the target may not be tested or a value is out of range; `target_unreachable` if the target does not
 * respond at all; `interrupted` if the run is stopped before the first ceremony.
 */
export async function simulateLoad(options: LoadOptions): Promise<LoadReport> {
  const { pace = DEFAULT_PACE, duration = DEFAULT_DURATION, mix = DEFAULT_MIX, check = DEFAULT_CHECK, clock = systemClock } = options;
  checkRanges({ pace, duration, mix, check });
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const startedAt = new Date();
  const target = await openTarget({ target: options.target, signal, onPause: options.onPause });
  try {
    const tally = createTally();
    const most = pace.kind === 'concurrency' ? pace.concurrency : MAX_UNDER_WAY;
    const passkeys = createPasskeys(Math.max(check, 2 * most));
    const newPrivateKey = reusingRsaKey(systemKeyPairs);
    const run = createCeremonies({ target, clock, tally, passkeys, mix, newPrivateKey });
    if (options.target === undefined) await warmUp({ target, clock, newPrivateKey });
    const began = clock.now();
    const idle = performance.eventLoopUtilization();
    let failure: { readonly error: unknown } | undefined;

    async function start(index: number, due: number): Promise<void> {
      try {
        await run(index, due);
        options.onCeremony?.({ accepted: tally.accepted, elapsed: clock.now() - began });
      } catch (error) {
        if (error instanceof PasskeyError && error.code === 'interrupted') return tally.unfinished();
        failure ??= { error };
        stop.abort();
      }
    }

    const schedule = { clock, duration, signal, start };
    const notStarted =
      pace.kind === 'rate' ? await keepRate(schedule, pace.per_second, most) : await keepConcurrent(schedule, most).then(() => 0);
    const took = clock.now() - began;
    const busy = performance.eventLoopUtilization(idle).utilization;
    if (failure !== undefined) {
      await target.cleanUp();
      throw failure.error;
    }
    options.onCheck?.();
    target.waitWhenPutOff();
    const checked = await checkKept({ target, passkeys, most: check, signal });
    return {
      format: 'passkey-load-report',
      version: 1,
      tool_version: options.version,
      target: target.name,
      started_at: startedAt.toISOString(),
      pace,
      mix,
      asked_ms: duration,
      duration_ms: rounded(took),
      interrupted: options.signal?.aborted === true,
      ceremonies: tally.ceremonies(took, notStarted),
      requests: tally.requests(),
      errors: tally.errors(),
      client: {
        share: Math.round(tally.clientShare(took) * 10_000) / 10_000,
        busy: rounded(busy),
        late_ms: pace.kind === 'rate' ? tally.lateness() : null,
      },
      check: checked,
      left: [...(await target.cleanUp())],
    };
  } finally {
    await target.close();
  }
}

/** Performs two ceremonies that are not measured, so that our server in this process has loaded its code before the measurement. */
async function warmUp(options: Pick<CeremonyOptions, 'target' | 'clock' | 'newPrivateKey'>): Promise<void> {
  const mix = { registrations: 1, logins: 1 };
  const run = createCeremonies({ ...options, mix, tally: createTally(), passkeys: createPasskeys(1) });
  for (const index of [0, 1]) await run(index, options.clock.now());
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

interface Ranges {
  readonly pace: LoadPace;
  readonly duration: number;
  readonly mix: LoadMix;
  readonly check: number;
}

function checkRanges({ pace, duration, mix, check }: Ranges): void {
  const [asked, most] = pace.kind === 'rate' ? [pace.per_second, MAX_RATE] : [pace.concurrency, MAX_UNDER_WAY];
  if (!(asked > 0 && asked <= most && (pace.kind === 'rate' || Number.isInteger(asked)))) {
    throw new PasskeyError('usage', `Expected a ${pace.kind} of at most ${most}; got ${asked}.`);
  }
  if (!(duration > 0 && duration <= MAX_DURATION)) {
    throw new PasskeyError('usage', `Expected a duration of at most ${MAX_DURATION} ms; got ${duration}.`);
  }
  if (mix.registrations + mix.logins < 1) throw new PasskeyError('usage', 'Expected a mix of registrations and logins; got neither.');
  if (!(Number.isInteger(check) && check >= 1 && check <= MAX_CHECK)) {
    throw new PasskeyError('usage', `Expected to check 1 to ${MAX_CHECK} passkeys; got ${check}.`);
  }
}
