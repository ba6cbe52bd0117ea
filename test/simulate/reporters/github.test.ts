import { describe, expect, test } from 'vitest';
import { renderAnnotations, renderJobSummary } from '../../../src/simulate/reporters/github.js';
import { ACCEPTING_ALL, acceptedCase, HOSTILE, HOSTILE_REPORT, SAMPLE, sampleCase, sampleReport } from './sample-report.js';

/** As the runner of GitHub Actions reads a line: a command, its properties, its message. */
function readCommand(line: string) {
  const [, command, properties = '', message = ''] = /^::(\w+)(?: (.*?))?::(.*)$/s.exec(line) ?? [];
  const decoded = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  const pairs = properties.split(',').map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name, decoded(value.replaceAll('%3A', ':').replaceAll('%2C', ','))];
  });
  return { command, properties: Object.fromEntries(pairs), message: decoded(message) };
}

const commandsOf = (report: typeof SAMPLE) =>
  renderAnnotations(report)
    .split(/\r?\n|\r/)
    .filter((line) => line !== '')
    .map((line) => readCommand(line));

describe('annotations', () => {
  test('an error for each new finding, a notice for a known one, nothing else', () => {
    expect(commandsOf(SAMPLE).map(({ command, properties }) => [command, properties])).toEqual([
      ['error', { title: 'low, other-reason' }],
      ['error', { title: 'low, varies' }],
      ['notice', { title: 'low, other' }],
    ]);
    expect(renderAnnotations(sampleReport([sampleCase({})]))).toBe('');
  });

  test('the first line names the mistake, the others tell more', () => {
    const [first] = commandsOf(SAMPLE);
    expect(first?.message.split('\n')).toEqual([
      'The server refuses for the wrong reason: 1 request.',
      'advice: Any other program on the machine can use the passkey. Compare scheme, host and port.',
      'tests: §7.2 step 12, origin',
      'run alone: passkey simulate login.origin-other-port',
      'login.origin-other-port: POST /api/passkeys/login: expected 401 origin_mismatch (step origin), received 401 signature_invalid (step signature)',
    ]);
  });

  test('ten at most, the most serious, with three cases each', () => {
    const commands = commandsOf(ACCEPTING_ALL);
    expect(commands.map(({ properties }) => properties.title)).toEqual([
      'critical, signature',
      ...['type', 'challenge', 'origin', 'cross-origin', 'top-origin', 'rp-id', 'user-verified'].map((cause) => `high, ${cause}`),
      'medium, user-present',
      'medium, sign-count',
    ]);
    expect(commands[3]?.message).toContain('it accepted 5 responses made for other pages.');
    expect(commands[3]?.message).toMatch(/\nlogin\.origin-other-site: .*\n.*\n.*\nand 2 more cases in the summary$/);
  });

  test('a finding is one line, whatever a target says', () => {
    const commands = commandsOf(HOSTILE_REPORT);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({ command: 'error', properties: { title: 'low, origin the port is part of the origin' } });
    expect(Object.keys(commands[0]?.properties ?? {})).toEqual(['title']);
    expect(commands[0]?.message).toContain(`advice: ${HOSTILE}`);
  });
});

describe('job summary', () => {
  test('counts, and has each finding to be opened', () => {
    const summary = renderJobSummary(SAMPLE);
    expect(summary.split('\n').slice(0, 7)).toEqual([
      '## passkey simulate: the server in process',
      '',
      '2 of 7 as expected, 2 new failures (1 flaky), 1 known failure, 1 fixed, 1 not applicable, 1 not run; 1.23 s',
      '',
      'Failures of the baseline that passed: <code>login verbatim</code>',
      '',
      'Failures of the baseline that did not run: <code>clock verbatim</code>',
    ]);
    expect(summary.match(/<details>/g)).toHaveLength(3);
    expect(summary).toContain('<summary>low, other-reason&#58; The server refuses for the wrong reason');
    expect(summary).toContain('| 1 | not applicable&#58; needs a pinned clock |');
  });

  test('no text of a target is markup', () => {
    const summary = renderJobSummary(HOSTILE_REPORT);
    expect(summary.match(/<\/?\w+/g)?.filter((tag) => !/^<\/?(?:details|summary|pre|code)$/.test(tag))).toEqual([]);
    expect(summary).not.toMatch(/\[x\]|`tick`|\| \*/);
    expect(summary.match(/<pre>/g)).toHaveLength(1);
    expect(summary.match(/<\/pre>/g)).toHaveLength(1);
  });

  test('leaves out what GitHub would not take', () => {
    const failed = ['type-null', 'challenge-unknown', 'origin-other-site', 'top-origin-other', 'rp-id-hash', 'signature-bit'];
    const failures = failed.map((what) => acceptedCase(`login.${what}`, { advice: 'x'.repeat(200_000) }));
    const summary = renderJobSummary(sampleReport(failures));
    expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
    expect(summary.match(/<details>/g)).toHaveLength(4);
    expect(summary).toContain('2 more findings in the log of the step.');
  });
});
