import { describe, expect } from 'vitest';
import { personaRows } from '../../src/cli/serve/personas.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import type { Service } from '../server/app.js';
import { test } from '../server/service-test.js';
import { until } from '../until.js';
import { SERVER } from './tab.js';
import { nothingKept, visit } from './visit.js';

/** A visit whose page has been drawn, and a journal of it. */
async function open(service: Service, more: Partial<Parameters<typeof visit>[0]> = {}) {
  const page = await visit({ service, ...more });
  await page.running;
  const lines: string[] = [];
  const note = (action: string) => {
    const line = page.body.querySelector('#status');
    lines.push(`${action}: ${line?.textContent} (${[line?.dataset['outcome'], line?.parentElement?.getAttribute('class')].join(', ')})`);
    lines.push(...page.sent().map((request) => `  ${request}`));
  };
  note('opened');
  /** Does something, and notes what the status line says then, and which requests it took. */
  const act = async (name: string, action: () => unknown) => {
    await action();
    await page.settled();
    note(name);
  };
  return {
    ...page,
    act,
    press: async (selectors: string) => await act(`press ${selectors}`, () => page.find(selectors).fire('click', { detail: 1 })),
    submit: async (selectors: string) => await act(`send ${selectors}`, () => page.find(selectors).fire('submit')),
    type: async (selectors: string, value: string) => {
      Object.assign(page.find(selectors), { value });
      page.find(selectors).fire('input');
      await page.settled();
    },
    shows: async (file: string) => await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`drawn/${file}.txt`),
  };
}

/** With the first passkey, by the software authenticator: this browser has none. */
async function begin(service: Service, more: Partial<Parameters<typeof visit>[0]> = {}) {
  const page = await open(service, more);
  await page.press('#create-test-passkey');
  return page;
}

describe('a visit, with what each step sends and says:', () => {
  test('the first passkey, logins, and one that is broken on purpose', async ({ service }) => {
    const page = await begin(service);
    await until(() => page.page.title === '✓ Register a passkey · passkey');
    expect(page.kept.texts.get('passkey-answer-with')).toBe('plain');
    await page.press('#login-button');
    await page.press('#verify-button');
    await page.type('#label', ' Second ');
    await page.submit('#register');
    expect(Reflect.get(page.find('#label'), 'value')).toBe(' Second ');
    await page.press('#open-break');
    await until(() => page.body.querySelector('.mistake-run') !== null);
    await page.press('#break-first [data-mutation="login.origin-other-port"] .mistake-run');
    await until(() => page.page.title.startsWith('✗ '));
    await page.press('#next-again');
    await page.shows('visit-ceremonies');
  });

  test('the passkey is renamed, revoked, refused, and restored', async ({ service }) => {
    const page = await begin(service);
    await page.press('#show-passkeys');
    await page.press('#passkey-1-menu');
    await page.press('#passkey-1-rename');
    await page.type('#passkey-1 form input', 'Phone');
    await page.submit('#passkey-1 form');
    await page.press('#passkey-1-revoke');
    await page.submit('#passkey-1 form');
    await page.press('#passkey-1-login');
    await page.press('#passkey-1-restore');
    await page.press('#passkey-1-verify');
    await page.press('#passkey-1-login');
    await page.shows('visit-passkeys');
  });

  test('signs out, uses a bearer token, and signs in as another user', async ({ service }) => {
    const page = await begin(service);
    expect(page.kept.texts.get('passkey-token')).toMatch(/^pk_/);
    await page.press('#switcher');
    await page.press('#sign-out');
    expect(page.kept.texts.has('passkey-token')).toBe(false);
    await page.press('#switcher');
    await page.type('#token', ` Bearer ${service.token}x `);
    await page.submit('#use-token');
    await page.type('#token', ` Bearer ${service.token} `);
    await page.submit('#use-token');
    await page.press('#switcher');
    await page.type('#email', 'grace@example.com');
    await page.type('#name', 'Grace');
    await page.submit('#sign-in');
    await page.press('#register-button');
    await page.submit('#register');
    await page.shows('visit-users');
  });

  test('the session of a login registers too, and ends with its passkey', async ({ service }) => {
    const page = await begin(service);
    await page.press('#login-button');
    page.kept.texts.delete('passkey-token');
    const { kept } = page;
    const again = await open(service, { kept });
    await again.submit('#register');
    await again.press('#show-passkeys');
    await again.press('#passkey-1-menu');
    await again.press('#passkey-1-revoke');
    await again.submit('#passkey-1 form');
    await again.press('#passkey-1-restore');
    await again.shows('visit-session');
  });

  test('a browser with an authenticator leaves the first passkey to the software on request, and may register without a dialog', async ({
    service,
  }) => {
    const capabilities = { passkeyPlatformAuthenticator: true, conditionalCreate: true };
    const page = await open(service, { capabilities });
    await until(() => page.body.querySelector('#create-by-software') !== null);
    expect(page.find('#create-test-passkey').textContent).toBe('Register a test passkey');
    await page.press('#create-by-software');
    await page.press('#conditional-create');
    await page.shows('visit-conditional');
  });

  test('without a user the newest of the server signs in, or the first of all', async ({ service }) => {
    await service.accounts.addOwner({ email: 'newest@example.com', name: 'Newest' });
    const page = await open(service);
    expect(page.find('#welcome .hint').textContent).toContain('This page signs in as newest@example.com.');
    await page.press('#create-test-passkey');
    await page.press('#to-list');
    await page.shows('visit-newest');
  });

  test('what is pasted is explained', async ({ service }) => {
    const page = await begin(service);
    await page.press('#open-paste');
    await page.type('#paste-box', 'NotAllowedError: The operation either timed out or was not allowed.');
    await page.act('explained', async () => await until(() => page.body.querySelector('[data-kind=pasted]') !== null));
    expect(page.outline('[data-kind=pasted]')).toContain('NotAllowedError');
    await page.press('#paste-clear');
    await page.shows('visit-paste');
  });

  test('a passkey that the browser was asked to hide is no longer remembered as such once it logged in', async ({ service }) => {
    const page = await begin(service);
    const [made] = await service.store.listPasskeys({});
    const id = encodeBase64url(made?.credential.id ?? new Uint8Array());
    for (const [before, after] of [
      [[id, 'other'], '["other"]'],
      [[id], undefined],
    ] as const) {
      page.kept.texts.set('passkey-signalled', JSON.stringify(before));
      const again = await open(service, { kept: page.kept });
      await again.press('#login-button');
      expect(page.kept.texts.get('passkey-signalled')).toBe(after);
    }
  });

  test('the tab goes on where it was when it is loaded again', async ({ service }) => {
    const kept = nothingKept();
    kept.texts.set('passkey-titles', '{"a":1,"b":"Own"}');
    await begin(service, { kept });
    expect(JSON.parse(kept.texts.get('passkey-titles') ?? '')).toMatchObject({ b: 'Own' });
    expect(kept.texts.get('passkey-titles')).not.toContain('"a":1');
    const again = await open(service, { kept });
    for (const stream of again.streams) stream.onopen?.();
    await again.settled();
    expect(again.outline('.stream')).toContain('Register a passkey');
    expect(again.outline('.list-pane')).toContain('this tab');
    await again.press('#login-button');
    await again.shows('visit-again');
  });
});

describe('the address of the page', () => {
  test('has the ceremony and the options, which come back with it', async ({ service }) => {
    const page = await begin(service);
    for (const stream of page.streams) stream.onopen?.();
    await page.settled();
    await until(() => page.address().hash.startsWith('#ceremony='));
    await page.press('#open-options');
    await until(() => page.body.querySelector('#option-app_name') !== null);
    await page.type('#option-app_name', 'Shop');
    await page.settled();
    const { href, hash } = page.address();
    expect(hash).toContain('app_name=Shop');
    expect(page.entries.filter((entry) => entry.startsWith('push'))).toHaveLength(1);
    const other = await open(service, { at: href });
    for (const stream of other.streams) stream.onopen?.();
    await until(() => other.body.querySelector('article') !== null);
    expect(other.address().hash).toBe(hash);
    await other.act('back', () => other.pop({ selected: undefined }));
    expect(other.body.querySelector('article')).toBeNull();
  });

  test('leads Back and Forward to ceremonies of before a reload, which take no further entries', async ({ service }) => {
    const page = await begin(service);
    const follow = async ({ streams, settled }: Pick<typeof page, 'streams' | 'settled'>) => {
      for (const stream of streams) stream.onopen?.();
      await settled();
    };
    await follow(page);
    await until(() => page.address().hash.startsWith('#ceremony='));
    const [registered, first] = [page.address().hash, page.history.state];
    await page.press('#login-button');
    await follow(page);
    await until(() => page.address().hash !== registered && page.address().hash !== '');
    const [loggedIn, second] = [page.address(), page.history.state];
    const again = await open(service, { at: loggedIn.href, kept: page.kept });
    await follow(again);
    const shown = () => again.body.querySelector('article')?.getAttribute('data-kind');
    expect(shown()).toBe('authentication');
    again.pop(first, registered);
    await until(() => shown() === 'registration' && again.address().hash === registered);
    // Its own first run has a key that one of the last visit had.
    await again.press('#verify-button');
    again.pop(second, loggedIn.hash);
    await until(() => shown() === 'authentication' && again.address().hash === loggedIn.hash);
    expect(again.find('article').textContent).toContain('Log in');
    await again.act('back', () => again.pop(first));
    expect([shown(), again.body.querySelector('#welcome') === null]).toEqual([undefined, false]);
    await again.act('back', () => again.pop(first, '#ceremony=gone'));
    expect(again.find('#status').textContent).toBe('The server does not have this ceremony any more. Choose another from the list.');
    expect(again.body.querySelector('#welcome')).not.toBeNull();
    expect(again.entries.filter((entry) => entry.startsWith('push'))).toHaveLength(1);
  });

  test('brings back what was pasted and taken out of the list', async ({ service }) => {
    const page = await open(service);
    await page.type('#paste-box', '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}');
    await until(() => page.address().hash.startsWith('#shared='));
    const { state } = page.history;
    const { hash } = page.address();
    await page.press('#paste-clear');
    expect(page.body.querySelector('article[data-key=pasted-1]')).toBeNull();
    page.pop(state, hash);
    await until(() => page.body.querySelector('article[data-key=pasted-1]') !== null);
    // The ceremony is packed into the address after it is shown.
    await until(() => page.address().hash.startsWith('#shared='));
    // It says where it is from once, however often the page is loaded again.
    let { href } = page.address();
    for (let loaded = 0; loaded < 2; loaded += 1) {
      const again = await open(service, { at: href });
      await until(() => again.body.querySelector('article[data-key=pasted-1]') !== null);
      await until(() => again.address().hash.startsWith('#shared='));
      expect(again.find('article[data-key=pasted-1] .facts').textContent).toMatch(/Froma file, pasted/);
      expect(again.entries.filter((entry) => entry.startsWith('push'))).toEqual([]);
      ({ href } = again.address());
    }
  });

  test('stays as it is where a browser takes no more entries, and the ceremony is shown', async ({ service }) => {
    const page = await begin(service);
    page.history.pushState = () => {
      throw new DOMException('Attempt to use history.pushState() more than 100 times per 30 seconds', 'SecurityError');
    };
    await page.press('#login-button');
    await until(() => page.find('article').getAttribute('data-kind') === 'authentication');
  });

  test('a loopback address leads to localhost, and nothing else runs', async ({ service }) => {
    const page = await visit({ service, at: 'http://127.0.0.1:7277/' });
    await until(() => page.left.length > 0);
    await page.settled();
    expect([page.left, page.sent(), page.body.childNodes]).toEqual([['http://localhost:7277/#from=127.0.0.1'], [], []]);
    const arrived = await open(service, { at: 'http://localhost:7277/#from=127.0.0.1' });
    expect(arrived.find('#status').textContent).toContain('Opened at 127.0.0.1.');
  });

  test('a fragment that cannot be read is said, and stays', async ({ service }) => {
    const page = await open(service, { at: 'http://localhost:7277/#registration=x' });
    expect(page.find('#status').parentElement?.getAttribute('class')).toBe('status failed');
    expect(page.address().hash).toBe('#registration=x');
    page.go('#app_name=Shop');
    await page.settled();
    page.go('#registration=y');
    await page.settled();
    expect(page.find('#status').textContent).not.toBe('');
  });
});

describe('a page that is just open', () => {
  test('says what is wrong here, is connected to nothing, and leaves the address', async ({ service }) => {
    const page = await open(service);
    expect(page.body.querySelectorAll('.notice strong').map(({ textContent }) => textContent)).toEqual(['This browser has no WebAuthn']);
    expect(page.find('.where').textContent).toBe('http://localhost:7277');
    expect(page.find('#status').textContent).toBe('');
    expect([page.entries, page.address().hash]).toEqual([['replace '], '']);
  });

  test('has the options of the address alone in it, and says which cannot be read', async ({ service }) => {
    const page = await open(service, { at: 'http://localhost:7277/#app_name=Shop&expect.rpId=shop.example' });
    expect(page.entries).toEqual(['replace #app_name=Shop&expect.rpId=shop.example']);
    const other = await open(service, { at: 'http://localhost:7277/#registration=[]' });
    expect(other.find('#status').textContent).toBe(
      'The address has registration options that cannot be read: Expected a JSON object, such as { "attestation": "direct" }.',
    );
    expect(other.entries).toEqual([]);
  });
});

describe('the fragment of the address', () => {
  test('is read when it changes, but not when Back brings it', async ({ service }) => {
    const page = await open(service);
    page.sent();
    page.go('#app_name=Shop', { selected: undefined });
    await page.settled();
    expect(page.body.querySelector('#open-options')).toBeNull();
    page.go('#app_name=Shop&expect.rpId=shop.example');
    await page.settled();
    await page.press('#open-options');
    await until(() => page.body.querySelector('#option-app_name') !== null);
    expect(Reflect.get(page.find('#option-app_name'), 'value')).toBe('Shop');
    expect(page.address().hash).toBe('#app_name=Shop&expect.rpId=shop.example');
    expect(page.find('#status').textContent).toBe('');
    page.go('#registration=[]&authentication=1');
    await page.settled();
    expect(page.find('#status').textContent).toContain('The address has registration options that cannot be read:');
    expect(page.find('#status').textContent).toContain('The address has authentication options that cannot be read:');
    expect(page.find('#status').parentElement?.getAttribute('class')).toBe('status failed');
    expect(Reflect.get(page.find('#option-app_name'), 'value')).toBe('Shop');
    page.go('#ceremony=gone');
    await page.settled();
    expect(page.find('#status').textContent).toContain('The server does not have this ceremony any more.');
    expect(page.sent()).toEqual([]);
  });

  test('with a key exchanges it, and asks for the state again', async ({ service }) => {
    const page = await open(service);
    page.sent();
    page.go('#key=k');
    await page.settled();
    expect(page.sent()).toEqual(['POST /dev/key {"key":"k"}', 'GET /dev/state']);
    expect(page.address().hash).toBe('');
  });
});

test('Back and Forward within a visit go from ceremony to ceremony without a request, and take no entry', async ({ service }) => {
  const page = await begin(service);
  const first = page.history.state;
  await page.press('#login-button');
  const second = page.history.state;
  const shown = () => page.body.querySelector('article')?.dataset['kind'];
  const entries = () => page.entries.filter((entry) => entry.startsWith('push')).length;
  const before = entries();
  page.sent();
  page.pop(null);
  await page.settled();
  expect(shown()).toBe('authentication');
  page.pop(first);
  await page.settled();
  expect(shown()).toBe('registration');
  page.pop(second);
  await page.settled();
  expect(shown()).toBe('authentication');
  expect([entries(), page.sent()]).toEqual([before, []]);
  // One that the user chooses is a new entry again.
  page.find('[data-key=run-2] .row').fire('click', { detail: 1 });
  await page.settled();
  expect([shown(), entries()]).toEqual(['registration', before + 1]);
});

test('a tab that is shown again asks for the state, unless a ceremony waits', async ({ service }) => {
  const page = await begin(service);
  const asked = async (act: () => unknown) => {
    page.sent();
    await act();
    await page.settled();
    return page.sent().filter((request) => request === 'GET /dev/state').length;
  };
  const show = (visibilityState: string) => {
    Object.assign(page.page, { visibilityState });
    page.page.fire('visibilitychange');
  };
  expect(await asked(() => show('hidden'))).toBe(0);
  expect(await asked(() => show('visible'))).toBe(1);
  // The login itself asks once.
  expect(
    await asked(() => {
      page.find('#login-button').fire('click', { detail: 1 });
      show('visible');
    }),
  ).toBe(1);
});

test('beside a site its persona answers, and another one that is chosen is told', async ({ service }) => {
  const { policy, verifiable } = SERVER;
  const site = { url: 'https://shop.example', persona: 'titan', tamper: null };
  const state = { signIn: true, policy, verifiable, users: [], passkeys: 0, user: null, site };
  const answers = { '/dev/state': state, '/dev/site': {}, '/dev/personas': personaRows() };
  const page = await open(service, { answers });
  expect(page.kept.texts.get('passkey-answer-with')).toBe('titan');
  await page.press('#answerer');
  await until(() => page.body.querySelector('#answer-with-yubikey-5') !== null);
  page.sent();
  const choose = async (persona: string) => {
    const radio = page.find(`#answer-with-${persona}`);
    Object.assign(radio, { checked: true });
    radio.fire('change');
    await page.settled();
    return [page.sent(), page.kept.texts.get('passkey-answer-with')];
  };
  expect(await choose('yubikey-5')).toEqual([['POST /dev/site {"persona":"yubikey-5"}'], 'yubikey-5']);
  expect(await choose('yubikey-5')).toEqual([[], 'yubikey-5']);
  expect(await choose('browser')).toEqual([[], 'browser']);
  expect(await choose('titan')).toEqual([['POST /dev/site {"persona":"titan"}'], 'titan']);
});

describe('the stream', () => {
  test('says that the server is lost, and is back', async ({ service }) => {
    const page = await begin(service);
    const [stream] = page.streams;
    await page.act('connected', () => stream?.onopen?.());
    expect(page.outline('.where')).toContain('connected');
    await page.act('lost', () => stream?.onerror?.());
    await page.act('back', async () => {
      stream?.onopen?.();
      // The page asks some time later. A test that ends before leaves that to the page of the next one.
      await until(() => page.hasSent('GET /dev/state'));
    });
    await page.act('cleared', () => stream?.fire('stream-cleared', {}));
    await page.shows('visit-stream');
  });
});
