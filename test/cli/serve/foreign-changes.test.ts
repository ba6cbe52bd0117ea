import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { followCommands } from '../../../src/cli/serve/foreign-changes.js';
import { openStore } from '../../../src/store/open-store.js';
import { seeded } from '../seeded-store.js';

test('follows what commands change from now on, each change once, and nothing that a server does by itself', async () => {
  const { store, passkey } = await seeded();
  await passkey('revoke', '4', '--yes');
  const opened = await openStore(store, { create: false });
  const next = followCommands(opened.audit ?? expect.unreachable());
  expect(await next()).toEqual([]);
  await passkey('revoke', '1', '--yes', '--reason', 'lost');
  await passkey('token', 'create', '--user', 'Admin:1', '--label', 'ci');
  opened.audit?.append({ ...ENTRY, source: 'passkey serve' });
  opened.audit?.append({ ...ENTRY, source: 'passkey exec' });
  opened.audit?.append({ ...ENTRY, source: 'passkey token create', outcome: 'refused' });
  opened.audit?.append({ ...ENTRY, action: 'import', source: 'passkey store import' });
  await opened.audit?.settled();
  const by = userInfo().username;
  const id = expect.stringMatching(/^command-[0-9a-f]{24}$/);
  const changes = await next();
  expect(changes).toEqual([
    {
      id,
      at: expect.any(Number),
      type: 'revoked',
      via: 'passkey revoke',
      by,
      owner: { type: 'User', id: 1 },
      email: undefined,
      subject: { kind: 'passkey', id: 1, label: 'Phone' },
      rpId: 'example.com',
      revokedPasskeys: [],
      reason: 'lost',
    },
    {
      id,
      at: expect.any(Number),
      type: 'token-created',
      via: 'passkey token create',
      by,
      owner: { type: 'Admin', id: 1 },
      email: undefined,
      subject: { kind: 'token', id: 1, label: 'ci' },
      rpId: undefined,
      revokedPasskeys: [],
      reason: undefined,
    },
  ]);
  expect(new Set(changes.map((change) => change.id)).size).toBe(2);
  await passkey('user', 'remove', 'User:1', '--yes', '--reason', 'left');
  expect(await next()).toMatchObject([
    {
      type: 'user-removed',
      owner: { type: 'User', id: 1 },
      email: 'ada@example.com',
      subject: undefined,
      revokedPasskeys: [2],
      reason: 'left',
    },
  ]);
  expect(await next()).toEqual([]);
  await opened.close();
});

const ENTRY = {
  at: '2026-01-15T10:30:00.000000Z',
  action: 'token-create' as const,
  outcome: 'done' as const,
  code: null,
  via: 'command' as const,
  actor: null,
  os_user: 'ada',
  address: null,
  user_agent: null,
  request_id: null,
  subject: 'User:1',
  email: null,
  passkey_id: null,
  credential_id: null,
  rp_id: null,
  label: null,
  token_id: 7,
  revoked_passkeys: null,
  counts: null,
  reason: null,
  revoked_reason: null,
};
