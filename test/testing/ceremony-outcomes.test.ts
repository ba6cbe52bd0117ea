import { expect, test } from 'vitest';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import { until } from '../until.js';
import { create, creationOptions, exceptionOf, get, install, requestOptions } from './installed.js';
import { page } from './page.js';

test.each([
  ['cancelled', 'NotAllowedError'],
  ['timeout', 'NotAllowedError'],
  ['already-registered', 'InvalidStateError'],
  ['unsupported', 'NotSupportedError'],
  ['constrained', 'ConstraintError'],
] as const)('next("%s") makes one create() end with %s', async (outcome, name) => {
  const credentials = install();
  credentials.next(outcome);
  expect(await exceptionOf(create())).toBe(name);
  expect((await create()).type).toBe('public-key');
  expect(credentials.calls.map(({ operation, error }) => [operation, error])).toEqual([
    ['create', name],
    ['create', undefined],
  ]);
});

test('the same for get(), which has no exception of its own for what only create() can meet', async () => {
  const credentials = install();
  await create();
  credentials.next('denied', 'already-registered');
  expect(await exceptionOf(get())).toBe('NotAllowedError');
  await expect(get()).rejects.toThrow(
    new TypeError('Expected a create() to end with "already-registered"; the page called get(), which has no such exception.'),
  );
  expect((await get()).type).toBe('public-key');
  expect(() => credentials.next('lost' as 'denied')).toThrow(/^Expected the outcome to be one of denied, cancelled, .*; got "lost"\.$/);
});

test('excludeCredentials and a user who does not verify are refused by the authenticator itself', async () => {
  install({ user: scriptedUser('verified', 'denied') });
  const { id } = await create();
  const excluding = await creationOptions({ excludeCredentials: [{ id }] });
  expect(
    await exceptionOf(page.navigator.credentials.create({ publicKey: page.PublicKeyCredential.parseCreationOptionsFromJSON(excluding) })),
  ).toBe('NotAllowedError');
});

test('an aborted call rejects with the reason of its signal, and the authenticator is told', async () => {
  const prompts: AbortSignal[] = [];
  install({
    user: {
      canVerify: true,
      verify: ({ signal }) => {
        if (signal) prompts.push(signal);
        return new Promise(() => undefined);
      },
    },
  });
  const aborted = new AbortController();
  aborted.abort('too early');
  await expect(create({ signal: aborted.signal })).rejects.toBe('too early');
  expect(prompts).toEqual([]);

  const controller = new AbortController();
  const call = create({ signal: controller.signal });
  await until(() => prompts.length === 1);
  controller.abort();
  await expect(call).rejects.toBe(controller.signal.reason);
  await until(() => prompts[0]?.aborted);
});

test('a conditional get() waits until the user picks from the autofill list', async () => {
  const credentials = install();
  const { id } = await create();
  const [held] = await credentials.credentials.list();
  await credentials.credentials.remove(id);
  const call = get({ mediation: 'conditional' });
  await until(() => credentials.waiting === 1);
  await expect(credentials.autofill()).rejects.toThrow(
    'Expected a discoverable credential for example.com in the autofill list; there is none. Register one first.',
  );
  expect(credentials.waiting).toBe(1);
  if (held) await credentials.credentials.add(held);
  await credentials.autofill();
  expect((await call).id).toBe(id);
  expect(credentials.waiting).toBe(0);
});

test('one request at a time: another is refused, as Chromium does, until the page has aborted the first', async () => {
  const credentials = install();
  const { id } = await create();
  const controller = new AbortController();
  const first = get({ mediation: 'conditional', signal: controller.signal });
  await until(() => credentials.waiting === 1);
  credentials.next('denied');
  expect(await exceptionOf(create())).toBe('OperationError');
  expect(await exceptionOf(get({ mediation: 'conditional' }))).toBe('OperationError');
  const publicKey = page.PublicKeyCredential.parseRequestOptionsFromJSON(await requestOptions());
  controller.abort();
  expect(await exceptionOf(page.navigator.credentials.get({ publicKey }))).toBe('NotAllowedError');
  await expect(first).rejects.toBe(controller.signal.reason);
  expect((await get()).id).toBe(id);
  // The aborted one may end before or after the one that took its place.
  expect(new Set(credentials.calls.map(({ error }) => error))).toEqual(
    new Set([undefined, 'OperationError', 'AbortError', 'NotAllowedError']),
  );
});

test('autofill() waits for a page that has not asked yet, and picks the credential that the test says', async () => {
  const credentials = install();
  const { id } = await create();
  await create();
  const picked = credentials.autofill({ pick: (offers) => offers.at(-1) });
  expect((await get({ mediation: 'conditional' })).id).toBe(id);
  await picked;
  await expect(credentials.autofill({ timeout: 1 })).rejects.toThrow(
    'Expected a page to call get() with mediation "conditional" within 1 ms; none has.',
  );
});

test('a conditional get() takes its outcome when the user picks, and leaves when it is aborted', async () => {
  const credentials = install();
  await create();
  const controller = new AbortController();
  const left = get({ mediation: 'conditional', signal: controller.signal });
  await until(() => credentials.waiting === 1);
  controller.abort();
  await expect(left).rejects.toBe(controller.signal.reason);
  expect(credentials.waiting).toBe(0);
  const call = get({ mediation: 'conditional' });
  credentials.next('uv-blocked');
  const [name] = await Promise.all([exceptionOf(call), credentials.autofill()]);
  expect(name).toBe('NotAllowedError');
});

test('conditional: "answer" answers at once', async () => {
  install({ conditional: 'answer' });
  const { id } = await create();
  expect((await get({ mediation: 'conditional' })).id).toBe(id);
});

test('an unknown value of conditional is refused, and nothing is installed', () => {
  const options = JSON.parse('{ "conditional": "never" }');
  expect(() => install(options)).toThrow(new TypeError('Expected conditional to be one of wait, answer; got "never".'));
  install();
});
