import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, PasskeyError } from '../errors.js';
import { openRun } from './engine/context.js';
import { openQueue } from './engine/queue.js';
import { type Outcome, runScenario } from './engine/run-scenarios.js';
import { listScenarios, type ScenarioOptions } from './scenarios.js';

// The other end of `openThreads`: runs scenarios of the same list on a thread of its own, against a server of its own.

/** The data that a thread starts with. */
export interface ThreadData {
  readonly options: ScenarioOptions;
  /** The memory of `openQueue`. */
  readonly queue: SharedArrayBuffer;
  /** How many scenarios there are. */
  readonly length: number;
  readonly repeat: number;
}

/** Messages of a thread: the outcome of a scenario, or an error that ends the run. */
export type ThreadMessage =
  | { readonly index: number; readonly outcome: Outcome }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly error: unknown };

async function work({ options, queue: shared, length, repeat }: ThreadData, say: (message: ThreadMessage) => void): Promise<void> {
  const run = await openRun();
  try {
    const scenarios = await listScenarios(options, run);
    if (scenarios.length !== length) throw new PasskeyError('fixture_invalid', 'The fixtures changed while the run began. Run it again.');
    const queue = openQueue(length, shared);
    for (let index = queue.take(); index !== undefined; index = queue.take()) {
      const scenario = scenarios[index];
      if (scenario !== undefined) say({ index, outcome: await runScenario(scenario, { repeat }) });
    }
  } catch (error) {
    // A thread hands over errors without their class.
    say(error instanceof PasskeyError ? { code: error.code, message: error.message } : { error });
  } finally {
    await run.close();
  }
}

if (parentPort !== null) {
  const port = parentPort;
  // Not awaited: as CommonJS, as the executable runs it, a module cannot wait.
  void work(workerData, (message) => port.postMessage(message));
}
