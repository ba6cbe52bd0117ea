import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { fakeIo } from '../fake-io.js';
import { explain, login } from './run-explain.js';

const { har } = await recordRefusedLogin(MISTAKES['wrong expected origin']);
const HEADLINE = 'Refused by your server (400): wrong origin; expected http://localhost:3000, received http://localhost:5199';

/** `passkey explain -`, printed on a terminal. */
async function onTerminal(input: string, ...flags: readonly string[]) {
  const { io, written, stdin } = fakeIo({ terminal: true });
  const ending = run(['explain', '-', '--no-color', ...flags], io);
  stdin.end(input);
  await ending;
  return written.stdout;
}

const endOf = (text: string) => text.slice(text.lastIndexOf('\nVerdict')).trim();

describe('an explanation ends with verdict, cause and remedy', () => {
  test.each([['--brief'], ['--no-brief']])('of the refused login of a HAR, %s', async (flag) => {
    const { stdout } = await explain(['a.har', flag], { 'a.har': har });
    expect(stdout.split('\n')[0]).toBe(HEADLINE);
    const end = endOf(stdout).replaceAll(/\s+/g, ' ');
    expect(end).toMatch(/^Verdict Refused by your server \(400\): wrong origin;.* Means .* Causes .* Fix [^|]*$/);
    expect(stdout.indexOf('registration, ')).toBeLessThan(stdout.indexOf('authentication, '));
  });

  test('of a response that a step rejects', async () => {
    const { stdout } = await explain(['f.json', '--origin', 'https://www.example.org'], { 'f.json': JSON.stringify(login) });
    expect(stdout.split('\n')[0]).toMatch(/^Rejected at §7\.2 step 12 \(origin\): expected https:\/\/www\.example\.org; received /);
    expect(endOf(stdout)).toMatch(/^Verdict {2}rejected at §7\.2 step 12 \(origin\)\nMore {5}.*\n(?: .*\n)*Fix {6}/);
  });
});

describe('--brief', () => {
  test('leaves out the tree and steps that decide nothing', async () => {
    const { stdout } = await explain(['a.har', '--brief'], { 'a.har': har });
    expect(stdout).not.toMatch(/byte\+length|clientDataJSON|^✓/m);
    expect(stdout).toMatch(/^· 12 C\.origin is an expected origin/m);
    expect(stdout.split('\n').length).toBeLessThan(60);
  });

  test('is the default on a terminal for a HAR with several ceremonies alone', async () => {
    const [several, one] = await Promise.all([onTerminal(har), onTerminal(JSON.stringify(login))]);
    expect(several).not.toContain('byte+length');
    expect(one).toContain('byte+length');
    expect((await explain(['a.har'], { 'a.har': har })).stdout).toContain('byte+length');
  });

  test('--no-brief prints everything there', async () => {
    const text = await onTerminal(har, '--no-brief');
    expect(text).toContain('byte+length');
    expect(text).toMatch(/^✓ 11 C\.challenge/m);
  });
});
