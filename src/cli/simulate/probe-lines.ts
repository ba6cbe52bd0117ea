import { createColors } from 'picocolors';
import type { Misfit, ProbeFound, ProbeReport, ProbeStep } from '../../simulate/target/probe-report.js';

interface Style {
  readonly colour: boolean;
}

/** Maximum number of characters of the server's response that are shown for a step that passed. */
const MAX_SAID = 80;

const SIGNS = { passed: '✓', failed: '✗', skipped: '–' } as const;

/** Renders one step of a probe. If the step failed, also renders the request, the response, and the line of the profile that caused it. */
export function renderStep({ name, status, said, remarks, exchanges, misfit }: ProbeStep, { colour }: Style): string {
  const c = createColors(colour);
  const paint = { passed: c.green, failed: c.red, skipped: c.yellow }[status];
  const shown = status === 'passed' && said.length > MAX_SAID ? `${said.slice(0, MAX_SAID)}…` : said;
  const lines = [
    `${paint(SIGNS[status])} ${name}${shown === '' ? '' : `: ${shown}`}`,
    ...remarks.filter((remark) => remark !== said).map((remark) => `    ${c.yellow('remark')}    ${remark}`),
    ...(misfit === undefined ? [] : [...takeLast(exchanges).flatMap(renderExchange), ...renderMisfit(misfit, { colour })]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Finds the last request that a step sent, or the request that the step could not make. */
function takeLast(exchanges: ProbeStep['exchanges']): ProbeStep['exchanges'] {
  const answered = exchanges.filter(({ status }) => status !== null);
  return (answered.length === 0 ? exchanges : answered).slice(-1);
}

function renderExchange({ request, sent, status, received }: ProbeStep['exchanges'][number]): string[] {
  return [
    `    request   ${request}`,
    ...(sent === '' ? [] : [`    sent      ${sent}`]),
    `    answer    ${status === null ? '' : `${status} `}${received}`,
  ];
}

function renderMisfit({ place, line, expected, received, change }: Misfit, { colour }: Style): string[] {
  const c = createColors(colour);
  return [
    `    ${c.bold('profile')}   ${place}`,
    ...(line === '' ? [] : [`              ${line}`]),
    `    expected  ${c.green(expected)}`,
    `    received  ${c.red(received)}`,
    `    change    ${change}`,
  ];
}

/** Renders what the probe found out about the server under test. */
export function renderFound({ found, passed, answered }: ProbeReport, { colour }: Style): string {
  const c = createColors(colour);
  const lines = [...describe(found)].map(([name, value]) => `  ${name.padEnd(20)}${value}`);
  const end = passed ? c.green('The profile fits.') : c.red(answered ? 'The profile does not fit yet.' : 'The server did not respond.');
  const measured = found.measured.map(({ member, value, evidence }) => {
    const shown = value === undefined ? c.yellow('not known, because the cases contradict each other') : JSON.stringify(value);
    return `  ${member.padEnd(20)}${shown}: ${evidence}`;
  });
  return `${[...(lines.length === 0 ? [] : ['', 'Found', ...lines, ...measured]), '', end].join('\n')}\n`;
}

function* describe({
  rp_id,
  algorithms,
  attestation,
  user_verification,
  resident_key,
  witness,
  unknown_user,
  library,
}: ProbeFound): Generator<readonly [name: string, value: string]> {
  // Without options, nothing is known.
  if (rp_id === null) return;
  yield ['RP ID', rp_id];
  yield ['algorithms offered', algorithms.join(', ')];
  yield ['attestation', attestation ?? 'not requested'];
  yield ['user verification', user_verification ?? 'not stated: preferred'];
  yield ['resident key', resident_key ?? 'not stated: discouraged'];
  yield ['second witness', witness ? 'whoami' : 'none'];
  const given = { options: 'a named login gets options', refused: 'a named login is refused' };
  if (unknown_user !== null) yield ['without a passkey', given[unknown_user]];
  if (library !== null) {
    yield [
      'library',
      `${library}, by its error message: if "library" also has its version, known faults of the library are listed separately`,
    ];
  }
}
