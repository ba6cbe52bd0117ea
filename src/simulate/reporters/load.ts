import { createColors } from 'picocolors';
import { count } from '../../kernel/wording.js';
import type { LoadCheck, LoadReport, Outcomes, Percentiles } from '../load/report.js';
import { seconds, targetName } from './words.js';

type Colours = ReturnType<typeof createColors>;

const LABEL = 14;
const COLUMN = 10;
/** CPU load of this process, from 0 to 1, above which the measurement may reflect this process rather than the target. */
const BUSY = 0.9;

/** Renders the report of a load run as text for a terminal. */
export function renderLoad(report: LoadReport, { colour }: { readonly colour: boolean }): string {
  const c = createColors(colour);
  const { ceremonies, requests, errors, left } = report;
  const { registration, login } = ceremonies;
  const total = {
    accepted: registration.accepted + login.accepted,
    refused: registration.refused + login.refused,
    failed: registration.failed + login.failed,
    broken: registration.broken + login.broken,
  };
  const rows = Object.entries(requests).filter(([, measured]) => OUTCOMES.some((outcome) => measured[outcome] > 0));
  const lines = [
    c.bold(describePace(report)),
    '',
    c.dim(row('requests', [...OUTCOMES, ...PERCENTILES])),
    ...rows.map(([name, { latency_ms, ...outcomes }]) => figures(name, outcomes, latency_ms)),
    c.dim('ceremonies'),
    figures('registrations', registration, null),
    figures('logins', login, null),
    figures('all', total, ceremonies.latency_ms),
    '',
    `${ceremonies.per_second} ceremonies per second; latencies of accepted ceremonies in ms`,
    ...clientLines(report, c),
    ...(ceremonies.not_started > 0 ? [c.yellow(`! ${ceremonies.not_started} were due but could not begin in time`)] : []),
    ...(report.interrupted ? [c.yellow(`! interrupted; ${count(ceremonies.unfinished, 'ceremony').replace(/ys$/, 'ies')} under way`)] : []),
    ...errors.map(({ at, outcome, count: number, first }) => `${c.yellow('!')} ${number} ${outcome} (${at}), the first: ${first}`),
    ...checkLines(report.check, c),
    ...left.map((text) => `${c.yellow('!')} not deleted: ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}

const OUTCOMES = ['accepted', 'refused', 'failed', 'broken'] as const;
const PERCENTILES = ['p50', 'p90', 'p99', 'p99.9', 'max'];

function describePace({ pace, mix, duration_ms: took, target: name }: LoadReport): string {
  const how = pace.kind === 'rate' ? `${pace.per_second} ceremonies due per second` : `${pace.concurrency} at a time`;
  const { registrations, logins } = mix;
  return `Load on ${targetName({ target: name })}: ${how}, ${count(registrations, 'registration')} to ${count(logins, 'login')}, ${seconds(took)} s`;
}

const row = (label: string, cells: readonly string[]): string =>
  `${label.padEnd(LABEL)}${cells.map((cell) => cell.padStart(COLUMN)).join('')}`;

function figures(label: string, outcomes: Outcomes, latency: Percentiles | null): string {
  const times = latency === null ? [] : [latency.p50, latency.p90, latency.p99, latency.p99_9, latency.max].map((time) => time.toFixed(2));
  return row(label, [...OUTCOMES.map((outcome) => String(outcomes[outcome])), ...times]);
}

function clientLines({ client, target: name }: LoadReport, c: Colours): string[] {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const took = `Client and authenticator took ${percent(client.share)} of the run`;
  const late = client.late_ms && `Ceremonies began ${client.late_ms.p50.toFixed(2)} ms late (p99: ${client.late_ms.p99.toFixed(2)} ms)`;
  const lines = [`${took}; this process was busy ${percent(client.busy)} of it`, ...(late === null ? [] : [late])];
  if (client.busy < BUSY) return lines;
  const limit =
    name === 'in-process'
      ? 'This process also runs the server: use --url to measure a separate process.'
      : 'The figures may describe this process rather than the target: lower the load, or spread it over several processes.';
  return [...lines, c.yellow(`! This process was at its limit. ${limit}`)];
}

const VERDICTS: Readonly<Record<LoadCheck['status'], string>> = {
  kept: '✓ No acknowledged change was lost',
  lost: '✗ Acknowledged changes were lost',
  unanswered: '✗ It is unknown whether acknowledged changes were lost: checks got no response',
  not_run: '– Whether acknowledged changes were lost was not checked',
};

function checkLines({ status, acknowledged, logins, counters, lists, unanswered, findings }: LoadCheck, c: Colours): string[] {
  const paint = { kept: c.green, lost: c.red, unanswered: c.red, not_run: c.yellow }[status];
  const part = (name: string, { checked, wrong }: typeof logins) => `${name} ${checked - wrong} of ${checked}`;
  const parts = [part('logins', logins), part('counters', counters), part('lists', lists)].join(', ');
  const checked = status === 'not_run' ? '' : `; correct: ${parts}${unanswered > 0 ? `; ${unanswered} unanswered` : ''}`;
  return [
    `${paint(VERDICTS[status])}: ${count(acknowledged, 'registration')}${checked}`,
    ...findings.map(({ credential_id: id, expected, received }) => `    ${id.slice(0, 12)}…: expected that ${expected}; ${received}`),
  ];
}
