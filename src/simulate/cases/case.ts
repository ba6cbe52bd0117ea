import type { RoomOptions } from '../in-process.js';
import type { Mismatch } from '../report.js';
import { type ExpectedAnswer, type Verdict, verdictOf } from '../scenario.js';
import { CaseEnded } from './requests.js';
import { openStage, type Playhouse, type Stage } from './stage.js';

/** What a case needs of the server under test that only one in process can give. */
export type Need = 'clock' | 'store' | 'policy' | 'settings';

const REASONS: Readonly<Record<Need, string>> = {
  clock: "needs to set the server's clock",
  store: "needs to reach into the server's store",
  policy: 'needs a policy of its own',
  settings: 'needs server settings of its own',
};

/** A named ceremony or request with the outcome that it must have. */
export interface Case {
  /** `<part>.<what>`, e.g. `register.origin-other-port`. */
  readonly id: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly expected: ExpectedAnswer;
  /** Policy and settings that the case needs. */
  readonly room?: RoomOptions;
  readonly needs?: readonly Need[];
  /** What went another way than expected; empty when nothing did. */
  run(stage: Stage): Promise<readonly Mismatch[]>;
}

export function needsOf({ room = {}, needs = [] }: Pick<Case, 'room' | 'needs'>): readonly Need[] {
  return [
    ...(room.policy === undefined ? [] : ['policy' as const]),
    ...(room.settings === undefined && room.origins === undefined ? [] : ['settings' as const]),
    ...(room.now === undefined ? [] : ['clock' as const]),
    ...(room.decorateStore === undefined ? [] : ['store' as const]),
    ...needs,
  ];
}

export async function runCase(played: Case, playhouse: Playhouse): Promise<Verdict> {
  const [need] = needsOf(played);
  if (playhouse.remote !== undefined && need !== undefined) return { status: 'not_applicable', reason: REASONS[need] };
  const stage = await openStage(playhouse, played.room ?? {});
  try {
    return verdictOf(await played.run(stage));
  } catch (error) {
    if (error instanceof CaseEnded) return error.verdict;
    throw error;
  } finally {
    await stage.close();
  }
}

export const ACCEPTED: ExpectedAnswer = { outcome: 'verified' };

/** A refused registration: 422 unless told otherwise. */
export function refused(code: string, step?: string, status = 422): ExpectedAnswer {
  return { outcome: 'rejected', code, status, ...(step !== undefined && { step }) };
}

/** A refused authentication: 401 unless told otherwise. */
export function denied(code: string, step?: string, status = 401): ExpectedAnswer {
  return refused(code, step, status);
}
