// The tests that take too long for `npm test`, and its long properties with ten times as many generated ceremonies: vitest.release.config.ts.
import { runVitest } from './runner/vitest.mjs';

/** @param {(line: string) => void} say */
export const run = (say) => runVitest({ args: ['--config', 'vitest.release.config.ts'] }, say);
