import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_IN_PROFILES } from '../../../src/simulate/target/built-in.js';
import { parseProfile, readProfile } from '../../../src/simulate/target/read-profile.js';
import { PLAIN_PROFILE, profileOf } from './small-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passkey-profile-'));
});
afterAll(() => rm(folder, { recursive: true }));

const yaml = `format: passkey-target-profile
version: 1
name: shop
registrationOptions: [{ request: POST /a }]
register:
  - request: POST /b
    take: { csrf: json csrf }
authenticationOptions: [{ request: POST /c }]
authenticate: [{ request: POST /d }]
`;

const rejects = (name: string, text: string) => {
  const reading = parseProfile(text, name);
  return {
    with: (message: RegExp | string) =>
      expect(reading).rejects.toMatchObject({ code: 'configuration_invalid', message: expect.stringMatching(message) }),
  };
};

describe('reading a profile', () => {
  test.each(BUILT_IN_PROFILES)('the built-in %s has no mistake, and its name', async (name) => {
    expect((await readProfile(name, folder)).profile.name).toBe(name);
  });

  test('from a file, JSON or YAML, relative to a folder', async () => {
    await writeFile(join(folder, 'shop.yml'), yaml);
    await writeFile(join(folder, 'shop.json'), `\uFEFF${JSON.stringify(PLAIN_PROFILE)}`);
    const { profile, where } = await readProfile('shop.yml', folder);
    expect(profile).toMatchObject({ name: 'shop', register: [{ take: { csrf: 'json csrf' } }] });
    expect(where('/register/0')).toBe('shop.yml:6:5 (register, POST /b)');
    expect(where('/register/0/none')).toBe('shop.yml:6:5 (register, POST /b, none)');
    expect((await readProfile('shop.json', folder)).profile.name).toBe('small');
  });

  test('names the built-in ones when there is no such file', async () => {
    await expect(readProfile('webauthn.oi', folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^Expected the name of a profile \(.*passkey.*\) or the path of a profile's file; webauthn\.oi .* \(did you mean "webauthn\.io"\?\)\.$/,
      ),
    });
  });

  test('says where a file stops being JSON or YAML', async () => {
    await rejects('a.json', '{\n  "format": x\n}').with(/^a\.json:2:13: expected .+; got .+\.$/);
    await rejects('a.yaml', 'format: [1\nname: x').with(/^a\.yaml:2:1: expected YAML; the parser says ".+"\.$/);
    await rejects('a.yaml', 'name: *gone').with(/^a\.yaml: expected YAML with few aliases/);
  });

  test('takes 1 MiB and 10,000 keys, each once', async () => {
    await writeFile(join(folder, 'large.json'), `"${' '.repeat(1024 * 1024)}"`);
    await expect(readProfile('large.json', folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('large.json has 1048578 bytes, where at most 1048576 are expected'),
    });
    const keys = (count: number) => `name:\n${'- 1\n'.repeat(count)}`;
    await rejects('a.yaml', keys(20_000)).with(/^a\.yaml: expected at most 10000 keys; got more\.$/);
    await rejects('a.json', JSON.stringify(Array(10_000).fill(0))).with(/^a\.json: expected at most 10000 keys; got more\.$/);
    await rejects('a.yaml', keys(9_000)).with(/^The profile a\.yaml has \d+ mistakes/);
    await rejects('a.yaml', 'name: a\n"name": b').with(/^a\.yaml:2:1: expected YAML; the parser says "Map keys must be unique"\.$/);
  });

  test('says where it is not what a profile is, all places at once', async () => {
    await rejects('a.yml', yaml.replace('version: 1', 'version: 2').replace('request: POST /b', 'reqest: POST /b')).with(
      /^The profile a\.yml has 2 mistakes\.\na\.yml:6:13 \(register, step 1, reqest\): Expected no such member \(did you mean "request"\?\); got "POST \/b"\.\na\.yml:2:10 \(\/version\): Expected 1; got 2\.$/,
    );
  });

  test.each<[string, object, RegExp]>([
    [
      'a variable that nobody has',
      { json: '{usr.email}' },
      /^small\.json:\d+:\d+ \(register, POST \/x, json\): Expected a variable .+; got \{usr\.email\}\. There are .*user/,
    ],
    ['a filter that nobody has', { json: '{user.email | upper}' }, /\(register, POST \/x, json\): Expected a filter/],
    ['a source that nobody has', { take: { 'a/b': 'body x' } }, /\(register, POST \/x, take\/a\/b\): Expected a source/],
    ['a name that is taken', { take: { origin: 'text' } }, /\(register, POST \/x, take\/origin\): Expected a name of the profile's own/],
    ['a condition that is none', { if: 'a |' }, /\(register, POST \/x if a \|, if\): Expected a filter/],
    ['an accept that cannot be read', { accept: { bdy: 1 } }, /\(register, POST \/x, accept\): Expected a source/],
    ['a header that cannot be read', { headers: { 'X-A': '{' } }, /\(register, POST \/x, headers\/X-A\): Expected a closing \}/],
    ['no path', { request: 'POST' }, /Expected a method and a path, such as "POST \/login"; got "POST"/],
    ['two bodies', { json: 1, form: {} }, /Expected one body; got json and form/],
    ['both a request and a command', { exec: ['a'] }, /Expected nothing of a request beside "exec"; got request/],
  ])('names %s', async (_, request, message) => {
    await expect(profileOf({ register: [{ request: 'POST /x', ...request }] })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(message),
    });
  });

  test('names a request that is none, and a variable with a taken name', async () => {
    await expect(profileOf({ cleanup: [{}] })).rejects.toMatchObject({
      message: expect.stringMatching(/Expected "request", "exec" or "value"; got none/),
    });
    await expect(profileOf({ variables: { run: 'x' } })).rejects.toMatchObject({ message: expect.stringMatching(/\(\/variables\/run\)/) });
  });
});
