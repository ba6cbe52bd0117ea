import { answererName, type Outcome, type Software } from './run.js';

/** Result of an item, or its present state if it has not ended. */
export type Verdict =
  | 'waiting'
  | 'open'
  | 'verified'
  | 'rejected'
  | 'refused'
  | 'scripted'
  | 'browser-error'
  | 'cancelled'
  | 'unanswered'
  | 'failed'
  | 'expired'
  | 'elsewhere'
  | 'changed'
  | 'undecided'
  | 'error'
  | 'explained';

/** Word, sign and colour of every verdict. */
export const VERDICTS: Readonly<Record<Verdict, { readonly word: string; readonly sign: string; readonly tone: Tone }>> = {
  waiting: { word: 'waiting', sign: '…', tone: 'accent' },
  open: { word: 'open', sign: '…', tone: 'plain' },
  verified: { word: 'verified', sign: '✓', tone: 'good' },
  rejected: { word: 'refused', sign: '✗', tone: 'bad' },
  refused: { word: 'refused', sign: '✗', tone: 'bad' },
  scripted: { word: 'scripted', sign: '·', tone: 'plain' },
  'browser-error': { word: 'no answer from the browser', sign: '!', tone: 'warn' },
  cancelled: { word: 'cancelled', sign: '·', tone: 'plain' },
  unanswered: { word: 'no answer from the server', sign: '!', tone: 'warn' },
  failed: { word: 'not begun', sign: '!', tone: 'warn' },
  expired: { word: 'expired', sign: '·', tone: 'plain' },
  elsewhere: { word: 'answered elsewhere', sign: '·', tone: 'plain' },
  changed: { word: 'changed', sign: '•', tone: 'plain' },
  undecided: { word: 'undecided', sign: '?', tone: 'plain' },
  error: { word: 'error', sign: '✗', tone: 'bad' },
  explained: { word: 'explained', sign: '·', tone: 'plain' },
};

interface Worded {
  readonly verdict: Verdict;
  readonly kind: string;
  readonly software: Software | undefined;
}

/** Describes the result of an item in one word. */
export function describeVerdict({ verdict, kind, software }: Worded): string {
  if (verdict === 'browser-error') return `no answer from the ${answererName(software)}`;
  if (verdict === 'verified' && kind === 'pasted') return 'accepted';
  // Signing in, renaming: nothing was verified.
  return verdict === 'verified' && kind === 'other' ? 'done' : VERDICTS[verdict].word;
}

export type Tone = 'good' | 'bad' | 'warn' | 'accent' | 'plain';

/** Finds the outcome of a run that corresponds to a verdict. */
export function findOutcome(verdict: Verdict): Outcome {
  switch (verdict) {
    case 'refused':
      return 'rejected';
    case 'scripted':
    case 'changed':
      return 'verified';
    case 'waiting':
    case 'open':
    case 'expired':
    case 'elsewhere':
    case 'undecided':
    case 'error':
    case 'explained':
      return 'failed';
    default:
      return verdict;
  }
}

export function isVerdict(text: string): text is Verdict {
  return Object.hasOwn(VERDICTS, text);
}
