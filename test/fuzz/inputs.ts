import { BrokenProperty, type Parser } from './parser.js';
import { Random } from './random.js';
import { shrink } from './shrink.js';

export interface InputRun {
  readonly parsers: readonly Parser[];
  readonly seed: number;
  readonly inputs: number;
  /** Of the first input. */
  readonly from?: number;
  /** Is told every so many inputs how far the run is. */
  readonly onProgress?: (done: number) => void;
}

/** One kind of failure: the first input of it, as it was made and as small as it could be made. */
export interface FailedInput {
  readonly parser: string;
  readonly seed: number;
  readonly index: number;
  readonly input: Uint8Array;
  readonly shrunk: Uint8Array;
  readonly error: unknown;
  /** How many inputs failed in this way. */
  count: number;
}

export interface InputResult {
  /** How many inputs came to what, by parser and outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failures: readonly FailedInput[];
}

/** So many kinds of failure say enough. */
const MOST_KINDS = 20;
const PROGRESS = 100_000;

/** Makes inputs and reads them. The seed and the index of an input decide everything about it. */
export async function runInputs({ parsers, seed, inputs, from = 0, onProgress }: InputRun): Promise<InputResult> {
  const outcomes = new Map<string, number>();
  const failures = new Map<string, FailedInput>();
  for (let index = from; index < from + inputs && failures.size < MOST_KINDS; index += 1) {
    const random = new Random(seed, index);
    const parser = random.pick(parsers);
    const input = parser.make(random);
    const failed = await failureOf(parser, input);
    const outcome = `${parser.name}: ${failed.outcome ?? 'FAILED'}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (failed.outcome === undefined) {
      const kind = kindOf(parser, failed.error);
      const known = failures.get(kind);
      if (known !== undefined) {
        known.count += 1;
        continue;
      }
      const shrunk = await shrink(input, async (candidate) => {
        const again = await failureOf(parser, candidate);
        return again.outcome === undefined && kindOf(parser, again.error) === kind;
      });
      failures.set(kind, { parser: parser.name, seed, index, input, shrunk, error: failed.error, count: 1 });
    }
    if ((index + 1) % PROGRESS === 0) onProgress?.(index + 1 - from);
  }
  return { outcomes, failures: [...failures.values()] };
}

interface Failure {
  readonly outcome?: string;
  readonly error?: unknown;
}

async function failureOf(parser: Parser, input: Uint8Array): Promise<Failure> {
  const before = Buffer.from(input);
  try {
    const outcome = await parser.read(input);
    return before.equals(input) ? { outcome } : { error: new BrokenProperty('the input is not changed') };
  } catch (error) {
    return { error };
  }
}

/** The place in the source tells failures apart better than their message. */
function kindOf(parser: Parser, error: unknown): string {
  if (!(error instanceof Error)) return `${parser.name} ${typeof error}`;
  const place = /\/src\/[^)\s]*/.exec(error.stack ?? '')?.[0] ?? '';
  return `${parser.name} ${error.name} ${error instanceof BrokenProperty ? error.message.replaceAll(/\d+|"[^"]*"|\(.*\)/g, '#') : place}`;
}
