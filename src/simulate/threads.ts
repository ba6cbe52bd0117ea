import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, PasskeyError } from '../errors.js';
import { readAsset } from './asset.js';
import type { Helper, Outcome } from './engine/run-scenarios.js';
import type { ScenarioOptions } from './scenarios.js';

/** Data that a worker thread receives when it starts. */
export interface ThreadData {
  readonly options: ScenarioOptions;
  /** Shared memory of the queue, for `openQueue`. */
  readonly queue: SharedArrayBuffer;
  /** Number of scenarios in the list. */
  readonly length: number;
  readonly repeat: number;
}

/** Message from a worker thread: the outcome of a scenario, or an error that ends the run. */
export type ThreadMessage =
  | { readonly index: number; readonly outcome: Outcome }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly error: unknown };

/** Number of scenarios that one thread runs in about the time that it takes to start another thread. */
const FEWEST_PER_THREAD = 100;

interface ThreadsOptions {
  /** Options from which each thread makes the list of scenarios. `length` is the length of that list. */
  readonly options: ScenarioOptions;
  readonly length: number;
  readonly repeat: number;
  /** Maximum number of threads, including the current one. */
  readonly jobs: number;
}

/** Starts worker threads, each with its own server. Starts none if the list of scenarios is too short to be worth the cost. */
export function openThreads({ options, length, repeat, jobs }: ThreadsOptions): readonly (Helper & { close(): Promise<void> })[] {
  const program = programOfThread();
  const helpers = Math.min(jobs, Math.floor(length / FEWEST_PER_THREAD)) - 1;
  return program === undefined || helpers < 1
    ? []
    : Array.from({ length: helpers }, () => createHelper(program, { options, length, repeat }));
}

/**
 * Finds the program that a worker thread runs: a file next to the bundle, or a script embedded in the executable. Undefined if this program
 * runs from its TypeScript source, from which Node starts no thread.
 */
function programOfThread(): URL | string | undefined {
  const carried = readAsset('simulate-thread.cjs');
  if (carried !== undefined) return carried;
  const places = ['./simulate-thread.js', '../simulate-thread.js'].map((path) => new URL(path, import.meta.url));
  return places.find((place) => place.protocol === 'file:' && existsSync(place));
}

function createHelper(program: URL | string, data: Omit<ThreadData, 'queue'>): Helper & { close(): Promise<void> } {
  let worker: Worker | undefined;
  return {
    start(queue, { ended, failed }) {
      const { fixtures, replay, cases, select } = data.options;
      const options = { fixtures, ...(replay && { replay }), ...(cases !== undefined && { cases }), ...(select && { select }) };
      const workerData: ThreadData = { ...data, options, queue: queue.shared };
      worker = new Worker(program, { workerData, eval: typeof program === 'string' });
      worker.on('error', failed);
      worker.on('message', (message: ThreadMessage) => {
        if ('outcome' in message) ended(message.index, message.outcome);
        else failed('code' in message ? new PasskeyError(message.code, message.message) : message.error);
      });
    },
    async close() {
      await worker?.terminate();
    },
  };
}
