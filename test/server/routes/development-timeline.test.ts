import { describe, expect } from 'vitest';
import { Service } from '../app.js';
import { test } from '../service-test.js';

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly text: string;
}

/** What the stream held by the time the server was closed. */
async function read(service: Service, requests: readonly { readonly url: string; readonly headers?: Record<string, string> }[]) {
  const streams = await Promise.all(requests.map((request) => service.app.inject({ ...request, payloadAsStream: true })));
  const texts = streams.map(async (reply) => (await reply.stream().toArray()).map(String).join(''));
  await service.app.close();
  return (await Promise.all(texts)).map((text) =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block): Entry => {
        const line = (name: string) => block.split('\n').find((one) => one.startsWith(`${name}: `)) ?? '';
        return { id: line('id').slice(4), type: line('event').slice(7), text: line('data').slice(6) };
      }),
  );
}

const types = (entries: readonly Entry[] = []) => entries.map(({ type }) => type);

describe('GET /dev/events, what was missed', () => {
  test('plainly nothing, with an id of another server everything kept, with one of its own what came after', async ({ service }) => {
    const { passkey } = await service.register();
    await service.relyingParty.revoke(passkey.id, {});
    const known = `${service.clock.now.toString(36)}-2`;
    const [live, all, rest, header] = await read(service, [
      { url: '/dev/events' },
      { url: '/dev/events?after=0' },
      { url: `/dev/events?after=${known}` },
      { url: '/dev/events?after=0', headers: { 'last-event-id': known } },
    ]);
    expect(live).toEqual([]);
    expect(types(all)).toEqual(['ceremony-begun', 'ceremony-finished', 'passkey-revoked']);
    expect(all?.[1]?.id).toBe(known);
    expect(types(rest)).toEqual(['passkey-revoked']);
    expect(header).toEqual(rest);
  });

  test('keeps the last 200, and names who asked by the request id it was sent', async ({ service }) => {
    for (let turn = 0; turn < 205; turn++) {
      const headers = { 'x-request-id': `page-${turn}` };
      await service.post('/api/passkeys/login/options', {}, { token: null, headers });
    }
    const [all = []] = await read(service, [{ url: '/dev/events?after=0' }]);
    expect(all).toHaveLength(200);
    expect(all[0]?.id).toBe(`${service.clock.now.toString(36)}-6`);
    expect(JSON.parse(all.at(-1)?.text ?? '')).toMatchObject({ context: { request_id: 'page-204', via: '/api/passkeys/login/options' } });
  });
});
