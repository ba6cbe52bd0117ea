import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createAutofill } from '../../src/browse/autofill.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { type Command, connectScripted, type Reply } from './scripted-browser.js';

const pickedBy = (pending: Promise<void>) =>
  pending.then(
    () => 'picked',
    (error: unknown) => Object(error).name,
  );

/** Two pages, whose marks are 32 bytes of 2 and of 3. */
async function prepare(reply?: (command: Command) => Reply) {
  const browser = connectScripted(reply);
  let next = 0;
  const autofill = createAutofill(browser.devtools, () => new Uint8Array(32).fill((next += 1)));
  await autofill.prepare('shop');
  await autofill.prepare('bank');
  const mark = (byte: number) => ({ type: 'public-key', id: encodeBase64url(new Uint8Array(32).fill(byte)) });
  return { ...browser, autofill, mark };
}

test('adds its scripts to each page, with a mark of its own', async () => {
  const { list } = await prepare();
  const world = 'passkey browse: autofill';
  const converter = (byte: number) =>
    expect.stringMatching(
      new RegExp(
        `new Event\\('passkey-undo-${encodeBase64url(new Uint8Array(32).fill(1))}'\\)[^]*Uint8Array\\(\\[(?:${byte},){31}${byte}\\]\\)`,
      ),
    );
  const listener = expect.stringContaining("globalThis.pickPasskey('')");
  expect(list()).toEqual(
    [['shop', 2] as const, ['bank', 3] as const].flatMap(([session, byte]) => [
      ['Page.enable', {}, session],
      ['Runtime.enable', {}, session],
      ['Page.addScriptToEvaluateOnNewDocument', { source: converter(byte), runImmediately: true }, session],
      ['Runtime.addBinding', { name: 'pickPasskey', executionContextName: world }, session],
      ['Page.addScriptToEvaluateOnNewDocument', { source: listener, runImmediately: true, worldName: world }, session],
    ]),
  );
});

test('knows the conditional calls of each page by their mark, and takes it out', async () => {
  const { autofill, mark } = await prepare();
  const own = { type: 'public-key', id: 'AQID' };
  const options = { challenge: 'AAAA', allowCredentials: [own, mark(3)] };
  expect(autofill.readOptions(options)).toEqual({ options: { challenge: 'AAAA', allowCredentials: [own] }, session: 'bank' });
  expect(autofill.readOptions({ allowCredentials: [mark(2)] })).toEqual({ options: { allowCredentials: [] }, session: 'shop' });
  for (const plain of [{ allowCredentials: [own, mark(1)] }, { allowCredentials: 7 }, { rpId: 'example.org' }]) {
    expect(autofill.readOptions(plain)).toEqual({ options: plain, session: undefined });
  }
});

test('picks from the newest call of the page in which the key was pressed', async () => {
  const { autofill, tell } = await prepare();
  const { signal } = new AbortController();
  expect(autofill.pick('shop')).toBe(false);
  const [first, second, other] = ['shop', 'shop', 'bank'].map((session) => pickedBy(autofill.picked(session, signal)));
  tell('Runtime.bindingCalled', { name: 'anotherFunction', payload: '' }, 'bank');
  tell('Runtime.bindingCalled', { name: 'pickPasskey', payload: '' }, 'shop');
  expect(await second).toBe('picked');
  expect(autofill.pick('shop')).toBe(true);
  expect(await first).toBe('picked');
  expect(autofill.pick('bank')).toBe(true);
  expect(await other).toBe('picked');
});

test.for([
  ['its page aborts it', undefined],
  ['another document takes its place', ['Page.frameNavigated', { frame: { id: 'main' } }, 'shop']],
  ['its page is closed', ['Target.detachedFromTarget', { sessionId: 'shop' }, undefined]],
] as const)('a call is over when %s', async ([, event]) => {
  const { autofill, tell } = await prepare();
  const aborting = new AbortController();
  const other = pickedBy(autofill.picked('bank', aborting.signal));
  const pending = pickedBy(autofill.picked('shop', aborting.signal));
  tell('Page.frameNavigated', { frame: { id: 'inner', parentId: 'main' } }, 'shop');
  if (event === undefined) aborting.abort();
  else tell(event[0], event[1], event[2]);
  expect(await pending).toBe('AbortError');
  expect(autofill.pick('shop')).toBe(false);
  aborting.abort();
  expect(await other).toBe('AbortError');
});

test('a call that its page has aborted already is over', async () => {
  const { autofill } = await prepare();
  const reason = new DOMException('Too late.', 'AbortError');
  await expect(autofill.picked('shop', AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(autofill.pick('shop')).toBe(false);
});

test('only the main frame and its end take the calls of a page with them', async () => {
  const { autofill, tell } = await prepare();
  const { signal } = new AbortController();
  const pending = pickedBy(autofill.picked('shop', signal));
  tell('Page.frameNavigated', { frame: { id: 'inner', parentId: 'main' } }, 'shop');
  tell('Page.frameStartedNavigating', { frame: { id: 'main' } }, 'shop');
  tell('Target.targetDestroyed', { sessionId: 'shop' });
  tell('Target.detachedFromTarget', { sessionId: 'bank' }, 'shop');
  tell('Runtime.consoleAPICalled', { name: 'pickPasskey' }, 'bank');
  tell('Runtime.bindingCalled', { name: 'pickPasskey' });
  expect(autofill.pick('shop')).toBe(true);
  expect(await pending).toBe('picked');
});

test('gives every page its own functions back, also if one of them has gone', async () => {
  const gone = ({ sessionId }: Command): Reply => (sessionId === 'shop' && hasGone ? { error: { message: 'No session' } } : { result: {} });
  let hasGone = false;
  const { autofill, list } = await prepare(gone);
  const before = list().length;
  hasGone = true;
  await autofill.leave();
  const source = `dispatchEvent(new Event('passkey-undo-${encodeBase64url(new Uint8Array(32).fill(1))}'))`;
  expect(list().slice(before)).toEqual(
    ['shop', 'bank'].flatMap((session) => [
      ['Page.enable', {}, session],
      ['Runtime.enable', {}, session],
      ['Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }, session],
    ]),
  );
});

describe('the scripts of a page', () => {
  /** A document whose functions tell how they are called. */
  async function open() {
    const { autofill, list } = await prepare();
    const calls: (readonly [name: string, self: unknown, args: readonly unknown[]])[] = [];
    const events = new EventTarget();
    const listeners: ((event: object) => void)[] = [];
    const page = createContext({
      Event,
      dispatchEvent: (event: Event) => events.dispatchEvent(event),
      addEventListener(type: string, listener: (event: object) => void, options: object) {
        if (type === 'keydown') listeners.push(listener);
        else events.addEventListener(type, listener, options);
      },
      pickPasskey: (text: string) => void calls.push(['pickPasskey', undefined, [text]]),
      tell: (...call: (typeof calls)[number]) => void calls.push(call),
    });
    runInContext(
      `globalThis.CredentialsContainer = class { get(...args) { tell('get', this, args); return 'answer'; } create() {} };
      globalThis.PublicKeyCredential = class {
        static async isConditionalMediationAvailable() { return false; }
        static async getClientCapabilities() { return { conditionalGet: false, relatedOrigins: true }; }
      };
      globalThis.navigator = { credentials: new CredentialsContainer() };`,
      page,
    );
    const run = (script: string): unknown => runInContext(script, page);
    const ofShop = list().filter(([method, , session]) => method === 'Page.addScriptToEvaluateOnNewDocument' && session === 'shop');
    const [converter = '', listener = ''] = ofShop.map(([, { source }]) => String(source));
    // In a document that was open already, the scripts run twice.
    for (const script of [converter, listener, converter, listener]) run(script);
    await autofill.leave();
    return { calls, listeners, run, undo: String(list().at(-1)?.[1]['source']) };
  }

  const MARK = '{"type":"public-key","id":{"0":2,';

  test('make a plain call of a conditional one, with the mark', async () => {
    const { calls, run } = await open();
    const signal = 'const { signal } = new (class { signal = 7 })();';
    expect(
      run(
        `${signal} navigator.credentials.get({ mediation: 'conditional', signal, publicKey: { rpId: 'a', allowCredentials: [{ id: 1 }] } })`,
      ),
    ).toBe('answer');
    const [[name, self, [options]] = ['', undefined, []]] = calls;
    expect([name, self === run('navigator.credentials'), calls.length]).toEqual(['get', true, 1]);
    const { mediation, publicKey, signal: given } = Object(options);
    expect([mediation, given, publicKey.rpId, publicKey.allowCredentials.length]).toEqual([undefined, 7, 'a', 2]);
    expect(JSON.stringify(publicKey.allowCredentials[0])).toBe('{"id":1}');
    expect(JSON.stringify(publicKey.allowCredentials[1])).toMatch(new RegExp(`^${MARK}`));
  });

  test.each([
    ['a call without credentials', "{ mediation: 'conditional', publicKey: {} }", [undefined, 1]],
    ['a plain call', "{ mediation: 'optional', publicKey: { allowCredentials: [] } }", ['optional', 0]],
    ['a call that says no mediation', '{ publicKey: { allowCredentials: [] } }', [undefined, 0]],
    ['a call without options', '', ['none']],
    ['a conditional call for a password', "{ mediation: 'conditional', password: true }", ['conditional', undefined]],
  ])('leave %s to the browser', async (_, options, expected) => {
    const { calls, run } = await open();
    run(`navigator.credentials.get(${options})`);
    const given = calls[0]?.[2][0];
    expect(given === undefined ? ['none'] : [Object(given).mediation, Object(given).publicKey?.allowCredentials.length]).toEqual(expected);
  });

  test('say that the browser has autofill, until they are undone', async () => {
    const { run, undo, calls } = await open();
    const available = 'PublicKeyCredential.isConditionalMediationAvailable()';
    const capabilities = 'PublicKeyCredential.getClientCapabilities()';
    expect([await run(available), { ...Object(await run(capabilities)) }]).toEqual([true, { conditionalGet: true, relatedOrigins: true }]);
    run(undo);
    expect([await run(available), { ...Object(await run(capabilities)) }]).toEqual([
      false,
      { conditionalGet: false, relatedOrigins: true },
    ]);
    run("navigator.credentials.get({ mediation: 'conditional', publicKey: {} })");
    expect(Object(calls[0]?.[2][0])).toMatchObject({ mediation: 'conditional', publicKey: {} });
  });

  test('pick when the user presses the down arrow in a field that offers passkeys', async () => {
    const { calls, listeners } = await open();
    const [listener] = listeners;
    expect(listeners).toHaveLength(1);
    const press = (key: string, autocomplete: string | null | undefined, isTrusted = true) => {
      const field =
        autocomplete === undefined ? {} : { getAttribute: (name: string) => (name === 'autocomplete' ? autocomplete : 'webauthn') };
      listener?.({ key, isTrusted, composedPath: () => [field] });
      return calls.length;
    };
    expect(
      [
        ['ArrowUp', 'username webauthn'] as const,
        ['ArrowDown', 'username'] as const,
        ['ArrowDown', 'webauthn-like'] as const,
        ['ArrowDown', null] as const,
        ['ArrowDown', undefined] as const,
      ].map(([key, autocomplete]) => press(key, autocomplete)),
    ).toEqual([0, 0, 0, 0, 0]);
    expect([press('ArrowDown', 'webauthn', false), press('ArrowDown', 'username\tWebAuthn')]).toEqual([0, 1]);
    expect(calls).toEqual([['pickPasskey', undefined, ['']]]);
  });
});
