import { bothAccepted, bothRefused } from '../engine/both-ceremonies.js';
import type { Case } from '../engine/case.js';
import { type CaseContext, passTime } from '../engine/context.js';
import { notApplicable, SLOW_TAG } from '../engine/scenario.js';

/** Waits for a part of the lifetime of a challenge, and some milliseconds. */
function waiting(part: number, milliseconds = 0) {
  return ({ context }: { readonly context: CaseContext }): Promise<void> => {
    const { challengeSeconds } = context.driver.has;
    if (challengeSeconds === undefined) throw notApplicable('its profile does not say how long a challenge lives (challengeSeconds)');
    return passTime(context, challengeSeconds * 1000 * part + milliseconds);
  };
}

/** Clocks of two machines, and a challenge that is stored a moment after it was made. */
const TOLERANCE_MS = 2_000;

/** On a running server they take minutes, so they run only where that is asked for. */
export const SLOW_CASES: readonly Case[] = [
  ...bothRefused({
    what: 'answered-late',
    title: 'a response after the challenge has expired',
    why: 'Whoever finds an old page, log or proxy can use the challenge in it for ever. Store when a challenge was issued, and refuse it after a few minutes (§13.4.3).',
    tags: [SLOW_TAG],
    beforeSending: waiting(1, TOLERANCE_MS),
    code: 'challenge_expired',
    step: 'challenge',
  }),
  ...bothAccepted({
    what: 'answered-in-time',
    title: 'a response after half of the lifetime of its challenge',
    why: 'People look for their phone or security key. A challenge must live as long as the profile says, and at least as long as the timeout of the options.',
    tags: [SLOW_TAG, 'conforming'],
    beforeSending: waiting(1 / 2),
  }),
];
