import { describe, expect, test } from 'vitest';
import { explainAll } from '../../src/explain/library.js';
import { explain as command } from '../cli/explain/run-explain.js';
import { MISTAKES, recordRefusedLogin } from './refused-logins.js';

/** For each mistake: the step that the error is about, what it suggests, and the steps that a recording leaves open. */
const EXPECTED: Readonly<
  Record<
    keyof typeof MISTAKES,
    { readonly step: string; readonly flags?: readonly string[]; readonly open?: readonly string[]; readonly title?: string }
  >
> = {
  'wrong expected origin': { step: 'origin', flags: ['--origin http://localhost:3000'] },
  'wrong RP ID': { step: 'rp-id-hash' },
  "another session's challenge": { step: 'challenge' },
  'cookie not sent': { step: 'challenge', title: 'The session cookie was not sent' },
  'wrong key': { step: 'signature' },
  'UV required': { step: 'user-verified', flags: ['--require-uv'], open: ['user-verified'] },
  'www.': { step: 'origin', flags: ['--origin https://example.org'] },
  'http instead of https': { step: 'origin', flags: ['--origin https://localhost:3000'] },
  'two tabs': { step: 'challenge', title: 'The response answers options that are not the newest' },
  'a stale response': { step: 'challenge', title: 'This response was sent before' },
};

describe.each(Object.entries(MISTAKES))('a login that SimpleWebAuthn refused: %s', async (name, mistake) => {
  const { step, flags = [], open = [], title = expect.any(String) } = EXPECTED[name as keyof typeof MISTAKES];
  const { har } = await recordRefusedLogin(mistake);

  test('is undecided as a HAR, beside the answer of the server and what it means', async () => {
    const document = (await explainAll(har)).at(-1);
    expect(document).toMatchObject({ ceremony: 'authentication', verdict: 'undecided', server: { verdict: 'refused', agrees: null } });
    expect(document?.steps.filter((each) => each.open).map(({ slug }) => slug)).toEqual(['origin', 'rp-id-hash', ...open]);
    expect(document?.known_errors).toMatchObject([{ step, title, expectations: flags.map((flag) => ({ flag })) }]);
  });

  test.skipIf(flags.length === 0)('is rejected at that step with what the error suggests', async () => {
    const { code, stdout } = await command(['a.har', '--json', ...flags.flatMap((flag) => flag.split(' '))], { 'a.har': har });
    expect(code).toBe(1);
    const document = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .at(-1);
    expect(document).toMatchObject({ verdict: 'rejected', server: { agrees: true } });
    expect(document.steps.find(({ status }: { status: string }) => status === 'fail')).toMatchObject({ slug: step });
  });
});

test('a body that was stringified twice is named, whatever error the server names', async () => {
  const { har } = await recordRefusedLogin(MISTAKES['wrong key']);
  const archive = JSON.parse(har);
  const last = archive.log.entries.at(-1);
  last.request.postData.text = JSON.stringify(last.request.postData.text);
  last.response.content.text = JSON.stringify({ error: 'Missing credential ID' });
  const document = (await explainAll(JSON.stringify(archive))).at(-1);
  expect(document?.headline).toBe('Refused by your server (200): the body is JSON inside JSON: call JSON.stringify once');
  expect(document?.known_errors[0]).toMatchObject({ title: 'The body is JSON inside JSON: call JSON.stringify once', from: 'recording' });
});
