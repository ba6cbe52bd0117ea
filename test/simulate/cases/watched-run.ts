import { expect } from 'vitest';
import type { CeremonyFinished } from '../../../src/relying-party/events.js';
import type { Ceremony } from '../../../src/relying-party/ports.js';
import { type Case, runCase } from '../../../src/simulate/engine/case.js';
import { type RunContext } from '../../../src/simulate/engine/context.js';
import type { InProcessServer } from '../../../src/simulate/engine/in-process.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { listScenarios } from '../../../src/simulate/scenarios.js';
import { keepingRefusals } from '../keeping-refusals.js';

/** What the relying party did while a case ran, in order. */
export interface Watched {
  readonly begun: Ceremony[];
  readonly finished: CeremonyFinished[];
}

/** Runs cases against the server in process, each of which must pass, and tells of every ceremony and every refusal. */
export async function openWatchedRun() {
  const opened = await openRun();
  const { server, refusals } = keepingRefusals(opened.borrowServer());
  const run: RunContext = { ...opened, borrowServer: () => server };
  const fitting = new Set((await listScenarios({ fixtures: [] }, opened)).map(({ id }) => id));
  return {
    async finishedIn(each: Case): Promise<Watched> {
      const watched: Watched = { begun: [], finished: [] };
      expect(await runCase(each, watching(run, watched))).toEqual({ status: 'passed' });
      return watched;
    },
    /** Whether the server in process has what the case tries. */
    fits: ({ id }: Case) => fitting.has(id),
    refusals,
    close: () => opened.close(),
  };
}

function watching(run: RunContext, { begun, finished }: Watched): RunContext {
  const lent = new Map<InProcessServer, InProcessServer>();
  return {
    ...run,
    borrowServer() {
      const server = run.borrowServer();
      const watched: InProcessServer = {
        ...server,
        async open(setup) {
          const underTest = await server.open(setup);
          underTest.relyingParty.on((event) => {
            if (event.type === 'ceremony-begun') begun.push(event.ceremony);
            if (event.type === 'ceremony-finished') finished.push(event);
          });
          return underTest;
        },
      };
      lent.set(watched, server);
      return watched;
    },
    giveBack(server) {
      run.giveBack(lent.get(server) ?? server);
    },
  };
}
