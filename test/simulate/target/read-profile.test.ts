import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { BUILT_IN_PROFILES } from '../../../src/simulate/target/built-in.js';
import { isProfile, parseProfile, readProfile, writeCapabilities, writeProfile } from '../../../src/simulate/target/read-profile.js';
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

  test('a file is meant to be a profile by its format, even with mistakes', async () => {
    const files = { 'wrong.yaml': 'format: passkey-target-profile', 'right.json': '\uFEFF{"format":"passkey-target-profile"}' };
    const others = { 'other.json': '{"format":"other"}', 'broken.json': '{', 'list.yml': '[1]' };
    for (const [name, text] of Object.entries({ ...files, ...others })) await writeFile(join(folder, name), text);
    const found = await Promise.all([...Object.keys(files), ...Object.keys(others), 'none.json'].map((name) => isProfile(name, folder)));
    expect(found).toEqual([true, true, false, false, false, false]);
  });

  test('what is measured is added to a file, with its evidence where there are comments', async () => {
    const measured = [
      { member: 'counter', value: 'refuse', evidence: 'refused one' },
      { member: 'algorithms', value: [-7, -257], evidence: 'accepted two' },
      { member: 'passkeys', evidence: 'accepted one; refused another' },
    ] as const;
    const text = 'name: shop # ours\nhas: { passkeys: 3, counter: ignore }\n';
    expect(await writeCapabilities(text, 'shop.yaml', measured)).toBe(
      'name: shop # ours\nhas:\n  passkeys: 3\n  counter: refuse # refused one\n  algorithms: [ -7, -257 ] # accepted two\n',
    );
    expect(await writeCapabilities('name: shop\n', 'shop.yml', measured.slice(0, 1))).toBe(
      'name: shop\nhas:\n  counter: refuse # refused one\n',
    );
    expect(JSON.parse(await writeCapabilities('\uFEFF{"name":"shop","has":{"users":1}}', 'shop.json', measured))).toEqual({
      name: 'shop',
      has: { users: 1, counter: 'refuse', algorithms: [-7, -257] },
    });
  });

  test('names the built-in ones when there is no such file', async () => {
    await expect(readProfile('webauthn.oi', folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^Expected the name of a profile \(.*passkey.*\) or the path of a profile file; webauthn\.oi .* \(did you mean "webauthn\.io"\?\)\.$/,
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
      message: expect.stringContaining('large.json has 1048578 bytes; expected at most 1048576'),
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
    ['a source that nobody has', { take: { 'a/b': 'jsno x' } }, /\(register, POST \/x, take\/a\/b\): Expected a source.*"json"/],
    ['a name that is taken', { take: { origin: 'text' } }, /\(register, POST \/x, take\/origin\): Expected a name that is still free/],
    ['a condition that is none', { if: 'a |' }, /\(register, POST \/x if a \|, if\): Expected a filter/],
    ['an accept that cannot be read', { accept: { bdy: 1 } }, /\(register, POST \/x, accept\): Expected a source/],
    ['a header that cannot be read', { headers: { 'X-A': '{' } }, /\(register, POST \/x, headers\/X-A\): Expected a closing \}/],
    ['no path', { request: 'POST' }, /Expected a method and a path, such as "POST \/login"; got "POST"/],
    ['two bodies', { json: 1, form: {} }, /Expected one body; got json and form/],
    ['both a request and a command', { exec: ['a'] }, /Expected no other member of a request next to "exec"; got request/],
  ])('names %s', async (_, request, message) => {
    await expect(profileOf({ register: [{ request: 'POST /x', ...request }] })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, object]>([
    ['request', { request: 'POST /x/{user.mail}' }],
    ['request', { request: 'POST /x?for={user.mail | encode}' }],
    ['headers/x-user', { request: 'POST /x', headers: { 'x-user': '{user.mail?}' } }],
    ['json', { request: 'POST /x', json: { deep: [{ $: 'user.mail' }] } }],
    ['json', { request: 'POST /x', json: { $: 'options.list', each: '{item.a} {user.mail}' } }],
    ['form', { request: 'POST /x', form: { user: '{user.mail}' } }],
    ['multipart', { request: 'POST /x', multipart: { user: { $: 'user.mail' } } }],
    ['cbor', { request: 'POST /x', cbor: { user: '{user.mail | binary}' } }],
    ['text', { request: 'POST /x', text: 'for {user.mail}' }],
    ['if', { request: 'POST /x', if: 'user.mail' }],
    ['unless', { request: 'POST /x', unless: 'user.mail | default ""' }],
    ['accept', { request: 'POST /x', accept: { 'json user': '{user.mail}' } }],
    ['refuse', { request: 'POST /x', refuse: [{ status: 400 }, { 'json user': ['{user.mail}'] }] }],
    ['follow', { request: 'POST /x', follow: '/for/{user.mail}' }],
    ['exec/1', { exec: ['mail', '{user.mail}'] }],
    ['value', { value: { user: '{user.mail}' } }],
  ])('refuses a variable without a value in %s: %j', async (place, request) => {
    await expect(profileOf({ register: [request] })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(
        `^small\\.json:\\d+:\\d+ \\(register, .+, ${place}\\): Expected a member of "user"; got \\{user\\.mail\\}\\. Available: .+\\. Did you mean \\{user\\.email\\}\\?$`,
      ),
    });
  });

  const variable = /Expected a variable that the profile has or takes; got /;
  test.each<[variable: string, says: RegExp]>([
    ['usr.email', variable],
    ['usr.email', /\. Available: .*\buser\b.*\. Did you mean \{user\.email\}\?$/],
    ['email', /Did you mean \{user\.email\}\?$/],
    ['csfr', /Did you mean \{csrf\}\?$/],
    ['csfr.value', /Did you mean \{csrf\}\?$/],
    ['lagnuage', /Did you mean \{language\}\?$/],
    ['item', variable],
    ['labels', variable],
    ['user["mail"]', /Expected a member of "user"; got .+ Did you mean \{user\.email\}\?$/],
    ['user[0]', /Expected a member of "user"/],
    ['user.name.first', /Expected nothing after "user\.name", which has no members; got \{user\.name\.first\}\.$/],
    ['origin.host', /Expected nothing after "origin"/],
    ['language.short', /Expected nothing after "language"/],
    ['time.now', /Expected nothing after "time"/],
    ['named.login', /Expected nothing after "named"/],
    ['env.SHOP.KEY', /Expected nothing after "env\.SHOP".+ Write env\["a\.b"\] for a name with a dot\.$/],
    ['cookie.shop.session', /Expected nothing after "cookie\.shop".+ Write cookie\["a\.b"\]/],
    ['env[0]', /Expected a name after "env"/],
    ['credential.reponse.signature', /Did you mean \{credential\.response\.signature\}\?$/],
    ['credential.response.clientDataJson', /Did you mean \{credential\.response\.clientDataJSON\}\?$/],
    ['credential.ID.x', /Did you mean \{credential\.id\}\?$/],
    ['registered.Id', /Did you mean \{registered\.id\}\?$/],
    ['registered.credentialID', /Did you mean \{registered\.credentialId\}\?$/],
    ['ask.userVerfication', /Did you mean \{ask\.userVerification\}\?$/],
    ['discoverabel', /Did you mean \{discoverable\}\?$/],
    ['user.email | uper', /Expected a filter \(.+\); got "uper"/],
    ['user.email | lowr', /got "lowr" \(did you mean "lower"\?\)/],
    ['options.list | each encod', /got "encod" \(did you mean "encode"\?\)/],
  ])('refuses {%s}', async (expression, message) => {
    const profile = {
      variables: { language: 'en' },
      account: [{ request: 'GET /', take: { csrf: 'json csrf' } }],
      register: [{ request: 'POST /x', json: { $: expression }, take: { id: 'json id' } }],
      list: [{ request: 'GET /list', take: { labels: 'json' } }],
    };
    await expect(profileOf(profile)).rejects.toMatchObject({ code: 'configuration_invalid', message: expect.stringMatching(message) });
  });

  test('finds a misspelt filter in what is taken and in what is accepted', async () => {
    await expect(profileOf({ whoami: [{ request: 'GET /x', take: { user: 'json a | fist' } }] })).rejects.toThrow(/take\/user.+"first"/);
    await expect(profileOf({ whoami: [{ request: 'GET /x', accept: { 'text | tirm': 'a' } }] })).rejects.toThrow(/accept.+"trim"/);
  });

  const take = { late: 'json late' };
  const use = (phase: string, expression = 'late') => ({ [phase]: [{ request: 'POST /x', json: { $: expression } }] });
  test.each<[name: string, profile: JsonObject, says: RegExp]>([
    [
      'by its own request',
      { register: [{ request: 'POST /x', json: '{late}', take }] },
      /\(register, POST \/x, json\): .+ taken by \/register\/0 /,
    ],
    ['by a later request', { whoami: [{ request: 'GET /{late}' }, { request: 'GET /x', take }] }, /taken by \/whoami\/1 /],
    ['after the account is made', { ...use('account'), register: [{ request: 'POST /x', take }] }, /\(account, .+ taken by \/register\/0 /],
    [
      'in the other ceremony',
      { ...use('authenticate'), registrationOptions: [{ request: 'POST /x', take }] },
      /\(authenticate, .+ taken by \/registrationOptions\/0 /,
    ],
    ['in a list that keeps it', { ...use('signOut'), whoami: [{ request: 'GET /x', take }] }, /\(signOut, .+ taken by \/whoami\/0 /],
    [
      'in a later ceremony only',
      use('list', 'options.rp'),
      /has a value in list; got \{options\.rp\}, which has one in register, authenticate/,
    ],
    [
      'in register, authenticate and stepUp only',
      use('whoami', 'credential.id'),
      /has a value in whoami; .+ one in register, authenticate, stepUp \(/,
    ],
    ['after a registration only', use('authenticate', 'credential.response.attestationObject'), /which has one in register \(/],
    ['after a login only', use('register', 'credential.response.signature'), /which has one in authenticate, stepUp \(/],
    ['once there is a passkey', use('account', 'registered.credentialId'), /\(account, .+ has a value in account/],
    ['in rename only', use('remove', 'registered.newLabel'), /which has one in rename \(/],
    ['once the options are here', use('account', 'user.handle'), /which has one in register, whoami \(/],
    ['in a ceremony', use('list', 'rpId'), /has a value in list/],
    ['if the profile asks for it', use('register', 'ask.origin'), /Expected "origin" in "asks" of "has"; got \{ask\.origin\}/],
  ])('refuses a variable that has a value %s', async (_, profile, message) => {
    await expect(profileOf(profile)).rejects.toMatchObject({ code: 'configuration_invalid', message: expect.stringMatching(message) });
  });

  test('reads a profile whose variables may have values', async () => {
    await profileOf({
      has: { asks: ['origin'] },
      variables: { language: 'en' },
      account: [{ request: 'GET /', take: { csrf: 'html meta @content', state: 'json' } }],
      registrationOptions: [
        { request: 'POST /x?{state.a[0].b["c d"]}', headers: { 'x-csrf': '{csrf}', 'x-id': '{id}' }, take: { ticket: 'json' } },
        { request: 'POST /x/{ticket.id}', json: { origin: '{ask.origin}', uv: '{ask.userVerification?}' } },
      ],
      register: [
        { request: 'GET /early', if: 'late', json: '{late}' },
        { request: 'GET /early', json: { late: '{late?}', other: '{late | lower | default none}', is: '{late | is x}' } },
        { request: 'POST /x/{ticket.id}', accept: { 'json id': '{id}' }, take: { id: 'json id', late: 'json late' } },
        { request: 'POST /y', json: { $: 'options.extensions.mine', each: { $: 'item.credential', each: '{item}' } } },
        { request: 'POST /y', form: { alg: '{credential.response.publicKeyAlgorithm}', rk: '{credential.clientExtensionResults.a.b}' } },
      ],
      authenticationOptions: [{ request: 'POST /x/{registered.id.part}', if: 'named', headers: { cookie: '{cookie["a.b"]}' } }],
      whoami: [{ request: 'GET /me/{ticket.id}/{rpId}', accept: { 'json id': '{id}' } }],
      rename: [{ request: 'POST /x/{registered.credentialId}/{registered.newLabel}/{id}' }],
      recover: [{ request: 'POST /x', take: { recoveryToken: 'json' } }, { request: 'POST /y/{recoveryToken}/{env.KEY}' }],
    });
  });

  test('names a request that is none, and a variable with a taken name', async () => {
    await expect(profileOf({ cleanup: [{}] })).rejects.toMatchObject({
      message: expect.stringMatching(/Expected "request", "exec" or "value"; got none/),
    });
    await expect(profileOf({ variables: { run: 'x' } })).rejects.toMatchObject({ message: expect.stringMatching(/\(\/variables\/run\)/) });
  });

  test.each<[gates: object, says: RegExp]>([
    [{ locked: { set: [{ request: 'POST /x' }] } }, /\/gates\/locked.*lift/],
    [
      { 'a/b': { set: [{ request: 'POST /x' }], lift: [{ request: 'POST' }] } },
      /\(gates a\/b lift, POST, request\)|\(gates a\/b lift, POST\): Expected a method/,
    ],
    [{ locked: { set: [], lift: [{ request: 'POST /x' }] } }, /\/gates\/locked\/set/],
    [
      { locked: { set: [{ request: '/x' }], lift: [{ request: 'POST /x' }] } },
      /\(gates locked set, \/x, request\): |\(gates locked set, \/x\): Expected a method and a path/,
    ],
    [
      { locked: { set: [{ request: 'POST /{user.mail}' }], lift: [{ request: 'POST /x' }] } },
      /\(gates locked set, POST \/\{user\.mail\}, request\): .*Did you mean \{user\.email\}\?$/,
    ],
    [
      { locked: { set: [{ exec: ['sql', '{credential.id}'] }], lift: [{ request: 'POST /x' }] } },
      /Expected a variable that has a value in gates\/locked\/set; got \{credential\.id\}/,
    ],
    [
      { locked: { set: [{ request: 'POST /x', json: '{ticket}' }], lift: [{ request: 'POST /x', take: { ticket: 'text' } }] } },
      /Expected a value that an earlier request takes; got \{ticket\}, which is taken by \/gates\/locked\/lift\/0/,
    ],
    [{ locked: { set: [{ request: 'POST /x' }], lift: [{ request: 'POST /x' }], stops: ['logins'] } }, /\/gates\/locked\/stops\/0/],
  ])('refuses the gates %j', async (gates, says) => {
    await expect(profileOf({ gates })).rejects.toMatchObject({ code: 'configuration_invalid', message: expect.stringMatching(says) });
  });

  test('begins a step-up with a passkey before its response', async () => {
    const finish = { request: 'POST /step-up', json: { $: 'credential' } };
    const begin = { request: 'POST /step-up/options', take: { options: 'json' } };
    const missing =
      /\(stepUp, POST \/step-up, json\): Expected an earlier request of stepUp that takes "options"; got \{credential\}, which is the response to them/;
    await expect(profileOf({ stepUp: [finish] })).rejects.toMatchObject({ message: expect.stringMatching(missing) });
    await expect(profileOf({ stepUp: [finish, begin] })).rejects.toMatchObject({ code: 'configuration_invalid' });
    await expect(profileOf({ stepUp: [begin, finish] })).resolves.toBeDefined();
  });

  test('lets the requests of a gate use what earlier ones and the account took', async () => {
    const admin = [
      { request: 'POST /admin', headers: { authorization: 'Bearer {env.ADMIN_TOKEN}' }, take: { ticket: 'json ticket' } },
      { request: 'POST /admin/{id}', json: { ticket: '{ticket}', user: '{user.email}' } },
    ];
    const account = [{ request: 'POST /account', take: { id: 'json id' } }];
    await expect(profileOf({ account, gates: { 'second-factor': { set: admin, lift: admin } } })).resolves.toBeDefined();
  });

  test('finds no mistake in the gates that a new YAML profile has as comments', async () => {
    const text = await writeProfile((await profileOf({})).profile, 'shop.yaml');
    expect(text).toMatch(/^# gates:$/m);
    const { profile } = await parseProfile(text.replaceAll(/^# (gates:|  )/gm, '$1'), 'shop.yaml');
    expect(Object.keys(profile.gates ?? {})).toEqual(['locked', 'disabled', 'unverified']);
    expect(await writeProfile(profile, 'shop.yaml')).not.toContain('# gates');
  });

  test('finds no mistake in a profile of the documentation', async () => {
    const docs = new URL('../../../docs/', import.meta.url);
    const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((page) => page.endsWith('.md'));
    const profiles = pages.flatMap((page) =>
      [...readFileSync(new URL(page, docs), 'utf8').matchAll(/^```json\n([^]*?)^```/gm)]
        .map(([, text = '']) => text)
        .filter((text) => text.includes('"passkey-target-profile"'))
        .map((text) => ({ page, text })),
    );
    expect(profiles.map(({ page }) => page)).toEqual(expect.arrayContaining(['targets.md', join('quick-start', 'django.md')]));
    for (const { page, text } of profiles) await parseProfile(text, `${page}.json`);
  });
});
