import type { Stage } from './stage.js';

/** Moves the clock of the server under test on by some milliseconds. */
export function wait(milliseconds: number): (moment: { readonly stage: Stage }) => void {
  return ({ stage }) => stage.room?.setTime(stage.room.now() + milliseconds);
}
