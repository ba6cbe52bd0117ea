import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { authenticate } from '../../src/page/flow/ceremonies.js';
import type { PasskeyRow } from '../../src/page/state.js';
import { type Answer, tab } from './tab.js';

beforeAll(() => void vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' }));
afterAll(() => void vi.unstubAllGlobals());

const PASSKEY: PasskeyRow = { id: 1, label: 'Laptop', credential_id: 'QUJD', created_at: '' };
const GONE = { status: 404, answer: { code: 'passkey_not_found', detail: 'It was revoked.' } };
const UNAUTHORIZED = { status: 401, answer: { code: 'unauthorized', detail: 'No session.' } };
const USER = { owner: 'User:1', name: 'test', email: 'test@example.com' };

test.each<[string, PasskeyRow | undefined, Record<string, Answer>]>([
  ['at its options', PASSKEY, { '/api/passkeys/verify/options': GONE }],
  [
    'at its response',
    undefined,
    {
      '/api/passkeys/login/options': { status: 200, answer: { challenge: 'AA' } },
      '/dev/answer': { status: 200, answer: { response: { id: 'QUJD' } } },
      '/api/passkeys/login': GONE,
    },
  ],
])(
  'a login refused %s keeps the refusal in the status line, although its session has ended with the passkey',
  async (_case, passkey, answers) => {
    const { app, store } = tab({ answer: (path) => answers[path] ?? UNAUTHORIZED, state: { user: USER, passkeys: [PASSKEY] } });
    await authenticate(app, { passkey, endpoint: 'login' });
    expect(store.get().user).toBeUndefined();
    expect(store.get().runs[0]).toMatchObject({ outcome: 'rejected' });
    expect(store.get().status).toBe('404 passkey_not_found: It was revoked. Your session ended as well. Sign in again.');
  },
);

test('a login refused for another reason says nothing of the session', async () => {
  const { app, store } = tab({
    answer: (path) => (path === '/api/passkeys/verify/options' ? GONE : { status: 200, answer: [] }),
    state: { user: USER, passkeys: [PASSKEY] },
  });
  await authenticate(app, { passkey: PASSKEY, endpoint: 'login' });
  expect(store.get().status).toBe('404 passkey_not_found: It was revoked.');
  expect(store.get().user).toBe(USER);
});
