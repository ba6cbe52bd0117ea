import { parentPort, workerData } from 'node:worker_threads';
import { PasskeyError } from '../errors.js';
import { openRun } from './engine/open-run.js';
import { openQueue } from './engine/queue.js';
import { runScenario } from './engine/run-scenarios.js';
import { listScenarios } from './scenarios.js';
import type { ThreadData, ThreadMessage } from './threads.js';

// The other end of `openThreads`: runs scenarios of the same list on a thread of its own, against a server of its own.

async function work({ options, queue: shared, length, repeat }: ThreadData, say: (message: ThreadMessage) => void): Promise<void> {
  const run = await openRun();
  try {
    const scenarios = await listScenarios(options, run);
    if (scenarios.length !== length) {
      throw new PasskeyError('fixture_invalid', 'The fixtures changed while the run was starting. Run the command again.');
    }
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
