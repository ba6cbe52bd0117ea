import { openWorkCounter } from '../count-work.js';
import { BINARY_PARSERS } from './binary-parsers.js';
import { FILE_PARSERS } from './file-parsers.js';
import { growthOf } from './growth.js';
import { Random } from './random.js';
import { registration } from './registration-parser.js';
import { type Finding, type Result, reproduce, shownError, tallied } from './report.js';
import type { Run } from './targets.js';
import { TEXT_PARSERS } from './text-parsers.js';

/** Large enough for a square to show beside what an input costs at least. */
const SIZE = 2_000;
/** Twice as much input may take twice the work, and a little for what does not grow evenly. */
const MOST = 2.2;

/**
 * Lets inputs grow at one place and counts the work of reading them. An input that is refused at one size and not at another may jump once;
 * what jumps at both doublings grows faster than its input.
 */
export async function fuzzWork({ seed, inputs, from = 0, onProgress }: Run): Promise<Result> {
  const parsers = [...BINARY_PARSERS, ...TEXT_PARSERS, ...FILE_PARSERS, registration];
  const outcomes = new Map<string, number>();
  const findings = new Map<string, Finding>();
  const counter = await openWorkCounter();
  try {
    for (let index = from; index < from + inputs; index += 1) {
      const random = new Random(seed, index);
      const parser = random.pick(parsers);
      const grow = growthOf(parser.name, random);
      const sizes = [SIZE, 2 * SIZE, 4 * SIZE].map(grow);
      const counts: number[] = [];
      let ended = '';
      try {
        // What is loaded and remembered the first time is no work of the input.
        await parser.read(grow(1));
        for (const input of sizes) counts.push(await counter.count(async () => (ended = await parser.read(input))));
      } catch (error) {
        ended = `FAILED ${shownError(error).split('\n')[0]}`;
        findings.set(ended, readFinding(parser.name, seed, index, shownError(error)));
      }
      const [once = 0, twice = 0, four = 0] = counts;
      const isSteep = twice > MOST * once && four > MOST * twice;
      const bytes = sizes.map(({ length }) => length);
      if (isSteep && !findings.has(`${parser.name} ${ended}`)) {
        const begin = JSON.stringify(Buffer.from(sizes[0]?.subarray(0, 200) ?? []).toString('latin1'));
        const detail = `${bytes.join(', ')} bytes take ${counts.join(', ')} steps (${ended})\n${begin}`;
        findings.set(`${parser.name} ${ended}`, readFinding(parser.name, seed, index, detail));
      }
      tallied(outcomes, `${parser.name}: ${isSteep ? 'STEEP' : 'linear'}`);
      if ((index + 1) % 200 === 0) onProgress?.(index + 1 - from);
    }
  } finally {
    await counter.close();
  }
  return { done: inputs, outcomes, findings: [...findings.values()] };
}

function readFinding(parser: string, seed: number, index: number, detail: string): Finding {
  return { title: `work: ${parser}, input ${index} of seed ${seed}`, detail, reproduce: reproduce('work', seed, index) };
}
