import { expect, it } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';
import type { Fixture } from '../../src/fixture/format.js';
import { recordCeremony } from '../../src/fixture/recorded-ceremony.js';
import { startInProcess } from '../../src/simulate/in-process.js';
import { replayVerbatim } from '../../src/simulate/replay-verbatim.js';
import { OWN_ORIGIN, Service } from '../server/app.js';

it.each([true, false])('what the FIDO server API recorded replays over the API (discoverable: %s)', async (residentKey) => {
  await using service = await Service.start({ settings: { fidoApi: true } });
  const fixtures: Fixture[] = [];
  service.relyingParty.on((event) => {
    if (event.type !== 'ceremony-finished') return;
    const recorded = recordCeremony(event, { tool: 'test', version: '0' });
    if (recorded.status === 'recorded') fixtures.push(recorded.fixture);
  });
  const client = createClient({ authenticator: createAuthenticator({ residentKey, attestation: 'packed' }), origin: OWN_ORIGIN });
  let cookie = '';
  const post = async (url: string, body: unknown) => {
    const reply = await service.post(url, body, { token: null, headers: cookie === '' ? {} : { cookie } });
    const [set] = reply.cookies;
    if (set) cookie = `${set.name}=${set.value}`;
    return reply.json();
  };
  const authenticatorSelection = { requireResidentKey: residentKey, userVerification: 'required' };
  const creation = await post('/attestation/options', {
    username: 'ada',
    displayName: 'Ada',
    attestation: 'direct',
    authenticatorSelection,
  });
  await post('/attestation/result', await client.create({ publicKey: creation }));
  const request = await post('/assertion/options', { username: 'ada', userVerification: 'required' });
  await post('/assertion/result', await client.get({ publicKey: request }));

  expect(fixtures.map(({ kind, expected, ceremony }) => [kind, expected.outcome, ceremony.discoverable])).toEqual([
    ['registration', 'verified', undefined],
    ['authentication', 'verified', false],
  ]);
  const server = startInProcess();
  try {
    for (const fixture of fixtures) expect(await replayVerbatim(fixture, server)).toEqual({ status: 'passed' });
  } finally {
    await server.close();
  }
});
