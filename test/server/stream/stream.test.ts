import { describe, expect, test } from 'vitest';
import type { StreamDetail, StreamDocument, StreamEntry } from '../../../src/server/schemas/stream.js';
import { Service } from '../app.js';

async function list(service: Service, headers: Record<string, string> = {}): Promise<StreamEntry[]> {
  return (await service.inject({ url: '/dev/stream', headers })).json<StreamDocument>().entries;
}

async function detail(service: Service, id: string | undefined): Promise<StreamDetail> {
  return (await service.inject({ url: `/dev/stream/${id}` })).json<StreamDetail>();
}

describe('GET /dev/stream', () => {
  test('has a registration while it is open and when it is verified, in one entry', async () => {
    await using service = await Service.start();
    const response = await service.attest();
    const [open, ...none] = await list(service);
    expect(none).toEqual([]);
    expect(open).toMatchObject({ kind: 'registration', state: 'open', via: '/api/passkeys/register/options', user: 'ada@example.com' });
    const reply = await service.post('/api/passkeys/register', response);
    const [verified, ...others] = await list(service);
    expect(others).toEqual([]);
    expect(verified).toMatchObject({
      id: open?.id,
      state: 'verified',
      via: '/api/passkeys/register',
      status: 200,
      passkey: { id: reply.json().passkey.id },
      code: null,
    });
    expect(verified?.request_ids).toHaveLength(2);
    const whole = await detail(service, verified?.id);
    expect(whole).toMatchObject({ method: 'POST', path: '/api/passkeys/register', explanation: { verdict: 'accepted' } });
    expect(whole.explanation?.steps).toHaveLength(29);
    expect(whole.fixture).toMatchObject({ kind: 'registration', expected: { outcome: 'verified' } });
    expect(whole.response).toMatchObject({ id: response.id });
    expect(whole.options).toHaveProperty('challenge');
  });
});
