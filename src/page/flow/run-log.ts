import type { JsonObject } from '../../webauthn/json-value.js';
import type { Api } from '../api.js';
import type { HttpLeg, Leg, Outcome, Run, SignalOffer } from '../run.js';
import type { AppState, Store } from '../state.js';

const KEPT_RUNS = 50;

/** A run in progress. Every change appears on the page at once, unless the run is still hidden. */
export interface RunHandle {
  readonly id: number;
  add(leg: Leg): void;
  http(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: JsonObject): Promise<HttpLeg>;
  end(outcome: Outcome, summary: string, offer?: SignalOffer): void;
  /** Shows a run that began hidden. */
  show(): void;
}

export interface RunLog {
  begin(title: string, kind: Run['kind'], options?: { readonly hidden?: boolean }): RunHandle;
  /** Adds a signal to a run that has ended. */
  addTo(id: number, leg: Leg): void;
}

export function createRunLog(store: Store<AppState>, api: Api, now: () => number): RunLog {
  let last = 0;
  return {
    begin(title, kind, { hidden = false } = {}) {
      let run: Run = { id: ++last, title, kind, startedAt: now(), legs: [], outcome: 'running', summary: '', offer: undefined };
      let shown = !hidden;
      const publish = () => {
        if (shown) {
          // Replaced where it is: a run that ends late does not jump ahead of those that began after it.
          const { runs } = store.get();
          const known = runs.some((other) => other.id === run.id);
          store.set({ runs: known ? runs.map((other) => (other.id === run.id ? run : other)) : [run, ...runs].slice(0, KEPT_RUNS) });
        }
      };
      const add = (leg: Leg) => {
        run = { ...run, legs: [...run.legs, leg] };
        publish();
      };
      publish();
      return {
        id: run.id,
        add,
        async http(method, path, body) {
          const leg = await api.call(method, path, body);
          add(leg);
          return leg;
        },
        end(outcome, summary, offer) {
          run = { ...run, outcome, summary, offer };
          publish();
          if (shown) {
            store.set({ status: summary, statusFailed: outcome !== 'verified' });
          }
        },
        show() {
          shown = true;
          publish();
        },
      };
    },
    addTo(id, leg) {
      store.set({ runs: store.get().runs.map((run) => (run.id === id ? { ...run, legs: [...run.legs, leg] } : run)) });
    },
  };
}
