import { describe, expect, test } from 'vitest';
import { timelineEntry } from '../../src/page/timeline.js';

const isOwn = (requestId: string) => requestId.startsWith('page-me-');
const PASSKEY = { id: 3, label: 'Blue key', credential_id: 'AQ==', created_at: '2026-01-15T10:30:00.000000Z' };
const FINISHED = {
  type: 'ceremony-finished',
  at: '2026-01-15T10:30:00.000000Z',
  kind: 'authentication',
  outcome: 'verified',
  owner: 'User:1',
  passkey: PASSKEY,
  context: { request_id: 'page-me-7', via: '/api/passkeys/login', user_agent: 'UA', address: '127.0.0.1' },
};
const read = (event: object) => timelineEntry('x-1', JSON.stringify(event), isOwn);

describe('timelineEntry', () => {
  test('tells a ceremony that was verified', () => {
    expect(read(FINISHED)).toStrictEqual({
      id: 'x-1',
      at: '2026-01-15T10:30:00.000000Z',
      outcome: 'verified',
      sentence: 'Authentication with “Blue key” (passkey 3) of User:1.',
      owner: 'User:1',
      own: true,
      via: '/api/passkeys/login',
      userAgent: 'UA',
      problem: undefined,
    });
  });

  test('tells a refusal with its step, of whomever it may be', () => {
    const refused = {
      ...FINISHED,
      kind: 'registration',
      outcome: 'rejected',
      owner: null,
      passkey: null,
      code: 'origin_mismatch',
      message: '§7.1 step 9 (origin): expected a; received b.',
      step: { section: '7.1', number: 9 },
      context: { request_id: 'other', via: null, user_agent: null },
    };
    expect(read(refused)).toMatchObject({
      outcome: 'rejected',
      sentence: 'Registration: origin_mismatch',
      own: false,
      via: undefined,
      problem: { code: 'origin_mismatch', step: { section: '7.1', number: 9 } },
    });
    expect(read({ ...refused, step: null })?.sentence).toBe('Registration: §7.1 step 9 (origin): expected a; received b.');
  });

  test.each([
    ['passkey-renamed', 'renamed'],
    ['passkey-revoked', 'revoked'],
    ['passkey-restored', 'restored'],
  ])('%s', (type, change) => {
    expect(read({ ...FINISHED, type })).toMatchObject({
      outcome: 'changed',
      sentence: `“Blue key” (passkey 3) of User:1 was ${change}.`,
    });
  });

  test.each(['{', '[]', '{"type":"ceremony-begun"}', '{"type":"something-new"}'])('shows nothing of %s', (data) => {
    expect(timelineEntry('x-1', data, isOwn)).toBeUndefined();
  });
});
