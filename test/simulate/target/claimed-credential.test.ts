import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { asObject } from '../../../src/kernel/json-value.js';
import type { Session } from '../../../src/simulate/target/driver.js';
import { openDriver } from '../../../src/simulate/target/open-driver.js';
import type { TargetProfile } from '../../../src/simulate/target/profile-schema.js';

const PROFILE: TargetProfile = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'lax',
  account: [{ request: 'POST /sign-in', json: { name: '{user.name}' } }],
  registrationOptions: [{ request: 'POST /registration/options' }],
  register: [{ request: 'POST /registration', json: { $: 'credential' } }],
  authenticationOptions: [{ request: 'POST /login/options' }],
  authenticate: [{ request: 'POST /login', json: { $: 'credential' } }],
  whoami: [{ request: 'GET /me', take: { user: 'json name' }, refuse: { 'json name': '-' } }],
};

const OPTIONS = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: 'localhost', name: 'Lax' },
  rpId: 'localhost',
  user: { id: 'dXNlcg', name: 'u', displayName: 'U' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};

/** A server that registers a credential ID as often as it is sent, and signs in who registered it first. Its cookie is the user's name. */
async function startLaxServer(): Promise<string> {
  const owners = new Map<unknown, string>();
  async function answer(request: IncomingMessage): Promise<{ readonly body: object; readonly user?: string | undefined }> {
    const user = /user=(\S+)/.exec(request.headers.cookie ?? '')?.[1];
    if (request.url === '/me') return { body: user === undefined ? {} : { name: user } };
    const sent = asObject(JSON.parse((await text(request)) || '{}'));
    if (request.url === '/sign-in') return { body: {}, user: String(sent.name) };
    if (request.url === '/registration') owners.set(sent.id, owners.get(sent.id) ?? user ?? '');
    return request.url === '/login' ? { body: {}, user: owners.get(sent.id) } : { body: OPTIONS };
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ body, user }) => {
      if (user !== undefined) response.setHeader('set-cookie', `user=${user}`);
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a credential ID that another user registers too still counts as that of the first', async () => {
  const driver = openDriver({ profile: { profile: PROFILE, where: (pointer) => pointer }, url: await startLaxServer() });
  onTestFinished(() => driver.close());
  const credential = { id: 'Y3JlZA', response: {} };
  const sessions: Session[] = [];
  for (const position of [1, 2] as const) {
    const session = await driver.openUser(position);
    if (session === undefined || 'outcome' in session) throw new Error(`Expected a user; got ${session?.said}.`);
    await session.beginRegistration();
    expect(await session.finishRegistration(credential)).toMatchObject({ outcome: 'accepted' });
    sessions.push(session);
  }
  const visit = sessions[0]?.newVisit();
  await visit?.beginAuthentication('discoverable');
  expect(await visit?.finishAuthentication(credential)).toMatchObject({
    outcome: 'accepted',
    signedIn: { user: 'owner', known_by: 'whoami' },
  });
});
