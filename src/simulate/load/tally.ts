import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Answer, Outcome } from '../target/driver.js';
import type { CeremonyKind, LoadError, LoadReport, Outcomes, Percentiles, RequestKind } from './report.js';

/** Microseconds in a millisecond. The histogram accepts only whole numbers from 1, so latencies are recorded in microseconds. */
const MICROSECONDS = 1000;
/** The longest latency that can be recorded: four hours in microseconds, which is more than any run can take. */
const HIGHEST = 4 * 3600 * 1000 * MICROSECONDS;

/** An HDR histogram of latencies in milliseconds, with three significant digits. */
interface Latencies {
  record(milliseconds: number): void;
  /** Returns the percentiles in milliseconds; null if nothing was recorded. */
  percentiles(): Percentiles | null;
}

function createLatencies(): Latencies {
  const histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: HIGHEST, figures: 3 });
  const at = (percentile: number) => histogram.percentile(percentile) / MICROSECONDS;
  return {
    record(milliseconds) {
      histogram.record(Math.min(Math.max(1, Math.round(milliseconds * MICROSECONDS)), HIGHEST));
    },
    percentiles() {
      if (histogram.count === 0) return null;
      return { p50: at(50), p90: at(90), p99: at(99), p99_9: at(99.9), max: histogram.max / MICROSECONDS };
    },
  };
}

/** Counts and times the operations of a load run. */
export interface Tally {
  /** Records one request, or all requests of one phase of the profile. */
  request(kind: RequestKind, answer: Pick<Answer, 'outcome' | 'said'>, milliseconds: number): void;
  /** Records that the target sent options which the client cannot use. */
  unusable(said: string): void;
  /** Records the time that the client itself took in a ceremony. */
  client(milliseconds: number): void;
  /**
   * Records a finished ceremony.
   *
   * @param milliseconds time since the ceremony was due
   */
  ceremony(kind: CeremonyKind, outcome: Outcome, milliseconds: number): void;
  late(milliseconds: number): void;
  unfinished(): void;
  /** Number of ceremonies accepted so far. */
  readonly accepted: number;
  requests(): LoadReport['requests'];
  /**
   * Summarizes the ceremonies for the report.
   *
   * @param duration milliseconds that the run took
   * @param notStarted number of ceremonies that were due but could not begin
   */
  ceremonies(duration: number, notStarted: number): LoadReport['ceremonies'];
  errors(): LoadError[];
  /**
   * Returns the share of the run's time that the client itself took, from 0 to 1.
   *
   * @param duration milliseconds that the run took
   */
  clientShare(duration: number): number;
  lateness(): Percentiles | null;
}

const noOutcomes = (): Outcomes => ({ accepted: 0, refused: 0, failed: 0, broken: 0 });
const newMeasure = () => ({ outcomes: noOutcomes(), latencies: createLatencies() });

export function createTally(): Tally {
  const measures = { account: newMeasure(), options: newMeasure(), register: newMeasure(), login: newMeasure() };
  const ceremonies: Readonly<Record<CeremonyKind, Outcomes>> = { registration: noOutcomes(), login: noOutcomes() };
  const latencies = createLatencies();
  const lateness = createLatencies();
  const errors = new Map<string, LoadError>();
  let unfinished = 0;
  let inClient = 0;

  function noteError(at: LoadError['at'], outcome: LoadError['outcome'], said: string): void {
    const key = `${at} ${outcome}`;
    const known = errors.get(key);
    errors.set(key, known === undefined ? { at, outcome, count: 1, first: said } : { ...known, count: known.count + 1 });
  }

  const measured = ({ outcomes, latencies: times }: ReturnType<typeof newMeasure>) => ({ ...outcomes, latency_ms: times.percentiles() });

  return {
    request(kind, answer, milliseconds) {
      const { outcome } = answer;
      const measure = measures[kind];
      measure.outcomes[outcome] += 1;
      if (outcome === 'accepted') measure.latencies.record(milliseconds);
      else noteError(kind, outcome, answer.said);
    },
    unusable: (said) => noteError('client', 'failed', said),
    client(milliseconds) {
      inClient += milliseconds;
    },
    ceremony(kind, outcome, milliseconds) {
      ceremonies[kind][outcome] += 1;
      if (outcome === 'accepted') latencies.record(milliseconds);
    },
    late: (milliseconds) => lateness.record(milliseconds),
    unfinished() {
      unfinished += 1;
    },
    get accepted() {
      return ceremonies.registration.accepted + ceremonies.login.accepted;
    },
    requests: () => ({
      account: measured(measures.account),
      options: measured(measures.options),
      register: measured(measures.register),
      login: measured(measures.login),
    }),
    ceremonies(duration, notStarted) {
      const { registration, login } = ceremonies;
      const accepted = registration.accepted + login.accepted;
      return {
        registration,
        login,
        latency_ms: latencies.percentiles(),
        per_second: duration > 0 ? Math.round((accepted * 100_000) / duration) / 100 : 0,
        not_started: notStarted,
        unfinished,
      };
    },
    errors: () => [...errors.values()],
    clientShare: (duration) => (duration > 0 ? Math.min(1, inClient / duration) : 0),
    lateness: () => lateness.percentiles(),
  };
}
