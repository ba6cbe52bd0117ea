import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../../src/errors.js';
import { asObject } from '../../../../src/kernel/json-value.js';
import { profileFromHar } from '../../../../src/simulate/target/recording/profile-from-har.js';
import type { Target } from '../../../targets/http.js';
import { startPlainServer } from '../plain-server.js';
import { recordChallenges, recordForms, recordGraphQl, recordPlain, TYPED } from './record-pages.js';
import { API_KEY, startChallengeServer, startFormServer, startGraphQlServer } from './recorded-servers.js';
import type { RecordingBrowser } from './recording-browser.js';
import { walked } from './walked.js';

type Har = ReturnType<RecordingBrowser['har']>;

/** Cookies and tokens of a recording, and what its person typed. */
function secretsOf(har: Har): string[] {
  const headers = har.log.entries.flatMap((entry) => {
    const { request, response } = JSON.parse(JSON.stringify(entry));
    return [...request.headers, ...response.headers] as { name: string; value: string }[];
  });
  const carried = headers.flatMap(({ name, value }) => {
    if (/^(?:set-)?cookie$/i.test(name)) return [/=([^;]*)/.exec(value)?.[1] ?? ''];
    return name.toLowerCase() === 'authorization' ? [value.replace('Bearer ', '')] : [];
  });
  return [...new Set(carried.filter((value) => value !== '')), ...Object.values(TYPED), API_KEY];
}

type Headers = readonly { readonly name: string }[];
interface RecordedEntry {
  readonly request: { readonly url: string; readonly method: string; readonly headers: Headers };
  readonly response: { content: object; readonly headers: Headers };
}

/** The archive with an entry changed, or left out. */
function changed(har: Har, change: (entry: RecordedEntry, index: number) => object | undefined): Har {
  return { log: { entries: har.log.entries.flatMap((entry, index) => change(JSON.parse(JSON.stringify(entry)), index) ?? []) } };
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof PasskeyError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}

describe('a recording of GraphQL with a bearer token', () => {
  let target: Target;
  let har: Har;
  beforeAll(async () => {
    target = await startGraphQlServer();
    har = (await recordGraphQl(target.url)).har();
  });
  afterAll(() => target.close());

  test('is that of the user who registers, whatever an administrator does in between', async () => {
    const { profile } = profileFromHar(har, 'graph');
    const users = har.log.entries;
    const renamed = JSON.stringify((await recordGraphQl(target.url)).har())
      .replaceAll(TYPED.email, 'root@example.com')
      .replaceAll(TYPED.name, 'Root of All')
      .replaceAll(TYPED.password, 'all-powerful-42');
    const administrators: typeof users = JSON.parse(renamed).log.entries;
    const operationOf = (entry: object) => /operationName\\":\\"(\w+)/.exec(JSON.stringify(entry))?.[1] ?? '';
    const pick = (entries: typeof users, ...names: string[]) => entries.filter((entry) => names.includes(operationOf(entry)));
    const [byPassword, byPasskey] = [pick(administrators, 'signUp', 'me'), pick(administrators, 'beginLogin', 'finishLogin', 'me')];
    expect([byPassword.length, byPasskey.length]).toEqual([2, 3]);
    for (const before of ['signUp', 'beginRegistration', 'finishRegistration', 'beginLogin', 'finishLogin']) {
      const at = users.findIndex((entry) => operationOf(entry) === before);
      for (const between of [byPassword, byPasskey]) {
        const mixed = { log: { entries: [...users.slice(0, at), ...between, ...users.slice(at)] } };
        expect(profileFromHar(mixed, 'graph').profile, `before ${before}: ${between.map(operationOf).join(', ')}`).toEqual(profile);
      }
    }
    // The administrator makes the account of the user.
    const token = /"accessToken\\":\\"(\w+)/.exec(JSON.stringify(byPassword))?.[1] ?? '';
    expect(token).not.toBe('');
    const made = changed(har, (entry, index) => {
      if (index === users.findIndex((each) => operationOf(each) === 'signUp')) {
        Object.assign(entry.request, { headers: [...entry.request.headers, { name: 'authorization', value: `Bearer ${token}` }] });
      }
      return entry;
    });
    const { profile: withAdministrator } = profileFromHar({ log: { entries: [...byPassword, ...made.log.entries] } }, 'graph');
    const variables = { email: 'root@example.com', name: 'Root of All', password: '{env.TARGET_PASSWORD}' };
    expect(withAdministrator.account).toMatchObject([
      { json: { variables }, take: { accessToken: 'json data.signUp.accessToken' } },
      { headers: { authorization: 'Bearer {accessToken}' }, json: { variables: { email: '{user.email}', password: '{user.password}' } } },
    ]);
  });

  test('becomes requests with what changes named', () => {
    const { profile, url } = profileFromHar(har, 'graph');
    expect(url).toBe(target.url);
    const operations = (requests: typeof profile.account = []) =>
      requests.map(({ request, json }) => (json === undefined ? request : asObject(json)['operationName']));
    expect({
      account: operations(profile.account),
      registrationOptions: operations(profile.registrationOptions),
      register: operations(profile.register),
      authenticationOptions: operations(profile.authenticationOptions),
      authenticate: operations(profile.authenticate),
      whoami: operations(profile.whoami),
      cleanup: operations(profile.cleanup),
    }).toEqual({
      account: ['signUp'],
      registrationOptions: ['beginRegistration'],
      register: ['finishRegistration'],
      authenticationOptions: ['beginLogin'],
      authenticate: ['finishLogin'],
      whoami: ['me'],
      cleanup: ['DELETE /passkeys/{registered.id | encode}'],
    });
    expect(profile.account?.[0]).toMatchObject({
      json: {
        query: 'mutation signUp($input: Input!) {{ signUp(input: $input) {{ id }} }}',
        variables: { email: '{user.email}', name: '{user.displayName}', password: '{user.password}' },
      },
      take: { accessToken: 'json data.signUp.accessToken' },
    });
    expect(profile.registrationOptions[0]).toMatchObject({
      headers: { authorization: 'Bearer {accessToken}', origin: '{origin}' },
      take: { options: 'json data.beginRegistration.ceremony.options' },
    });
    expect(profile.register[0]).toMatchObject({
      json: { variables: { credential: { $: 'credential' }, label: 'My key' } },
      take: { id: 'json data.finishRegistration.id' },
      // GraphQL refuses with 200.
      accept: { status: '2xx', 'json data.finishRegistration': '*', 'json errors': '-' },
    });
    expect(profile.authenticationOptions[0]?.take).toEqual({
      ceremonyId: 'json data.beginLogin.ceremonyId',
      options: 'json data.beginLogin.requestOptionsJson | json | at publicKey',
    });
    expect(profile.authenticate[0]).toMatchObject({ json: { variables: { ceremonyId: '{ceremonyId}', credential: { $: 'credential' } } } });
    // Before the login, nobody has its token.
    expect(profile.whoami?.[0]).toMatchObject({
      headers: { authorization: 'Bearer {accessToken2?}' },
      take: { user: 'json data.me.email' },
    });
    expect(profile.has).toEqual({ logins: ['discoverable'] });
  });

  test('drives the server that was recorded', async () => {
    const { profile, url } = profileFromHar(har, 'graph');
    expect(await walked(profile, url, { TARGET_X_API_KEY: API_KEY })).toEqual({
      passed: true,
      steps: [
        'account',
        'registration options',
        'registration',
        'discoverable login: options',
        'discoverable login',
        'discoverable login: options',
        'login with a changed signature',
        'cleanup',
        'another registration: options',
        'registration with a changed challenge',
      ],
    });
  });

  test('says which secret it does not explain, and keeps none', () => {
    const made = profileFromHar(har, 'graph');
    const secrets = secretsOf(har);
    expect(secrets.length).toBeGreaterThan(4);
    expect(secrets.filter((secret) => JSON.stringify(made).includes(secret))).toEqual([]);
    expect(made.notes).toEqual([
      'The recording does not show where x-api-key of POST /graphql comes from: set the environment variable TARGET_X_API_KEY.',
    ]);
  });

  test('leaves out what the page does besides', () => {
    expect(JSON.stringify(profileFromHar(har, 'graph'))).not.toMatch(/collect|logo/);
  });

  test('is told of a value that a login cannot have', () => {
    const text = JSON.stringify(har);
    const [challenge = ''] = /(?<=beginRegistration.{1,200}challenge\\":\\")[\w-]{43}/.exec(text) ?? [];
    const [ceremonyId = ''] = /(?<=ceremonyId\\":\\")[0-9a-f]{32}/.exec(text) ?? [];
    expect([challenge.length, ceremonyId.length]).toEqual([43, 32]);
    // The page sends it last; the answer that gives it comes before.
    const sent = text.lastIndexOf(ceremonyId);
    const edited = text.slice(0, sent) + challenge + text.slice(sent + ceremonyId.length);
    const { notes } = profileFromHar(JSON.parse(edited), 'graph');
    expect(notes).toContain(
      'In the login, POST /graphql sends {challenge}. That value was received only during the registration: take it from a response in the login.',
    );
  });

  test('is told what is missing', () => {
    const without = (text: string) => changed(har, (entry) => (JSON.stringify(entry).includes(text) ? undefined : entry));
    expect(messageOf(() => profileFromHar({ log: {} }, 'graph'))).toMatch(/^validation_failed: Expected an HTTP archive/);
    expect(messageOf(() => profileFromHar(without('finishRegistration'), 'graph'))).toMatch(
      /Expected a recorded registration: .*none in \d+ exchanges/,
    );
    expect(messageOf(() => profileFromHar(without('finishLogin'), 'graph'))).toMatch(/Expected a recorded login after it/);
    const bodiless = changed(har, (entry) => {
      if (JSON.stringify(entry).includes('beginLogin')) entry.response.content = {};
      return entry;
    });
    expect(messageOf(() => profileFromHar(bodiless, 'graph'))).toMatch(
      /Expected the options of the authentication that POST \/graphql finishes: a response that contains the challenge .* no earlier response does\. .*save with content/,
    );
    const inText = changed(har, (entry) => {
      const { content }: { content: object } = entry.response;
      if (!JSON.stringify(entry).includes('beginLogin') || !('text' in content)) return entry;
      const [, challenge = ''] = /challenge\W+([\w-]{20,})/.exec(String(content.text)) ?? [];
      entry.response.content = { mimeType: 'text/plain', text: `Sign ${challenge} now` };
      return entry;
    });
    expect(messageOf(() => profileFromHar(inText, 'graph'))).toMatch(
      /^validation_failed: Expected the options of the authentication that POST \/graphql finishes as one JSON object; the response to POST \/graphql contains the challenge without them\./,
    );
  });
});

describe('a recording of pages with forms', () => {
  let target: Target;
  let browser: RecordingBrowser;
  beforeAll(async () => {
    target = await startFormServer();
    browser = await recordForms(target.url);
  });
  afterAll(() => target.close());

  test('becomes forms with tokens taken from the pages, and options from a script', () => {
    const { profile } = profileFromHar(browser.har(), 'forms');
    expect(profile.account).toEqual([
      { request: 'GET /sign-up', headers: { accept: 'text/html' }, take: { csrf: 'html input[name="_csrf"] @value' } },
      {
        request: 'POST /sign-up',
        headers: { accept: 'text/html', origin: '{origin}' },
        form: { _csrf: '{csrf}', 'user[email]': '{user.email}', 'user[password]': '{user.password}' },
        accept: { status: 303, 'header location': '/passkeys/new' },
      },
    ]);
    const options = 'text | match /options\\s+=\\s+([{[][\\s\\S]*?[}\\]]);/ | json';
    expect(profile.registrationOptions.at(-1)).toMatchObject({ request: 'GET /passkeys/new', take: { options } });
    expect(profile.register).toMatchObject([
      {
        form: {
          credentialId: { $: 'credential.id? | base64' },
          clientDataJSON: { $: 'credential.response.clientDataJSON? | base64' },
          attestationObject: { $: 'credential.response.attestationObject? | base64' },
          transports: { $: 'credential.response.transports? | join ","' },
        },
        accept: { status: 303, 'header location': '/account' },
      },
    ]);
    expect(profile.authenticationOptions).toMatchObject([{ request: 'GET /login', take: { options: `${options} | at publicKey` } }]);
    expect(profile.authenticate).toMatchObject([{ request: 'POST /login', accept: { status: 302, 'header location': '/account' } }]);
    expect(profile.whoami).toMatchObject([{ request: 'GET /api/me', accept: { 'json profile.email': '{user.email}' } }]);
    expect(profile.signOut).toMatchObject([
      { request: 'GET /passkeys/new' },
      { request: 'POST /sign-out', form: { _csrf: '{csrf}' }, accept: { 'header location': '/login' } },
    ]);
  });

  test('finds who is signed in by the name of the path, also where it was asked before the login', () => {
    const before = changed(browser.har(), (entry) => {
      if (!entry.request.url.endsWith('/api/me')) return entry;
      entry.response.content = { mimeType: 'application/json', text: '{"ok":true,"id":7}' };
      return entry;
    });
    const { entries } = before.log;
    const moved = { log: { entries: [...entries.slice(0, 3), ...entries.slice(-1), ...entries.slice(3, -1)] } };
    const whoami = [{ request: 'GET /api/me', take: { user: 'json id' }, accept: { status: '2xx', 'json id': '*' } }];
    expect([before, moved].map((har) => profileFromHar(har, 'forms').profile.whoami)).toEqual([whoami, whoami]);
  });

  test('takes options from a script of data by its type, if it is the first of that type', () => {
    const typed = (before: string) =>
      changed(browser.har(), (entry) => {
        const { content }: { content: object } = entry.response;
        const script = /<script>\nconst options = (.+);\n<\/script>/;
        if ('text' in content && typeof content.text === 'string') {
          content.text = content.text.replace(script, `${before}<script type="application/init">$1</script>`);
        }
        return entry;
      });
    const sources = ['', '<script type="application/init">{}</script>'].map((before) => {
      const { authenticationOptions } = profileFromHar(typed(before), 'forms').profile;
      return authenticationOptions.flatMap(({ take }) => take?.['options'] ?? []);
    });
    expect(sources).toEqual([['html script[type="application/init"] | json | at publicKey'], []]);
  });

  test('sends a form in parts, and a cookie as a header, where the page did so', () => {
    const parts = changed(browser.har(), (entry) => {
      const { request } = entry;
      if (!request.url.endsWith('/passkeys') || !('postData' in request)) return entry;
      const cookies = request.headers.map((header) => (header.name === 'cookie' ? { ...header, value: 'XSRF-TOKEN=secret%3D' } : header));
      const headers = cookies.map((header) =>
        header.name === 'content-type' ? { ...header, value: 'multipart/form-data; boundary=x' } : header,
      );
      const { text } = JSON.parse(JSON.stringify(request.postData));
      const fields = [...new URLSearchParams(text)].map(
        ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const postData = { mimeType: 'multipart/form-data; boundary=x', text: `${fields.join('')}--x--\r\n` };
      return { ...entry, request: { ...request, headers: [...headers, { name: 'x-xsrf-token', value: 'secret=' }], postData } };
    });
    const [register] = profileFromHar(parts, 'forms').profile.register;
    expect(register).toMatchObject({
      headers: { 'x-xsrf-token': '{cookie.XSRF-TOKEN | decode}' },
      multipart: { _csrf: '{csrf}', clientDataJSON: { $: 'credential.response.clientDataJSON? | base64' } },
    });
    expect(register?.headers).not.toHaveProperty('content-type');
  });

  test('takes the address of a redirect, where a later request names it', () => {
    const ticketed = changed(browser.har(), (entry) => {
      const { request, response } = entry;
      const to = '/passkeys/new?ticket=4f1c9a7e20b8';
      const headers = [...request.headers, { name: 'x-page', value: to }];
      if (request.url.endsWith('/passkeys')) return { ...entry, request: { ...request, headers } };
      if (request.method !== 'POST' || !request.url.endsWith('/sign-up')) return entry;
      const redirected = response.headers.map((header) => (header.name === 'location' ? { ...header, value: to } : header));
      return { ...entry, response: { ...response, headers: redirected } };
    });
    const { account, register } = profileFromHar(ticketed, 'forms').profile;
    expect(account?.at(-1)).toMatchObject({ request: 'POST /sign-up', take: { location: 'header location' } });
    expect(register).toMatchObject([{ request: 'POST /passkeys', headers: { 'x-page': '{location}' } }]);
  });

  test('drives the server that was recorded', async () => {
    const { profile, url } = profileFromHar(browser.har(), 'forms');
    expect(await walked(profile, url)).toEqual({
      passed: true,
      steps: [
        'account',
        'registration options',
        'registration',
        'discoverable login: options',
        'discoverable login',
        'discoverable login: options',
        'login with a changed signature',
        'cleanup: skipped, The profile has no "cleanup": the test passkey stays on the server.',
        'another registration: options',
        'registration with a changed challenge',
      ],
    });
  });

  test('is the same where the browser has left out all cookies', () => {
    const sanitised = changed(browser.har(), (entry) => {
      const withoutCookies = (headers: readonly { name: string }[]) => headers.filter(({ name }) => !/cookie/i.test(name));
      const { request, response } = entry;
      return {
        request: { ...request, headers: withoutCookies(request.headers) },
        response: { ...response, headers: withoutCookies(response.headers) },
      };
    });
    expect(JSON.stringify(sanitised)).not.toMatch(/cookie/i);
    expect(profileFromHar(sanitised, 'forms')).toEqual(profileFromHar(browser.har(), 'forms'));
  });

  test('is the same with bodies in base64', () => {
    expect(profileFromHar(browser.har({ base64: true }), 'forms')).toEqual(profileFromHar(browser.har(), 'forms'));
  });

  test('keeps no secret', () => {
    const made = JSON.stringify(profileFromHar(browser.har(), 'forms'));
    expect(secretsOf(browser.har()).filter((secret) => made.includes(secret))).toEqual([]);
  });
});

describe('a recording of a page that builds the options', () => {
  let target: Target;
  let browser: RecordingBrowser;
  beforeAll(async () => {
    target = await startChallengeServer();
    browser = await recordChallenges(target.url);
  });
  afterAll(() => target.close());

  test('becomes a step that builds them, from the answer and what the script writes out', () => {
    const { profile, notes } = profileFromHar(browser.har(), 'challenge');
    expect(profile.registrationOptions).toEqual([
      {
        request: 'POST /register/challenge',
        headers: { origin: '{origin}' },
        json: { email: '{user.email}' },
        take: { sent: 'json', challenge: 'json challenge' },
      },
      {
        value: {
          rp: { id: '{rpId}', name: 'Test' },
          user: { id: '{sent.user.id}', name: '{user.name}', displayName: '{user.displayName}' },
          challenge: '{challenge | base64url}',
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
        },
      },
    ]);
    expect(profile.authenticationOptions).toEqual([
      { request: 'GET /login/challenge', take: { answer: 'text | trim' } },
      { value: { challenge: '{answer}', rpId: '{rpId}', userVerification: 'preferred' } },
    ]);
    expect(profile.has).toEqual({ logins: ['discoverable'] });
    expect(notes[0]).toBe(
      'POST /register/challenge and GET /login/challenge answer with only a challenge: the page builds the options. The profile does so in "value", from what the recording shows. Compare it with what your page passes to navigator.credentials.',
    );
  });

  test('drives the server that was recorded', async () => {
    const { profile, url } = profileFromHar(browser.har(), 'challenge');
    const { steps, passed } = await walked(profile, url);
    expect(steps).toEqual(expect.arrayContaining(['discoverable login', 'registration with a changed challenge']));
    expect(passed).toBe(true);
  });

  test('keeps to what the answer has of each ceremony, and sees who is named in a query', () => {
    const named = changed(browser.har(), (entry) => {
      const { content } = entry.response;
      if (!entry.request.url.endsWith('/challenge') || !('text' in content)) return entry;
      const login = entry.request.method === 'GET' ? JSON.stringify({ challenge: content.text }) : String(content.text);
      content.text = JSON.stringify({ page: { ...JSON.parse(login), rp: { name: 'Page' } } });
      return { ...entry, request: { ...entry.request, url: `${entry.request.url}?email=${encodeURIComponent(TYPED.email)}` } };
    });
    const { has, registrationOptions, authenticationOptions } = profileFromHar(named, 'challenge').profile;
    expect(has).toEqual({ logins: ['named'] });
    expect(registrationOptions[0]?.take).toEqual({ sent: 'json page', challenge: 'json page.challenge' });
    expect(registrationOptions[1]?.value).toMatchObject({ rp: { $: 'sent.rp' } });
    expect(authenticationOptions).toMatchObject([
      { request: 'GET /login/challenge?email={user.email | encode}', take: { challenge: 'json page.challenge' } },
      { value: { allowCredentials: [{ type: 'public-key', id: '{registered.credentialId}' }] } },
    ]);
    expect(authenticationOptions[1]?.value).not.toHaveProperty('rp');
  });

  test('leaves out what tells success, and says so, where the server has refused', () => {
    const refused = changed(browser.har(), (entry) =>
      entry.request.url.endsWith('/login') ? { ...entry, response: { ...entry.response, status: 500 } } : entry,
    );
    const { profile, notes } = profileFromHar(refused, 'challenge');
    expect(profile.authenticate).not.toContainEqual(expect.objectContaining({ accept: expect.anything() }));
    expect(notes).toContain('POST /login was answered with 500 in the recording: record a ceremony that your server accepts.');
  });

  test('finds the user handle among what the user is called, and the algorithm in the key', () => {
    const handle = Buffer.from(TYPED.email).toString('base64url');
    const text = JSON.stringify(browser.har());
    const [id = ''] = /(?<=\\"user\\":\{\\"id\\":\\")[\w-]+/.exec(text) ?? [];
    const named = text
      .replaceAll(`\\"user\\":{\\"id\\":\\"${id}\\"}`, '\\"more\\":1')
      .replaceAll(id, handle)
      .replaceAll('/page.js', '/p.png');
    const [, built] = profileFromHar(JSON.parse(named), 'challenge').profile.registrationOptions;
    expect(built?.value).toMatchObject({ user: { id: '{user.email | bytes}' }, pubKeyCredParams: [{ alg: -7 }] });
  });
});

describe('a recording of a page on another origin', () => {
  const origin = 'http://localhost:5173';
  let target: Target;
  let browser: RecordingBrowser;
  beforeAll(async () => {
    target = await startPlainServer(origin);
    browser = await recordPlain(target.url, origin);
  });
  afterAll(() => target.close());

  test('names the origin, the user and the passkey', () => {
    const { profile, url } = profileFromHar(browser.har(), 'plain');
    expect(url).toBe(target.url);
    expect(profile).toMatchObject({
      origin,
      has: { logins: ['named'] },
      account: [],
      registrationOptions: [
        { request: 'POST /register/options', json: { username: '{user.name}' }, take: { options: 'json data.options' } },
      ],
      register: [{ accept: { status: '2xx', 'json verified': true } }],
      authenticationOptions: [{ json: { username: '{user.name}' } }],
      cleanup: [{ request: 'DELETE /passkeys/{registered.credentialId | encode}' }],
    });
  });

  test('warns of a body that the browser has lost', () => {
    const lost = changed(browser.har(), (entry) => {
      if (entry.request.url.endsWith('/login')) entry.response.content = {};
      return entry;
    });
    expect(profileFromHar(lost, 'plain').notes).toContainEqual(
      expect.stringMatching(/^The recording lacks the body of the response to POST \/login, .* describe in "accept" what shows success\.$/),
    );
  });

  test('drives the server that was recorded', async () => {
    const { profile, url } = profileFromHar(browser.har(), 'plain');
    const { steps, passed } = await walked(profile, url);
    expect(passed).toBe(true);
    expect(steps).toEqual(expect.arrayContaining(['named login', 'login with a changed signature', 'cleanup']));
  });
});
