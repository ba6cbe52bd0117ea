import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  acceptedSignal,
  detailsSignal,
  forget,
  readSignalled,
  sendFromPasskey,
  sendFromRun,
  unknownSignal,
} from '../../src/page/flow/signals.js';
import type { SignalOffer } from '../../src/page/run.js';
import type { PasskeyRow } from '../../src/page/state.js';
import { type Answer, GONE, tab } from './tab.js';

const RANDOM_HANDLE = Buffer.alloc(32, 7).toString('base64url');

const PASSKEY: PasskeyRow = {
  id: 1,
  label: 'Laptop',
  credential_id: 'AQ',
  created_at: '2026-01-15T10:30:00.000000Z',
  rp_id: 'localhost',
  user_handle: RANDOM_HANDLE,
  revoked_at: null,
};
const ADA = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };

describe('signals that the page offers', () => {
  test('lists as accepted all passkeys with the same RP ID and user handle that are not revoked', () => {
    const revoked = { ...PASSKEY, credential_id: 'Ag', revoked_at: PASSKEY.created_at };
    const offer = acceptedSignal(revoked, [
      PASSKEY,
      revoked,
      { ...PASSKEY, credential_id: 'Aw' },
      { ...PASSKEY, credential_id: 'BA', rp_id: 'example.org' },
      { ...PASSKEY, credential_id: 'BQ', user_handle: 'MQ' },
    ]);
    expect(offer?.options).toStrictEqual({ rpId: 'localhost', userId: RANDOM_HANDLE, allAcceptedCredentialIds: ['AQ', 'Aw'] });
    expect(offer?.mayHide).toStrictEqual(['Ag']);
  });

  test.each([
    [
      unknownSignal('localhost', 'AQ'),
      /may permanently delete this passkey for RP ID localhost\. All projects on localhost share this RP ID/,
    ],
    [unknownSignal('example.org', 'AQ'), /for RP ID example\.org\. Every server with this RP ID shares it/],
    [acceptedSignal(PASSKEY, [PASSKEY]), /may permanently delete every passkey .* another store created with the same user handle\.$/],
    [detailsSignal(PASSKEY, ADA), /may change the names .* to ada@example\.com \(Ada\), including passkeys of another project\.$/],
    [
      acceptedSignal({ ...PASSKEY, user_handle: 'MQ' }, []),
      /The handle is short \(1 byte\)\. All projects on localhost share this RP ID and may/,
    ],
    [detailsSignal({ ...PASSKEY, user_handle: 'MTI' }, ADA), /The handle is short \(2 bytes\)\./],
  ])('warns what may be lost: %#', (offer, warning) => {
    expect(offer?.warning).toMatch(warning);
  });

  test('without rp.id or user handle, none refers to the user handle', () => {
    const { rp_id: _rpId, ...withoutRpId } = PASSKEY;
    const { user_handle: _handle, ...withoutHandle } = PASSKEY;
    expect(acceptedSignal(withoutRpId, [PASSKEY])).toBeUndefined();
    expect(detailsSignal(withoutHandle, ADA)).toBeUndefined();
  });
});

test('each signal is whole', () => {
  expect(unknownSignal('localhost', 'AQ', 'About it.')).toEqual({
    method: 'signalUnknownCredential',
    options: { rpId: 'localhost', credentialId: 'AQ' },
    button: 'Tell the authenticator this passkey is unknown',
    warning: 'The authenticator may permanently delete this passkey for RP ID localhost. About it.',
    mayHide: ['AQ'],
  });
  expect(detailsSignal(PASSKEY, ADA)).toEqual({
    method: 'signalCurrentUserDetails',
    options: { rpId: 'localhost', userId: RANDOM_HANDLE, name: 'ada@example.com', displayName: 'Ada' },
    button: 'Tell the authenticator the user’s names',
    warning: expect.stringContaining(RANDOM_HANDLE),
    mayHide: [],
  });
});

test.each([
  [15, 'The handle is short (15 bytes).'],
  [16, undefined],
])('a user handle of %i bytes', (length, short) => {
  const warning = detailsSignal({ ...PASSKEY, user_handle: Buffer.alloc(length, 7).toString('base64url') }, ADA)?.warning ?? '';
  expect(warning.includes('The handle is short')).toBe(short !== undefined);
  expect(warning).toContain(short ?? '');
});

test('a user handle that cannot be read is short', () => {
  expect(detailsSignal({ ...PASSKEY, user_handle: '?' }, ADA)?.warning).toContain('The handle is short (0 bytes).');
});

describe('passkeys that the browser was asked to hide', () => {
  const credential = { signalUnknownCredential: () => Promise.resolve() };
  beforeAll(() => {
    vi.stubGlobal('window', { PublicKeyCredential: credential });
    vi.stubGlobal('PublicKeyCredential', credential);
  });
  afterAll(() => void vi.unstubAllGlobals());

  test('are remembered once, newest last, up to 200', async () => {
    const signalledAfter = async (signalled: readonly string[], id: string) => {
      const { app } = tab({ answer: () => GONE, state: { signalled } });
      await sendFromRun(app, 1, unknownSignal('localhost', id));
      return app.store.get().signalled;
    };
    expect(await signalledAfter(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag', 'AQ']);
    const many = Array.from({ length: 200 }, (_, index) => `id${index}`);
    expect(await signalledAfter(many, 'new')).toStrictEqual([...many.slice(1), 'new']);
  });

  const BUTTON = 'Tell';
  const offered = (method: SignalOffer['method']): SignalOffer => ({
    method,
    options: { rpId: 'localhost' },
    button: BUTTON,
    warning: '',
    mayHide: [],
  });

  test.each([
    [
      'signalUnknownCredential',
      'sent',
      'verified',
      'Sent signalUnknownCredential. Browsers do not report what the authenticator does with it.',
    ],
    ['signalCurrentUserDetails', 'not supported', 'failed', 'This browser has no PublicKeyCredential.signalCurrentUserDetails().'],
  ] as const)('%s is %s', async (method, outcome, ended, summary) => {
    const { app, store } = tab({ answer: () => GONE });
    await sendFromPasskey(app, PASSKEY, offered(method));
    const [run] = store.get().runs;
    expect(run).toMatchObject({ title: 'Tell: “Laptop”', kind: 'other', outcome: ended, summary });
    expect(run?.legs).toEqual([{ kind: 'signal', method, options: { rpId: 'localhost' }, outcome, detail: undefined }]);
    await sendFromRun(app, run?.id ?? 0, offered(method));
    expect(store.get()).toMatchObject({ status: summary, statusFailed: outcome !== 'sent' });
    expect(store.get().runs[0]?.legs).toHaveLength(2);
  });

  test.each([
    [new TypeError('It is none.'), 'TypeError: It is none.'],
    [new DOMException('It may not.', 'SecurityError'), 'SecurityError: It may not.'],
    ['?', '?'],
  ])('a signal that throws %s failed', async (thrown, said) => {
    const throwing = { signalUnknownCredential: () => Promise.reject(thrown) };
    vi.stubGlobal('PublicKeyCredential', throwing);
    onTestFinished(() => void vi.stubGlobal('PublicKeyCredential', credential));
    const { app, store } = tab({ answer: () => GONE });
    await sendFromPasskey(app, PASSKEY, { ...offered('signalUnknownCredential'), mayHide: ['AQ'] });
    expect(store.get().runs[0]).toMatchObject({ outcome: 'failed', summary: `signalUnknownCredential failed. ${said}` });
    expect(store.get().signalled).toEqual([]);
  });

  test.each<[string, Answer, string, string]>([
    ['cannot be read', GONE, 'unanswered', 'The server did not answer. Nothing was sent.'],
    [
      'is that of another user',
      { status: 200, answer: [{ ...PASSKEY, credential_id: 'Ag' }] },
      'failed',
      "The server's list belongs to another user or store: “Laptop” is not in it. Nothing was sent.",
    ],
  ])('the list of accepted passkeys is not sent where it %s', async (_, answer, outcome, summary) => {
    const { app, store, asked } = tab({ answer: () => answer });
    await sendFromPasskey(app, PASSKEY, offered('signalAllAcceptedCredentials'));
    expect(asked).toMatchObject([{ path: '/dev/passkeys?all=1' }]);
    expect(store.get().runs[0]).toMatchObject({ outcome, summary, legs: [{ kind: 'http' }] });
  });

  test('the list of accepted passkeys is that of the server, now', async () => {
    const sent: unknown[] = [];
    const accepting = { signalAllAcceptedCredentials: async (options: object) => void sent.push(options) };
    vi.stubGlobal('PublicKeyCredential', accepting);
    onTestFinished(() => void vi.stubGlobal('PublicKeyCredential', credential));
    const revoked = { ...PASSKEY, id: 3, credential_id: 'Aw', revoked_at: PASSKEY.created_at };
    const { app, store } = tab({ answer: () => ({ status: 200, answer: [PASSKEY, { ...PASSKEY, id: 2, credential_id: 'Ag' }, revoked] }) });
    await sendFromPasskey(app, PASSKEY, offered('signalAllAcceptedCredentials'));
    expect(sent).toEqual([{ rpId: 'localhost', userId: RANDOM_HANDLE, allAcceptedCredentialIds: ['AQ', 'Ag'] }]);
    expect(store.get().runs[0]).toMatchObject({
      outcome: 'verified',
      summary: expect.stringContaining('Sent signalAllAcceptedCredentials.'),
    });
    const detail = 'Restoring a passkey on the server does not bring back what the authenticator has deleted.';
    expect(store.get().runs[0]?.legs.at(-1)).toMatchObject({ outcome: 'sent', detail });
    expect(store.get().signalled).toEqual(['Aw']);
  });

  test('a passkey without an RP ID keeps the list that was offered', async () => {
    const sent: unknown[] = [];
    vi.stubGlobal('PublicKeyCredential', { signalAllAcceptedCredentials: async (options: object) => void sent.push(options) });
    onTestFinished(() => void vi.stubGlobal('PublicKeyCredential', credential));
    const { rp_id: _, ...unknown } = PASSKEY;
    const { app, store } = tab({ answer: () => ({ status: 200, answer: [PASSKEY] }) });
    await sendFromPasskey(app, unknown, offered('signalAllAcceptedCredentials'));
    expect(sent).toEqual([{ rpId: 'localhost' }]);
    expect(store.get().runs[0]).toMatchObject({ outcome: 'verified', legs: [{ kind: 'http' }, { kind: 'signal', detail: undefined }] });
  });

  test('are forgotten when they have answered', () => {
    expect(forget(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag']);
  });

  test.each([
    ['["AQ"]', ['AQ']],
    [undefined, []],
    ['{', []],
    ['[1]', []],
    ['"AQ"', []],
    ['["AQ",1]', []],
    ['null', []],
  ])('are read from %s', (text, ids) => {
    expect(readSignalled(text)).toStrictEqual(ids);
  });
});
