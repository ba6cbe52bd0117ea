import type { JsonObject } from '../../kernel/json-value.js';
import type { Answer, Driver, Exchange } from './driver.js';
import { describeMisfit, emptyTakes, type Located, misfitAt, missedTake } from './misfit.js';
import type { Misfit, ProbeFound, ProbeStep } from './probe-report.js';
import type { Phase } from './profile-schema.js';

export interface ProbeOptions extends Located {
  readonly driver: Driver;
  /** URL of the target, for the report. */
  readonly url: string;
  readonly onStep?: (step: ProbeStep) => void;
}

/** Thrown to end the walk through a profile early if the following steps depend on a step that did not work. */
export class Stop extends Error {
  override readonly name = 'Stop';
}

export async function untilStop(steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
}

export type Found = { -readonly [Name in keyof Omit<ProbeFound, 'has' | 'measured'>]: ProbeFound[Name] };

export interface Walk {
  readonly steps: ProbeStep[];
  readonly found: Found;
  /** Whether the target has answered at least once. Also true if no request has been sent yet. */
  answered(): boolean;
  note(
    name: string,
    answer: Answer | undefined,
    more: {
      readonly said?: string;
      readonly misfit?: Misfit | undefined;
      readonly status?: ProbeStep['status'];
      readonly remarks?: readonly string[];
    },
  ): void;
  /**
   * Records a step whose response must count as accepted according to the profile.
   *
   * @throws Stop if it does not.
   */
  expectAccepted(name: string, phase: Phase, answer: Answer): void;
  /**
   * Deletes the test passkey, and records whether that worked.
   *
   * @param registered values that `register` took
   */
  cleanUp(driver: Driver, registered: JsonObject): Promise<void>;
}

export function createWalk(options: ProbeOptions): Walk {
  const steps: ProbeStep[] = [];
  let silent = false;
  const note: Walk['note'] = (
    name,
    answer,
    { said = answer?.said ?? '', misfit, status = misfit === undefined ? 'passed' : 'failed', remarks = [] },
  ) => {
    // Two logins may fail by the same line: it is shown once.
    const before = misfit && steps.find((step) => step.misfit?.pointer === misfit.pointer);
    if (before !== undefined) return note(name, answer, { status: 'skipped', said: `the same line of the profile as ${before.name}` });
    const step = {
      name,
      status,
      said,
      remarks: [...(answer?.remarks ?? []), ...remarks],
      exchanges: (answer?.exchanges ?? []).map(shown),
      ...(misfit && { misfit }),
    };
    steps.push(step);
    silent ||= answer?.outcome === 'broken';
    options.onStep?.(step);
  };
  return {
    steps,
    found: {
      rp_id: null,
      algorithms: [],
      attestation: null,
      formats: [],
      user_verification: null,
      resident_key: null,
      logins: [],
      witness: false,
      unknown_user: null,
      library: null,
    },
    note,
    answered: () => !silent || steps.some(({ exchanges }) => exchanges.some(({ status }) => status !== null)),
    expectAccepted(name, phase, answer) {
      if (answer.outcome === 'accepted') {
        const remarks = emptyTakes(options, phase, answer).map(
          (pointer) => `The response contains no value for ${options.where(pointer)}.`,
        );
        return note(name, answer, { remarks });
      }
      note(name, answer, { misfit: describeMisfit(options, phase, answer) });
      throw new Stop();
    },
    async cleanUp(driver, registered) {
      if ((options.profile.cleanup ?? []).length === 0) {
        return note('cleanup', undefined, {
          status: 'skipped',
          said: 'The profile has no "cleanup": the test passkey stays on the server.',
        });
      }
      const [left] = await driver.cleanUp({ expectFound: true });
      if (left === undefined) return note('cleanup', undefined, { said: 'the test passkey is deleted' });
      const expected = 'a response that confirms the deletion';
      const change = 'Correct this line: the test passkey is still on the server.';
      const pointer = missedTake(options.profile, registered) ?? '/cleanup/0';
      note('cleanup', undefined, { said: left, misfit: misfitAt(options, { pointer, expected, received: left, change }) });
    },
  };
}

const shown = ({ status, ...exchange }: Exchange): ProbeStep['exchanges'][number] => ({ ...exchange, status: status ?? null });
