/**
 * Counts the work of each large input at n and at 2n, by itself: `node --import tsx test/large/meter.ts` prints an object of `[at n, at 2n]` as JSON.
 * It runs in a process of its own, because counting changes the built-in functions and slows V8 down.
 */
import { openWorkCounter } from '../count-work.js';
import { LARGE_INPUTS } from './inputs.js';

const counter = await openWorkCounter(['/test/large/']);

function workOf(run: () => unknown): Promise<number> {
  return counter.count(async () => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Error) || !/^(PasskeyError|CborSyntaxError)$/.test(error.name)) throw error;
    }
  });
}

const counted: Record<string, readonly [number, number]> = {};
for (const [name, { counted: size, make }] of Object.entries(LARGE_INPUTS)) {
  // What is loaded, compiled or made once is not counted.
  await workOf(make(size));
  counted[name] = [await workOf(make(size)), await workOf(make(2 * size))];
}
process.stdout.write(JSON.stringify(counted));
