import type { Scene } from '../craft/scene.js';
import type { Answer } from '../exchange.js';
import type { FaultId } from '../faults.js';

/** What became of the one response that a fault decides on. */
export type Outcome = 'accepted' | 'refused' | 'failed';

/** A small crafted exchange: its outcome at a party with the fault differs from that at the correct one. */
export type Exchange = (scene: Scene) => Promise<Answer | Outcome>;

/** Some of the faults, each with the exchange that reaches it. */
export type Exchanges = Partial<Record<FaultId, Exchange>>;

export function toOutcome(result: Answer | Outcome): Outcome {
  if (typeof result === 'string') return result;
  if (result.status >= 500) return 'failed';
  return result.status < 300 ? 'accepted' : 'refused';
}

/** For what is no answer: whether the wrong thing happened. */
export const happened = (wrong: boolean): Outcome => (wrong ? 'accepted' : 'refused');
