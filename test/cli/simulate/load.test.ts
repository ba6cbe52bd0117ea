import { join } from 'node:path';
import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { schemas } from '../../../src/cli/schemas.js';
import { loadReportSchema } from '../../../src/simulate/load/report.js';
import { lose, partyUnderLoad } from '../../simulate/load/party-under-load.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

const PROFILE = join(import.meta.dirname, '../../independent/profile.json');
/** One ceremony, whatever the clock says. */
const BRIEFLY = ['--rate', '5/s', '--duration', '1ms'];

/** The greatest value of each flag. */
const MOST = ['--load', '--rate', ' 10000/s ', '--duration', '1h', '--mix', '1000:1000'];

type Party = Awaited<ReturnType<typeof partyUnderLoad>>;
const flagsFor = ({ url, tokens: [ada, grace] }: Party) => {
  return ['simulate', '--load', '--target', PROFILE, '--url', url, '--token', ada, '--token', grace];
};

test.each<[string, readonly string[], RegExp]>([
  ['a rate without --load', ['--rate', '5/s'], /--rate needs --load\. Add --load, or leave --rate out\./],
  ['a concurrency without --load', ['--concurrency', '5'], /--concurrency needs --load/],
  ['cases', ['--load', 'login.default'], /--load runs no cases, so login\.default has no effect on it/],
  ['a probe', ['--load', '--probe'], /so --probe has no effect/],
  ['repeats', ['--load', '--repeat', '2'], /--load runs no cases, so --repeat has no effect/],
  ['two paces', ['--load', '--rate', '5/s', '--concurrency', '5'], /--rate and --concurrency both set the pace of a run/],
  ['a rate that is none', ['--load', '--rate', '0/s'], /--rate expects a number of ceremonies per second .* got "0\/s"/],
  ['a rate above the limit', ['--load', '--rate', '10001/s'], /at most 10000\/s; got "10001\/s"/],
  ['too many at once', ['--load', '--concurrency', '10001'], /--concurrency expects a whole number from 1 to 10000/],
  ['more than an hour', ['--load', '--duration', '61m'], /--duration expects a duration .* at most 1h/],
  ['a mix that is none', ['--load', '--mix', '0:0'], /--mix expects two whole numbers .* got "0:0"/],
  ['a check of nothing', ['--load', '--check', '0'], /--check expects a whole number from 1 to 10000/],
  ['a check of too many, after the most that others take', [...MOST, '--check', '10001'], /--check expects a whole number from 1 to 10000/],
  [
    'a duration after the least of the others',
    ['--load', '--rate', '0.5', '--mix', '0:1', '--duration', '0s'],
    /--duration expects a duration/,
  ],
  ['a mix above the limit', ['--load', '--mix', '1001:0'], /--mix expects two whole numbers up to 1000 .* got "1001:0"/],
  ['a mix above the limit of logins', ['--load', '--mix', '0:1001'], /--mix expects .* got "0:1001"/],
  ['an unread flag', ['--load', '--restart', 'x'], /--load runs no cases, so --restart has no effect/],
  ['a host that is not this machine', ['--load', '--url', 'https://example.com', '--token', 'x'], /--allow-host example\.com/],
])('refuses %s', async (_, flags, says) => {
  const { code, stdout, stderr } = await runIn(await tempFolder(), ['simulate', ...flags]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
});

describe('--load', () => {
  test('prints the report of its schema', async () => {
    const party = await partyUnderLoad();
    try {
      const { code, stdout, stderr } = await runIn(await tempFolder(), [...flagsFor(party), ...BRIEFLY, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const report: unknown = JSON.parse(stdout);
      expect(schemas['passkey-load-report']).toBe(loadReportSchema);
      expect(Check(loadReportSchema, report)).toBe(true);
      expect(report).toMatchObject({
        target: party.url,
        pace: { kind: 'rate', per_second: 5 },
        mix: { registrations: 1, logins: 9 },
        asked_ms: 1,
        ceremonies: { registration: { accepted: 1 }, login: { accepted: 0 } },
        check: { status: 'kept', acknowledged: 1 },
      });
      expect(await party.passkeys()).toEqual([]);
    } finally {
      await party.close();
    }
  });

  test('exits 1 when something was lost', async () => {
    const party = await partyUnderLoad({
      async intercept(answer, { name }, own) {
        if (name === 'POST /api/passkeys/register') await lose(answer, own);
        return answer;
      },
    });
    try {
      const { code, stdout } = await runIn(await tempFolder(), [...flagsFor(party), ...BRIEFLY, '--mix', '1:0']);
      expect(code).toBe(1);
      expect(stdout).toContain('✗ Acknowledged changes were lost: ');
    } finally {
      await party.close();
    }
  });

  test('checks as many of the registered passkeys as --check says', async () => {
    const party = await partyUnderLoad();
    try {
      const three = ['--rate', '50/s', '--duration', '60ms', '--mix', '1:0', '--json'];
      const { stdout } = await runIn(await tempFolder(), [...flagsFor(party), ...three, '--check', '2']);
      expect(JSON.parse(stdout).check).toMatchObject({ acknowledged: 3, logins: { checked: 2 } });
    } finally {
      await party.close();
    }
  });

  test('Ctrl-C ends it with the report so far', async () => {
    const { io, written } = fakeIo({ cwd: await tempFolder() });
    const party = await partyUnderLoad({
      intercept(answer, { name, times }) {
        if (name === 'POST /api/passkeys/login' && times === 3) Reflect.apply(Reflect.get(io.signals, 'emit'), io.signals, ['SIGINT']);
        return answer;
      },
    });
    try {
      expect(await run([...flagsFor(party), '--concurrency', '1', '--duration', '1h'], io)).toBe(130);
      expect(written.stdout).toContain('Load on ');
      expect(written.stdout).toContain('1 at a time');
      expect(written.stdout).toContain('! interrupted; ');
      expect(written.stdout).toContain('– Whether acknowledged changes were lost was not checked: 1 registration\n');
      expect(await party.passkeys()).toEqual([]);
    } finally {
      await party.close();
    }
  });

  test('exits 4 when the target does not answer', async () => {
    const argv = ['simulate', '--load', '--url', 'http://127.0.0.1:9', '--token', 'x'];
    expect(await runIn(await tempFolder(), argv)).toMatchObject({ code: 4, stdout: '' });
  });
});
