import { BINARY_PARSERS } from './binary-parsers.js';
import { FILE_PARSERS } from './file-parsers.js';
import { fuzzHttp } from './http.js';
import { runInputs } from './inputs.js';
import { fuzzKill } from './kill.js';
import type { Parser } from './parser.js';
import { type Result, resultOfInputs } from './report.js';
import { fuzzStore } from './store.js';
import { TEXT_PARSERS } from './text-parsers.js';

export interface Run {
  readonly seed: number;
  /** How many inputs, requests, operations or kills. */
  readonly inputs: number;
  /** The index to begin with. */
  readonly from?: number;
  readonly onProgress?: (done: number) => void;
}

const ofParsers =
  (target: string, parsers: readonly Parser[]) =>
  async (run: Run): Promise<Result> =>
    resultOfInputs(target, await runInputs({ ...run, parsers }));

/** Everything that can be fuzzed. */
export const TARGETS = {
  parsers: ofParsers('parsers', [...BINARY_PARSERS, ...TEXT_PARSERS]),
  files: ofParsers('files', FILE_PARSERS),
  http: fuzzHttp,
  store: fuzzStore,
  kill: fuzzKill,
} as const satisfies Record<string, (run: Run) => Promise<Result>>;

export type Target = keyof typeof TARGETS;

export function isTarget(name: string): name is Target {
  return Object.hasOwn(TARGETS, name);
}
