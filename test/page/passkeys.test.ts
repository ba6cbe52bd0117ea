import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rename, restore, revoke } from '../../src/page/flow/passkeys.js';
import type { AppState } from '../../src/page/state.js';
import { NOW, passkey, USER } from './drawing.js';
import { type Answer, SERVER, tab } from './tab.js';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterAll(() => void vi.useRealTimers());

const KEYS = [passkey(1), passkey(2, { label: 'Laptop' }), passkey(3)];
const [, KEY = passkey(2)] = KEYS;
const REFUSED: Answer = { status: 409, answer: { code: 'x', detail: 'Not so.' } };

/** A tab that shows three passkeys, whose server answers its first request like this, and then no more. */
function open(answer: Answer, state: Partial<AppState> = {}, rest: Answer = { status: 402, answer: {} }) {
  const answers = [answer];
  return tab({ answer: () => answers.shift() ?? rest, state: { user: USER, token: 'pk_x', passkeys: KEYS, revokedHere: [3], ...state } });
}
const STATE: Answer = {
  status: 200,
  answer: { signIn: true, policy: SERVER.policy, verifiable: SERVER.verifiable, users: [], passkeys: 3, user: null },
};

test('a passkey is renamed', async () => {
  const { app, store, sent, asked } = open({ status: 200, answer: {} });
  expect(await rename(app, KEY, 'Phone')).toBe(true);
  expect([sent, asked[0]?.body]).toEqual([['PATCH /api/passkeys/2', 'GET /dev/state'], { label: 'Phone' }]);
  const summary = 'Renamed passkey 2 to “Phone”.';
  expect(store.get().runs).toMatchObject([{ title: 'Rename “Laptop”', kind: 'other', outcome: 'verified', summary }]);
  expect(store.get()).toMatchObject({ status: summary, passkeys: KEYS });
});

test('a passkey is revoked here at once, and the others stay', async () => {
  const { app, store, sent } = open({ status: 204, answer: undefined });
  expect(await revoke(app, KEY)).toBe(true);
  expect(sent).toEqual(['DELETE /api/passkeys/2', 'GET /dev/state']);
  expect(store.get()).toMatchObject({
    revokedHere: [3, 2],
    passkeys: [KEYS[0], { ...KEY, revoked_at: new Date(NOW).toISOString() }, KEYS[2]],
  });
  const summary = 'Revoked passkey 2 at the server. The authenticator was not told and may still offer it.';
  expect(store.get().runs).toMatchObject([{ title: 'Revoke “Laptop”', kind: 'other', outcome: 'verified', summary }]);
});

test('a session that ends with its passkey is said', async () => {
  const { app, store } = open({ status: 204, answer: undefined }, { token: undefined }, STATE);
  expect(await revoke(app, KEY)).toBe(true);
  const summary =
    'Revoked passkey 2 at the server. The authenticator was not told and may still offer it. Your session ended: its passkey was revoked.';
  expect(store.get()).toMatchObject({ user: undefined, status: summary, runs: [{ summary }] });
  // There was none that could end.
  const other = open({ status: 204, answer: undefined }, { token: undefined, user: undefined }, STATE);
  expect(await revoke(other.app, KEY)).toBe(true);
  expect(other.store.get().status).toBe('Revoked passkey 2 at the server. The authenticator was not told and may still offer it.');
});

const REVOKED = KEYS.map((one) => ({ ...one, revoked_at: '2026-01-15T11:00:00.000Z' }));

test('a passkey is restored here at once, and the others stay revoked', async () => {
  const { app, store, sent } = open({ status: 200, answer: {} }, { passkeys: REVOKED, revokedHere: [3, 2, 1] });
  expect(await restore(app, KEY)).toBe(true);
  expect(sent).toEqual(['POST /dev/passkeys/2/restore', 'GET /dev/state']);
  expect(store.get()).toMatchObject({ revokedHere: [3, 1], passkeys: [REVOKED[0], { ...KEY, revoked_at: null }, REVOKED[2]] });
  const summary = 'Restored passkey 2: the server accepts it again.';
  expect(store.get().runs).toMatchObject([{ title: 'Restore “Laptop”', kind: 'other', outcome: 'verified', summary }]);
});

test('a passkey whose revocation ended the session is restored by its owner, who signs in again', async () => {
  const state = { user: undefined, token: undefined, passkeys: REVOKED };
  const { app, store, sent, asked } = open({ status: 201, answer: { token: 'pk_new' } }, state, { status: 200, answer: {} });
  expect(await restore(app, KEY)).toBe(true);
  expect(sent).toEqual(['POST /dev/sign-in', 'POST /dev/passkeys/2/restore', 'GET /dev/state']);
  expect([asked[0]?.body, store.get().token]).toEqual([{ owner: 'User:1' }, 'pk_new']);
  const refused = open(REFUSED, state);
  expect(await restore(refused.app, KEY)).toBe(false);
  expect(refused.sent).toEqual(['POST /dev/sign-in']);
  expect(refused.store.get()).toMatchObject({ passkeys: REVOKED, runs: [{ outcome: 'rejected', summary: '409 x: Not so.' }] });
});

test('a passkey of an unknown owner is restored without signing in', async () => {
  const { passkeeable_id: _id, passkeeable_type: _type, ...unknown } = KEY;
  const { app, sent } = open({ status: 200, answer: {} }, { user: undefined, token: undefined });
  expect(await restore(app, unknown)).toBe(true);
  expect(sent[0]).toBe('POST /dev/passkeys/2/restore');
});

test.each([
  ['rename', (app: Parameters<typeof rename>[0]) => rename(app, KEY, 'Phone')],
  ['revoke', (app: Parameters<typeof rename>[0]) => revoke(app, KEY)],
  ['restore', (app: Parameters<typeof rename>[0]) => restore(app, KEY)],
])('what the server does not let the user %s stays as it is', async (_, act) => {
  const { app, store } = open(REFUSED);
  expect(await act(app)).toBe(false);
  expect(store.get()).toMatchObject({ revokedHere: [3], passkeys: KEYS, runs: [{ outcome: 'rejected', summary: '409 x: Not so.' }] });
});
