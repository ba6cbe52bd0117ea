import type { Verdict } from './items.js';
import type { Outcome } from './run.js';

/** Every verdict, so that none is forgotten. */
const VERDICTS: Readonly<Record<Verdict, Outcome>> = {
  waiting: 'failed',
  open: 'failed',
  verified: 'verified',
  rejected: 'rejected',
  refused: 'rejected',
  'browser-error': 'browser-error',
  cancelled: 'cancelled',
  unanswered: 'unanswered',
  failed: 'failed',
  expired: 'failed',
  changed: 'verified',
  undecided: 'failed',
};

/** The outcome of a run that shows a verdict. */
export function outcomeOf(verdict: Verdict): Outcome {
  return VERDICTS[verdict];
}

export function isVerdict(text: string): text is Verdict {
  return Object.hasOwn(VERDICTS, text);
}
