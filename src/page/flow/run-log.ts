import type { JsonObject } from '../../kernel/json-value.js';
import type { Api, Method } from '../api.js';
import type { HttpLeg, Leg, Outcome, Run, SignalOffer } from '../run.js';
import type { AppState, Store, Waiting } from '../state.js';

const KEPT_RUNS = 50;

/** A run in progress. Every change appears on the page at once, unless the run is still hidden. */
export interface RunHandle {
  readonly id: number;
  /** Signal that is aborted when the user cancels the run. */
  readonly signal: AbortSignal;
  add(leg: Leg): void;
  http(method: Method, path: string, body?: JsonObject): Promise<HttpLeg>;
  /** Sets the party that the run waits for, and its time limit in milliseconds. */
  waitFor(phase: Waiting['phase'], limit?: number): void;
  /**
   * Ends the run with an outcome. If the user has cancelled the run, shows it as cancelled. If the server has not responded, shows it as
   * unanswered.
   */
  end(outcome: Outcome, summary: string, offer?: SignalOffer): void;
  /** Makes a hidden run visible, as if it had just started. Never replaces the item that the user is looking at. */
  show(): void;
}

interface BeginOptions {
  /** True for a run that the user did not start. It stays invisible until `show()`, because it may have no result. */
  readonly hidden?: boolean;
  /** True if the run is a ceremony. No other ceremony may start before it ends. */
  readonly waits?: boolean;
  /** True if the run never opens a dialog. */
  readonly silent?: boolean;
}

export interface RunLog {
  begin(title: string, kind: Run['kind'], options?: BeginOptions): RunHandle;
  /** Adds the leg of a signal to a run that has ended. */
  addTo(id: number, leg: Leg): void;
  /** Cancels the waiting run, whether it waits for the browser or the server. */
  cancel(): void;
}

export function createRunLog(store: Store<AppState>, api: Api, now: () => number): RunLog {
  let last = 0;
  const controllers = new Map<number, AbortController>();

  return {
    begin(title, kind, { hidden = false, waits = false, silent = false } = {}) {
      const id = ++last;
      const controller = new AbortController();
      const { signal } = controller;
      controllers.set(id, controller);
      let run: Run = { id, title, kind, startedAt: now(), legs: [], outcome: 'running', summary: '', offer: undefined };
      let shown = !hidden;
      const publish = () => {
        if (!shown) return;
        // Replaced where it is: a run that ends late does not jump ahead of those that began after it.
        const { runs, titles } = store.get();
        const known = runs.some((other) => other.id === id);
        store.set({
          runs: known ? runs.map((other) => (other.id === id ? run : other)) : [run, ...runs].slice(0, KEPT_RUNS),
          titles: { ...titles, ...Object.fromEntries((run.requestIds ?? []).map((requestId) => [requestId, title])) },
        });
      };
      const add = (leg: Leg) => {
        run = { ...run, legs: [...run.legs, leg] };
        publish();
      };
      const waitFor = (phase: Waiting['phase'], limit?: number) => {
        const since = now();
        if (waits) store.set({ waiting: { run: id, title, phase, since, until: limit === undefined ? undefined : since + limit, silent } });
      };
      publish();
      waitFor('server');
      if (shown && waits) store.set({ selected: runKey(id) });
      return {
        id,
        signal,
        add,
        waitFor,
        async http(method, path, body) {
          waitFor('server');
          // From the beginning: the stream may tell of the request before it is answered.
          const onSend = (id: string) => {
            run = { ...run, requestIds: [...(run.requestIds ?? []), id] };
            publish();
          };
          const leg = await api.call(method, path, body, { signal, onSend });
          add(leg);
          return leg;
        },
        end(wished, said, offer) {
          controllers.delete(id);
          const { outcome, summary } = ending(run, { outcome: wished, summary: said }, signal.aborted);
          run = { ...run, outcome, summary, offer };
          publish();
          // What the right pane shows needs no alert besides.
          const selected = store.get().selected === runKey(id);
          const seen = selected || outcome === 'verified' || outcome === 'cancelled';
          if (shown && (selected || !hidden)) store.set({ status: summary, statusFailed: !seen });
          if (store.get().waiting?.run === id) store.set({ waiting: undefined });
        },
        show() {
          shown = true;
          run = { ...run, startedAt: now() };
          publish();
          if (store.get().selected === undefined) store.set({ selected: runKey(id) });
        },
      };
    },
    addTo(id, leg) {
      store.set({ runs: store.get().runs.map((run) => (run.id === id ? { ...run, legs: [...run.legs, leg] } : run)) });
    },
    cancel() {
      const { waiting } = store.get();
      if (waiting !== undefined) controllers.get(waiting.run)?.abort();
    },
  };
}

type Ending = Pick<Run, 'outcome' | 'summary'>;

function ending({ legs }: Run, wished: Ending, cancelled: boolean): Ending {
  const last = legs.findLast((leg) => leg.kind !== 'signal');
  if (cancelled && wished.outcome !== 'verified') {
    return {
      outcome: 'cancelled',
      summary: `You cancelled it while it waited for the ${last?.kind === 'browser' ? 'browser' : 'server'}.`,
    };
  }
  const unanswered = wished.outcome === 'rejected' && last?.kind === 'http' && last.status === undefined;
  return unanswered ? { ...wished, outcome: 'unanswered' } : wished;
}

/** Builds the key of a run's item in the list. */
export function runKey(id: number): string {
  return `run-${id}`;
}
