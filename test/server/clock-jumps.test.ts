import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { type Client, createClient } from '../../src/client/client.js';
import type { AuthenticationResponseJSON } from '../../src/webauthn/json.js';
import { jsonFile, memory } from '../contract/adapters.js';
import { Random } from '../fuzz/random.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service, START } from './app.js';

const HOUR = 3_600_000;
/** Within the lifetime of a challenge, beyond it, and beyond that of sessions; forward and back. */
const JUMPS = [0, 1_000, -1_000, 180_000, HOUR, -HOUR, 5 * HOUR, -7 * HOUR, 40 * 24 * HOUR, -40 * 24 * HOUR];

interface Registered {
  readonly id: number;
  readonly client: Client;
  readonly credentialId: string;
  revoked: boolean;
}

describe.each([memory, jsonFile])('a clock that is set forward and back, on $name', ({ open }) => {
  test('gives no challenge twice, brings nothing back that was revoked, and reuses no id', async () => {
    const store = await open();
    await using service = await Service.start({ store: () => store });
    const random = new Random(20_261_122, 1);
    const authorization = `Bearer ${service.token}`;
    const passkeys: Registered[] = [];
    const spent: AuthenticationResponseJSON[] = [];
    const answers = new Map<string, number>();
    const jump = () => {
      service.clock.now = START + random.pick(JUMPS);
    };
    const post = async (path: string, body: object) => {
      const reply = await service.post(`/api/passkeys/${path}`, body);
      const { code = 'ok' }: { readonly code?: string } = reply.json();
      answers.set(code, 1 + (answers.get(code) ?? 0));
      return { reply, code };
    };

    for (let round = 0; round < 60; round += 1) {
      jump();
      const passkey = passkeys.length === 0 || random.oneIn(5) ? undefined : random.pick(passkeys);
      if (passkey === undefined) {
        const { reply } = await post('register/options', { app_name: 'App', app_url: APP_URL });
        // Another passkey of the user would replace the one before in the same authenticator.
        const client = createClient({ authenticator: createAuthenticator(), origin: APP_ORIGIN });
        const response = await client.create({ publicKey: { ...reply.json(), excludeCredentials: [] } });
        jump();
        const ended = await post('register', response);
        expect(['ok', 'challenge_expired', 'challenge_unknown']).toContain(ended.code);
        if (ended.code !== 'ok') continue;
        const { id } = ended.reply.json().passkey;
        expect(id).toBeGreaterThan(passkeys.at(-1)?.id ?? 0);
        passkeys.push({ id, client, credentialId: response.id, revoked: false });
      } else if (random.oneIn(8)) {
        const reply = await service.inject({ method: 'DELETE', url: `/api/passkeys/${passkey.id}`, headers: { authorization } });
        expect(reply.statusCode).toBe(passkey.revoked ? 404 : 204);
        passkey.revoked = true;
      } else {
        const { reply, code } = await post('verify/options', { credential_id: passkey.credentialId });
        expect(code).toBe(passkey.revoked ? 'passkey_not_found' : 'ok');
        if (passkey.revoked) continue;
        const response = await passkey.client.get({ publicKey: { rpId: RP_ID, ...reply.json() } });
        jump();
        const { code: outcome } = await post('login', response);
        expect(['ok', 'challenge_expired', 'challenge_unknown']).toContain(outcome);
        spent.push(response);
      }
      if (spent.length === 0) continue;
      jump();
      const { code } = await post('login', random.pick(spent));
      expect(['challenge_used', 'challenge_unknown', 'challenge_expired', 'passkey_not_found']).toContain(code);
    }
    for (const code of ['ok', 'challenge_used', 'challenge_expired', 'challenge_unknown', 'passkey_not_found']) {
      expect(answers.get(code), `answers with ${code}`).toBeGreaterThan(0);
    }
    const kept = await store.listPasskeys({ revoked: true });
    expect(kept.map(({ id, revokedAt }) => ({ id, revoked: revokedAt !== undefined }))).toEqual(
      passkeys.map(({ id, revoked }) => ({ id, revoked })),
    );
  });

  test('ends a session that has expired, and counts its time from when it was opened', async () => {
    const store = await open();
    await using service = await Service.start({ store: () => store });
    const { credentialId } = await service.register();
    const cookie = Service.cookieOf(await service.login(credentialId));
    const statusAt = async (now: number) => {
      service.clock.now = now;
      return (await service.inject({ method: 'GET', url: '/api/session', headers: { cookie } })).statusCode;
    };
    expect(await statusAt(START - 7 * HOUR)).toBe(200);
    expect(await statusAt(START + 1_000)).toBe(200);
    expect(await statusAt(START + 400 * 24 * HOUR)).toBe(401);
    // Others come and go meanwhile, also in the order of a clock that runs back.
    for (const now of [START + 400 * 24 * HOUR, START - 400 * 24 * HOUR, START]) {
      service.clock.now = now;
      expect((await service.login(credentialId)).statusCode).toBe(200);
    }
    expect((await store.findPasskeyByCredentialId(Buffer.from(credentialId, 'base64url')))?.lastUsedAt).toBe(START);
  });
});
