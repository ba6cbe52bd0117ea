import type { StreamDetail, StreamEntry } from '../../src/server/schemas/stream.js';

/** A login by curl that went well, as the server tells of it. */
export function streamEntry(id: string, change: Partial<StreamEntry> = {}): StreamEntry {
  return {
    id,
    at: '2026-01-15T10:30:00.000000Z',
    finished_at: '2026-01-15T10:30:01.250000Z',
    kind: 'authentication',
    state: 'verified',
    via: '/api/passkeys/login',
    page: false,
    user_agent: 'curl/8.5.0',
    address: '127.0.0.1',
    request_ids: [`${id}-1`, `${id}-2`],
    rp_id: 'localhost',
    origins: ['http://localhost:7277'],
    owner: 'User:1',
    user: 'ada@example.com',
    passkey: { id: 1, label: 'Laptop' },
    code: null,
    message: null,
    step: null,
    status: 200,
    changed_options: [],
    software: null,
    browser: null,
    ...change,
  };
}

/** The same in full; of what is beside the entry, what is given. */
export function streamDetail(entry: StreamEntry, change: Partial<StreamDetail> = {}): StreamDetail {
  return {
    ...entry,
    method: null,
    path: null,
    title: null,
    options: null,
    response: null,
    change: null,
    explanation: null,
    browser_explanation: null,
    fixture: null,
    why_no_fixture: null,
    ...change,
  };
}
