import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEntry } from '../../src/store/audit/entry.js';
import { createFileAudit } from '../../src/store/audit/file-log.js';
import { recordAudit } from '../../src/store/audit/record-audit.js';
import { temporaryFolder } from '../contract/adapters.js';
import { OWN_ORIGIN, RP_ID, Service, type ServiceOptions } from './app.js';

async function world(options: ServiceOptions = {}) {
  const service = await Service.start(options);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const log = createFileAudit(join(await temporaryFolder(), 'passkeys.jsonl'));
  recordAudit(log, { relyingParty: service.relyingParty, accounts: service.accounts, systemUser: () => 'nobody' });
  const reader = log.read();
  const entries = async () => {
    await log.settled();
    const found: AuditEntry[] = [];
    for await (const entry of reader.readOn()) found.push(entry);
    return found;
  };
  return { service, entries };
}

const AT = '2026-01-15T10:30:00.000000Z';
const api = { at: AT, outcome: 'done', code: null, via: 'api', os_user: null, address: '127.0.0.1', subject: 'User:1' };
const page = { 'x-passkey-page': '1' };

describe('the audit log of what is done over HTTP', () => {
  test('registering, using, renaming, revoking and restoring, each once, with who and how', async () => {
    const { service, entries } = await world();
    const { credentialId, passkey } = await service.register({ label: 'Phone' });
    await service.login(credentialId);
    await service.post('/api/passkeys/verify', await service.assert(credentialId), { token: null, headers: { 'user-agent': 'Test/1' } });
    const headers = { authorization: `Bearer ${service.token}`, 'x-request-id': 'r-7' };
    const url = `/api/passkeys/${passkey.id}`;
    await service.inject({ method: 'PATCH', url, headers, payload: { label: 'Old phone' } });
    await service.inject({ method: 'DELETE', url, headers });
    await service.post(`/dev/passkeys/${passkey.id}/restore`, undefined, { headers: page });
    const about = {
      passkey_id: 1,
      credential_id: Buffer.from(passkey.credential_id, 'base64').toString('base64url'),
      rp_id: RP_ID,
      label: 'Phone',
    };
    const byAda = { ...api, actor: 'User:1', email: 'ada@example.com' };
    const renamed = { ...about, label: 'Old phone', request_id: 'r-7' };
    expect(await entries()).toMatchObject([
      { ...byAda, ...about, action: 'register', source: '/api/passkeys/register' },
      // The passkey proved who it is; nothing looked up the address.
      { ...api, ...about, action: 'authenticate', source: '/api/passkeys/login', actor: 'User:1', email: null, token_id: null },
      { ...api, ...about, action: 'authenticate', source: '/api/passkeys/verify', actor: 'User:1', user_agent: 'Test/1' },
      { ...byAda, ...renamed, action: 'rename', source: '/api/passkeys/:id' },
      { ...byAda, ...renamed, action: 'revoke', source: '/api/passkeys/:id', reason: 'revoked by its user' },
      {
        ...byAda,
        action: 'restore',
        via: 'page',
        source: '/dev/passkeys/:id/restore',
        reason: null,
        revoked_reason: 'revoked by its user',
      },
    ]);
  });

  test('refused ceremonies with their code, and without what an attacker cannot know', async () => {
    const { service, entries } = await world();
    const attestation = await service.attest();
    await service.post('/api/passkeys/register', attestation);
    await service.post('/api/passkeys/register', attestation);
    const assertion = await service.assert(attestation.id);
    await service.post('/api/passkeys/login', assertion, { token: null });
    await service.post('/api/passkeys/login', assertion, { token: null });
    await service.post('/api/passkeys/login', { ...assertion, id: 'AAAA', rawId: 'AAAA' }, { token: null });
    const refused = { ...api, outcome: 'refused' };
    expect(await entries()).toMatchObject([
      { action: 'register', outcome: 'done' },
      { ...refused, action: 'register', code: 'challenge_used', actor: 'User:1', passkey_id: null },
      { action: 'authenticate', outcome: 'done' },
      { ...refused, action: 'authenticate', code: 'challenge_used', actor: null, passkey_id: 1 },
      { ...refused, action: 'authenticate', code: 'passkey_not_found', actor: null, subject: null, passkey_id: null },
    ]);
  });

  test('development sign-in and logout; the page is told by its mark', async () => {
    const { service, entries } = await world();
    const signedIn = await service.post(
      '/dev/sign-in',
      { email: 'new@example.com' },
      { token: null, headers: { ...page, origin: OWN_ORIGIN } },
    );
    expect(signedIn.statusCode).toBe(200);
    const headers = { cookie: Service.cookieOf(signedIn), origin: OWN_ORIGIN };
    await service.inject({ method: 'DELETE', url: '/api/session', headers });
    const signIn = { ...api, via: 'page', source: '/dev/sign-in', subject: 'User:2', actor: null };
    expect(await entries()).toMatchObject([
      { ...signIn, action: 'user-add', email: 'new@example.com' },
      { ...signIn, action: 'session-open', token_id: 2 },
      { ...signIn, action: 'token-create', token_id: 3, label: 'test page' },
      { ...api, action: 'session-end', source: '/api/session', subject: 'User:2', actor: 'User:2', token_id: 2 },
    ]);
  });

  test('a token that a login hands out names its passkey', async () => {
    const { service, entries } = await world({ settings: { authAction: 'token' } });
    const { credentialId } = await service.register();
    await service.login(credentialId);
    expect((await entries()).slice(1)).toMatchObject([
      { ...api, action: 'authenticate', passkey_id: 1 },
      { ...api, action: 'token-create', source: '/api/passkeys/login', actor: 'User:1', passkey_id: 1, token_id: 2, label: 'login' },
    ]);
  });

  test('no secret, and nothing without end', async () => {
    const { service, entries } = await world();
    const attestation = await service.attest();
    await service.post(
      '/api/passkeys/register',
      { ...attestation, label: `${'l'.repeat(198)}😀${'l'.repeat(20)}` },
      { headers: { 'user-agent': 'u'.repeat(400) } },
    );
    const assertion = await service.assert(attestation.id);
    const login = await service.post('/api/passkeys/login', assertion, { token: null });
    const all = await entries();
    expect(all.map(({ label, user_agent: agent }) => [label?.length, agent?.length])).toEqual([
      [199, 200],
      [199, expect.any(Number)],
    ]);
    const text = JSON.stringify(all);
    const { challenge } = JSON.parse(Buffer.from(assertion.response.clientDataJSON, 'base64url').toString()) as { challenge: string };
    const secrets = [service.token, Service.cookieOf(login).split('=')[1] ?? '', challenge, assertion.response.signature];
    expect(secrets.map((secret) => secret.length)).not.toContain(0);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});

test('an authentication is by the user whose passkey answered, not the user whose token came with it', async () => {
  const { service, entries } = await world();
  const { credentialId } = await service.register();
  const owner = await service.accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
  const { token } = await service.accounts.createToken({ owner });
  const sent = await service.post('/api/passkeys/verify', await service.assert(credentialId), { token });
  expect(sent.statusCode).toBe(200);
  expect((await entries()).at(-1)).toMatchObject({ action: 'authenticate', outcome: 'done', subject: 'User:1', actor: 'User:1' });
});
