import { describe, expect, test } from 'vitest';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { type Answered, loginResponse, recordAnswer } from '../../explain/server-answers.js';
import { explain, lines } from './run-explain.js';

const JSON_TYPE = { name: 'Content-Type', value: 'application/json' };
const to = (value: string): Pick<Answered, 'headers'> => ({ headers: [{ name: 'Location', value }] });
const followUp = (url: string, status: number, location?: string) => ({
  request: { method: 'GET', url, headers: [] },
  response: { status, headers: location === undefined ? [] : [{ name: 'Location', value: location }], content: { size: 0 } },
});

/** The first line in the terminal and the headline in JSON, which are the same. */
async function headline(har: string) {
  const [printed, asJson] = await Promise.all([explain(['a.har'], { 'a.har': har }), explain(['a.har', '--json'], { 'a.har': har })]);
  const [first = ''] = printed.stdout.split('\n');
  expect(lines(asJson.stdout).map((document) => document.headline)).toContain(first);
  expect(printed.code).toBe(asJson.code);
  return { code: printed.code, first };
}

const FIRST_LINES: Readonly<Record<keyof typeof MISTAKES, string>> = {
  'wrong expected origin': '(400): wrong origin; expected http://localhost:3000, received http://localhost:5199',
  'wrong RP ID': '(400): wrong RP ID; expected another, received localhost, as your options ask',
  "another session's challenge": '(400): the response answers another challenge than the server expects',
  'cookie not sent': '(400): the session cookie was not sent',
  'wrong key': '(200): the stored key does not verify the signature',
  'UV required': '(400): user verification is required; received UV is not set',
  'www.': '(400): wrong origin; expected https://example.org, received https://www.example.org',
  'http instead of https': '(400): wrong origin; expected https://localhost:3000, received http://localhost:3000',
  'two tabs': '(400): the response answers options that are not the newest',
  'a stale response': '(400): this response was sent before',
};

test.each(Object.entries(MISTAKES))('a login that SimpleWebAuthn refused: %s', async (name, mistake) => {
  const { har } = await recordRefusedLogin(mistake);
  expect(await headline(har)).toEqual({ code: 1, first: `Refused by your server ${FIRST_LINES[name as keyof typeof MISTAKES]}` });
});

describe('the server refused', () => {
  test.each<[string, Answered, string]>([
    ['with a reason of its own', { status: 401, body: '{"message":"Unknown device"}' }, '(401): “Unknown device”'],
    ['with a reason inside', { status: 422, body: '{"error":{"code":17,"message":"Unknown device"}}' }, '(422): “Unknown device”'],
    ['without a word', { status: 403 }, '(403): it gives no reason; see its log'],
    ['with a page', { status: 403, body: '<!doctype html><title>Forbidden</title><h1>Forbidden</h1>' }, '(403): “Forbidden Forbidden”'],
    ['in the body', { status: 200, body: '{"ok":false}', headers: [JSON_TYPE] }, '(200): {"ok":false}'],
    ['in an envelope', { status: 200, body: '{"data":{"ok":false,"reason":"Unknown device"}}' }, '(200): “Unknown device”'],
    ['in a batch', { status: 200, body: '[{"error":{"message":"Unknown device"}}]' }, '(200): “Unknown device”'],
    ['with an error object', { status: 200, body: '{"data":null,"error":{"message":"Unknown device"}}' }, '(200): “Unknown device”'],
    ['with a status in the body', { status: 200, body: '{"statusCode":401,"message":"Unknown device"}' }, '(200): “Unknown device”'],
    ['with the word false', { status: 200, body: 'false' }, '(200): false'],
    ['by sending the user back', { status: 302, ...to('/login?error') }, '(302): it gives no reason; see its log'],
    [
      'by sending the user to sign in',
      { status: 303, ...to('https://localhost:3000/users/sign_in') },
      '(303): it gives no reason; see its log',
    ],
    [
      'by two redirects',
      { status: 302, ...to('/account'), next: [followUp('http://localhost:3000/account', 302, '/login')] },
      '(302): it gives no reason; see its log',
    ],
    ['though it answered 500', { status: 500, body: '{"verified":false}' }, '(500): the stored key does not verify the signature'],
  ])('%s', async (_, answered, said) => {
    expect(await headline(recordAnswer(answered))).toEqual({ code: 1, first: `Refused by your server ${said}` });
  });
});

describe('the server failed', () => {
  test.each<[string, Answered, string]>([
    ['with a page', { status: 502, body: '<html><h1>Bad Gateway</h1></html>' }, '(502), which is not a refusal: “Bad Gateway”'],
    ['without a word', { status: 500 }, '(500), which is not a refusal: it gives no reason; see its log'],
    [
      'with an error that it did not catch',
      {
        status: 500,
        body: '<pre>Error: Unexpected authentication response origin &quot;http://localhost:3000&quot;, expected &quot;http://localhost:8080&quot;</pre>',
      },
      '(500), which is not a refusal: wrong origin; expected http://localhost:8080, received http://localhost:3000',
    ],
  ])('%s', async (_, answered, said) => {
    expect(await headline(recordAnswer(answered))).toEqual({ code: 1, first: `Your server failed ${said}` });
  });
});

describe('the server did not refuse', () => {
  test.each<[string, Answered, RegExp]>([
    ['nothing in it', { status: 204 }, /^Accepted by your server \(204\); here undecided/],
    ['a token', { status: 200, body: '{"token":"abc","user":{"name":"ada","valid":false}}' }, /^Accepted by your server \(200\)/],
    ['members for errors that are empty', { status: 200, body: '{"status":"ok","error":"","errors":[],"errorMessage":null}' }, /^Accepted/],
    ['errors that are empty inside', { status: 200, body: '{"success":true,"errors":{"email":[]},"error":{}}' }, /^Accepted/],
    [
      'a contradiction',
      { status: 200, body: '{"verified":true,"error":"Unknown device"}' },
      /does not say whether it accepted \(200\); here/,
    ],
    ['a redirect to the account', { status: 302, ...to('/account') }, /does not say whether it accepted \(302\); here/],
    [
      'a redirect by way of the login page',
      { status: 302, ...to('/login'), next: [followUp('http://localhost:3000/login', 302, '/home')] },
      /does not say whether it accepted \(302\)/,
    ],
    ['a body that the archive lacks', { status: 200, size: 43 }, /does not say whether it accepted \(200\)/],
    ['a page', { status: 200, body: '<html><h1>Welcome</h1></html>' }, /does not say whether it accepted \(200\)/],
    ['no answer', { status: 0 }, /^No response of your server is recorded; here undecided, without an expectation for origin, rp-id-hash$/],
  ])('with %s', async (_, answered, first) => {
    const { code, stdout } = await explain(['a.har', '--json'], { 'a.har': recordAnswer(answered) });
    expect({ code, headline: lines(stdout).at(-1)?.headline }).toEqual({ code: 0, headline: expect.stringMatching(first) });
  });
});

describe('an answer that was pasted beside the response', () => {
  test.each([
    ['JSON', '{"error":"Unknown device"}', 'Refused by your server: “Unknown device”'],
    ['JSON with a status line', 'HTTP/1.1 409 Conflict\n\n{"error":"Unknown device"}', 'Refused by your server (409): “Unknown device”'],
    [
      "a library's error",
      'Error: Unexpected authentication response origin "http://localhost:3000", expected "http://localhost:8080"\n    at verify (file.js:1:1)',
      'Refused by your server: wrong origin; expected http://localhost:8080, received http://localhost:3000',
    ],
  ])('%s', async (_, answer, said) => {
    const { code, stdout } = await explain(['paste.txt'], { 'paste.txt': `${loginResponse}\n${answer}\n` });
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 1, first: said });
  });

  test('in one object with it', async () => {
    const files = { 'a.json': `{"response":${loginResponse},"error":"Unknown device"}` };
    const { code, stdout } = await explain(['a.json', '--json'], files);
    expect({ code, document: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      document: {
        headline: 'Refused by your server: “Unknown device”',
        verdict: 'undecided',
        server: { status: null, verdict: 'refused' },
      },
    });
  });
});

test('what a refusal suggests is not held against the registration that the server accepted', async () => {
  const { har } = await recordRefusedLogin(MISTAKES['wrong expected origin']);
  const { stdout } = await explain(['a.har', '--json', '--origin', 'http://localhost:3000'], { 'a.har': har });
  expect(lines(stdout).map(({ ceremony, verdict }) => `${ceremony} ${verdict}`)).toEqual([
    'registration undecided',
    'authentication rejected',
  ]);
  const other = await explain(['a.har', '--json', '--origin', 'http://localhost:4000'], { 'a.har': har });
  expect(lines(other.stdout).map(({ verdict }) => verdict)).toEqual(['rejected', 'rejected']);
});
