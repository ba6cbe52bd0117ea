import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { schemas } from '../../../src/cli/schemas.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../../src/relying-party/steps/procedure.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { explain, FIXTURES, lines, login, names, recorded, registration } from './run-explain.js';

describe('the shipped fixtures', async () => {
  const { code, stdout } = await runIn(FIXTURES, ['explain', '.', '--json']);
  const documents = lines(stdout);

  test('some of which must be rejected, so it ends with 1', () => expect(code).toBe(1));

  test('fit the schema, one a line', () => {
    expect(documents.length).toBeGreaterThan(40);
    const schema = schemas.explain;
    for (const document of documents) expect(schema && [...Value.Errors(schema, document)]).toEqual([]);
  });

  // The server says that the challenge was issued for something else; by the standard's order the credential is wrong before that.
  const OTHER_STEP = new Set(['authentication-credential-not-asked-for']);

  test.each(documents.map((document) => [document.name ?? document.source, document] as const))(
    '%s comes out as it must',
    (name, document) => {
      const { expected, verdict, steps, error } = document;
      expect(verdict).toBe(expected?.['outcome'] === 'verified' ? 'accepted' : 'rejected');
      const failed = steps.find(({ status }) => status === 'fail');
      if (!OTHER_STEP.has(name)) expect(failed?.code ?? error?.code).toBe(expected?.['code']);
      if (expected?.['step'] !== undefined && !OTHER_STEP.has(name)) expect(failed?.slug).toBe(expected['step']);
      if (failed !== undefined) expect(failed.hint).not.toBe('');
    },
  );

  test('the title of a step that failed says what failed, in JSON and in the terminal', async () => {
    const failed = documents.flatMap(({ steps }) => steps.filter(({ status }) => status === 'fail'));
    expect(new Set(failed.map(({ slug }) => slug)).size).toBeGreaterThan(15);
    for (const { section, slug, title } of failed) {
      const names = section === '7.1' ? REGISTRATION_TITLES : AUTHENTICATION_TITLES;
      const [, name] = Object.entries(names).find(([each]) => each === slug) ?? [];
      expect(title).toBe(name?.failure);
    }
    const counter = await runIn(FIXTURES, ['explain', 'invalid/authentication-counter-repeated.json']);
    expect(counter.stdout).toContain('✗ 22 The signature counter has not grown (sign-count)');
  });

  test('the library says otherwise only with a reason', () => {
    for (const { verdict, library, difference, name } of documents) {
      if (library !== null && library.verdict !== 'not-asked' && library.verdict !== verdict) {
        expect(difference, String(name)).not.toBeNull();
      }
    }
  });
});

describe('for people', () => {
  test.each(names)('no line of %s is longer than 80 characters', async (name) => {
    const { code, stdout } = await explain(['f.json'], { 'f.json': recorded(name) });
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/authData|authenticatorData/);
    expect(stdout).toContain('Verdict  accepted');
  });

  test('a folder has a line each, and a sum on stderr', async () => {
    const { code, stdout, stderr } = await runIn(FIXTURES, ['explain', 'recorded', 'invalid']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ authentication-origin-other-port\n {4}§7\.2 step 12 \(origin\): Only the port differs/m);
    expect(stderr).toMatch(/\d+ accepted, \d+ rejected/);
  });

  test('the failed step has what was expected, what came and what to do', async () => {
    const { code, stdout } = await explain(['f.json', '--origin', 'https://www.example.org'], { 'f.json': JSON.stringify(login) });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✗ 12 The origin is not the expected one \(origin\)\n +expected {2}https:\/\/www\.example\.org\n +received {2}http:\/\/localhost:\d+\n +fix /,
    );
  });
});

describe('several', () => {
  test('JSON lines from standard input, one a line, in their order', async () => {
    const { io, written, stdin } = fakeIo();
    const ending = run(['explain', '-', '--json'], io);
    const count = 60;
    for (let index = 0; index < count; index += 1) stdin.write(`${JSON.stringify(index % 2 === 0 ? registration : login)}\n`);
    stdin.end();
    expect(await ending).toBe(0);
    const documents = lines(written.stdout);
    expect(documents).toHaveLength(count);
    expect(documents[1]).toMatchObject({ source: '-:2', ceremony: 'authentication', verdict: 'accepted', tree: null });
    expect(new Set(documents.map(({ verdict }) => verdict))).toEqual(new Set(['accepted']));
  });

  test('one that is not what it seems is told in its place, and ends with 2', async () => {
    const files = { 'a.jsonl': `${JSON.stringify(login)}\n{ "id": ]\n${JSON.stringify(registration)}\n` };
    const { code, stdout } = await explain(['a.jsonl', '--json'], files);
    expect(code).toBe(2);
    expect(lines(stdout).map(({ verdict, error }) => verdict ?? error?.message)).toEqual([
      'accepted',
      expect.stringContaining('1:9'),
      'accepted',
    ]);
  });

  test('a fixture in one line is one document in full; in a .jsonl file it is a line', async () => {
    const line = `${JSON.stringify(login)}\n`;
    const { stdout: whole } = await explain(['a.json', '--json'], { 'a.json': line });
    expect(JSON.parse(whole)).toMatchObject({ source: 'a.json', tree: { label: expect.any(String) } });
    const { stdout: one } = await explain(['a.jsonl', '--json'], { 'a.jsonl': line });
    expect(lines(one)).toMatchObject([{ source: 'a.jsonl:1', tree: null }]);
  });

  test('a line may come in many pieces, and hold a byte order mark or carriage returns', async () => {
    const { io, written, stdin } = fakeIo();
    const ending = run(['explain', '-', '--json'], io);
    const content = `\ufeff${JSON.stringify(registration)}\r\n\r\n${JSON.stringify(login)}\r\n${JSON.stringify(login)}`;
    for (let at = 0; at < content.length; at += 1000) stdin.write(content.slice(at, at + 1000));
    stdin.end();
    expect(await ending).toBe(0);
    expect(lines(written.stdout).map(({ source, verdict }) => [source, verdict])).toEqual([
      ['-:1', 'accepted'],
      ['-:3', 'accepted'],
      ['-:4', 'accepted'],
    ]);
  });

  test('messages name the line once', async () => {
    const { stderr } = await explain(['a.jsonl'], { 'a.jsonl': 'hello world\n{"a":1}\n{"format":"passkey-fixture"}\n' });
    expect(stderr).toMatch(/^passkey: a\.jsonl:1: This error is unknown/m);
    expect(stderr).toMatch(/^passkey: a\.jsonl:2: The JSON is/m);
    expect(stderr).toMatch(/^passkey: a\.jsonl:3:/m);
    expect(stderr).not.toMatch(/a\.jsonl.*a\.jsonl/);
  });

  test('options are named with their advice, and a response by itself is undecided', async () => {
    const files = { 'o.json': JSON.stringify(registration.ceremony.options), 'r.json': JSON.stringify(registration.response) };
    const { code, stdout, stderr } = await explain(['o.json', 'r.json'], files);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^· o\.json {2}creation options\n {4}note {5}\/user\/id: This user handle is short \(1 byte\)[\s\S]*\n· r\.json {2}undecided$/m,
    );
    expect(stderr).toBe('1 undecided, 1 without a ceremony\n');
  });
});

test('an archive without anything of WebAuthn says so', async () => {
  const { code, stdout } = await explain(['a.har'], { 'a.har': JSON.stringify({ log: { entries: [] } }) });
  expect({ code, said: stdout.includes('no credential and no options in its bodies') }).toEqual({ code: 0, said: true });
});

test.each<[string, object, object]>([
  ['with sizes alone', { bodySize: 120 }, { content: { size: 34, mimeType: 'application/json' } }],
  ['with empty texts', { bodySize: -1 }, { content: { size: -1, mimeType: 'x-unknown', text: '' } }],
])('an archive without contents, %s, says how to record them', async (_, request, response) => {
  const entry = {
    request: { method: 'POST', url: 'https://example.org/login', headers: [], ...request },
    response: { status: 200, ...response },
  };
  const { code, stderr } = await explain(['a.har'], { 'a.har': JSON.stringify({ log: { entries: [entry] } }) });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^passkey: a\.har: This HAR has no contents, .*"Preserve log", and choose "Export HAR \(with sensitive data\)"/);
});

test('--aaguids replaces the names', async () => {
  const names2 = JSON.stringify({ '01020304-0506-0708-0102-030405060708': { name: 'Mine' } });
  const { stdout } = await explain(['f.json', '--aaguids', 'n.json'], { 'f.json': JSON.stringify(registration), 'n.json': names2 });
  expect(stdout).toMatch(/aaguid 01020304-0506-0708-0102-030405060708(\s+│?)+Mine|not in the table of names/);
});
