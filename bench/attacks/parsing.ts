/**
 * `node --import tsx bench/attacks/parsing.ts [NAME…]`: inputs made to keep a parser busy, each at n, 2n, 4n … One line a figure: what, n, milliseconds,
 * and how it ended. A topic stops after its first run of more than LIMIT milliseconds. Work that is linear doubles its figure from line to line.
 */
import { LARGE_INPUTS } from '../../test/large/inputs.js';

const LIMIT = 2_000;

const wanted = process.argv.slice(2);
for (const [name, { sizes, make }] of Object.entries(LARGE_INPUTS)) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  for (let size = sizes[0], spent = 0; size <= sizes[1] && spent < LIMIT; size *= 2) {
    const run = make(size);
    const start = performance.now();
    let ended: string;
    try {
      await run();
      ended = 'done';
    } catch (error) {
      ended = error instanceof Error ? `${error.name}: ${error.message.slice(0, 90)}` : String(error);
    }
    spent = performance.now() - start;
    console.log(`${name}\t${size}\t${spent.toFixed(0)} ms\t${ended}`);
  }
}
