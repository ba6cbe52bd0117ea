import { expect } from 'vitest';
import type { ForeignChange, OtherProcesses } from '../../../src/server/stream/port.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { collectLog, Service, START } from '../app.js';
import { test } from '../service-test.js';
import { detail, list } from './read.js';

const REVOKED: ForeignChange = {
  id: 'command-1',
  at: START,
  type: 'revoked',
  via: 'passkey revoke',
  by: 'root',
  owner: { type: 'User', id: 1 },
  email: undefined,
  subject: { kind: 'passkey', id: 7, label: 'Phone' },
  rpId: 'app.example.com',
  revokedPasskeys: [],
  reason: 'lost',
};

/** Each of them is told once. */
function telling(...changes: ForeignChange[]): OtherProcesses {
  return { changes: async () => changes.splice(0) };
}

test('a change by another process is an entry of its owner, with who did it', async () => {
  await using service = await Service.start({ settings: { devSignIn: 'off' }, others: telling(REVOKED) });
  const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
  const { token } = await service.accounts.createToken({ owner: eve });
  const own = { authorization: `Bearer ${service.token}` };
  const [entry] = await list(service, own);
  expect(entry).toMatchObject({
    kind: 'change',
    via: 'passkey revoke',
    owner: 'User:1',
    passkey: { id: 7, label: 'Phone' },
    message: 'Passkey 7 "Phone" was revoked by root: lost.',
  });
  expect(await list(service, { authorization: `Bearer ${token}` })).toEqual([]);
  // Its e-mail is looked up.
  expect(await list(service, own)).toMatchObject([{ user: 'ada@example.com' }]);
});

test('a change that is read twice is there once', async () => {
  await using service = await Service.start({ others: telling(REVOKED, REVOKED) });
  expect(await list(service)).toHaveLength(1);
});

test('that it cannot be asked for is said once, and hides nothing else', async () => {
  const { logger, lines } = collectLog('warn');
  const changes = async () => {
    throw new Error('The log is gone.');
  };
  await using service = await Service.start({ logger, others: { changes } });
  await service.register();
  expect(await list(service)).toMatchObject([{ state: 'verified' }]);
  await list(service);
  expect(lines.map(({ msg }) => msg)).toEqual(['Changes by other processes cannot be listed now. The log is gone.']);
});

test('a ceremony that was answered at another server says so, and one that was answered nowhere is expired', async () => {
  const asked: string[][] = [];
  const spent = new Set<string>();
  const spentChallenges = async (challenges: readonly Uint8Array[]) => {
    asked.push(challenges.map((challenge) => encodeBase64url(challenge)));
    return challenges.filter((challenge) => spent.has(encodeBase64url(challenge)));
  };
  await using service = await Service.start({ others: { spentChallenges } });
  await service.register();
  const begin = async () => (await service.post('/api/passkeys/login/options', {}, { token: null })).json().challenge as string;
  const [answered, forgotten] = [await begin(), await begin()];
  spent.add(answered);
  expect((await list(service)).map(({ state }) => state)).toEqual(['open', 'open', 'verified']);
  // Nobody is asked as long as nothing has expired, nor of what was answered here.
  expect(asked).toEqual([]);
  service.clock.now += 600_000;
  const entries = await list(service);
  expect(entries.map(({ state, finished_at: at }) => [state, at !== null])).toEqual([
    ['expired', true],
    ['elsewhere', false],
    ['verified', true],
  ]);
  await list(service);
  expect(asked).toEqual([[answered, forgotten]]);
  expect(await detail(service, entries[1]?.id)).toMatchObject({ response: null, why_no_fixture: 'another process got the response' });
});

test('a second answer, to what another server was answered, is an entry of its own', async ({ service }) => {
  const { credentialId } = await service.register();
  const response = await service.assert(credentialId);
  const challenge = Buffer.from(response.response.clientDataJSON, 'base64url').toString();
  // As another server on the database does.
  await service.store.takeCeremony(new Uint8Array(Buffer.from(JSON.parse(challenge).challenge, 'base64url')), START);
  expect((await service.post('/api/passkeys/verify', response, { token: null })).json().code).toBe('challenge_used');
  expect(await list(service)).toMatchObject([
    { kind: 'authentication', state: 'rejected', code: 'challenge_used' },
    { kind: 'authentication', state: 'elsewhere', code: null },
    { kind: 'registration', state: 'verified' },
  ]);
});
