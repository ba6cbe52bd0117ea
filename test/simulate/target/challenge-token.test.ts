import { describe, expect, test } from 'vitest';
import { findToken } from '../../../src/simulate/target/challenge-token.js';

const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const NOW = Date.UTC(2026, 10, 28);
const SECONDS = NOW / 1000;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object) => `${encode({ alg: 'HS256' })}.${encode(claims)}.${Buffer.alloc(32, 9).toString('base64url')}`;
const variable = (text: unknown, name = 'state') => findToken(CHALLENGE, { now: NOW, variables: [[name, text]], cookies: [] });
const cookie = (text: string) => findToken(CHALLENGE, { now: NOW, variables: [], cookies: [['ceremony', text]] });
const itself = (challenge: string) => findToken(challenge, { now: NOW, variables: [], cookies: [] });

const JWT = jwt({ challenge: CHALLENGE, iat: SECONDS - 10, exp: SECONDS + 290 });

describe('a token in which the client keeps the challenge', () => {
  test.each([
    ['a JWT', JWT, 300_000],
    ['a JWT that does not say when it was made', jwt({ c: CHALLENGE, exp: SECONDS + 60 }), 60_000],
    ['a JWT without an end', jwt({ challenge: CHALLENGE }), undefined],
    ['JSON in base64 with milliseconds', encode({ challenge: CHALLENGE, expires: NOW + 5_000 }), 5_000],
    ['JSON with a date', JSON.stringify({ challenge: CHALLENGE, expiresAt: new Date(NOW + 7_000).toISOString() }), 7_000],
    ['an encoded JSON', encodeURIComponent(JSON.stringify({ challenge: CHALLENGE, expires_at: String(SECONDS + 8) })), 8_000],
    ['the challenge with a signature', `${CHALLENGE}.${Buffer.alloc(32, 3).toString('base64url')}`, undefined],
    ['an encrypted text', `Fe26.2**${Buffer.alloc(160, 0xfb).toString('base64url')}`, undefined],
  ])('is found, with its lifetime, in %s', (_, text, lifetime) => {
    expect(variable(text)).toEqual({ in: 'variable', name: 'state', text, lifetime });
    expect(cookie(text)).toEqual({ in: 'cookie', name: 'ceremony', text, lifetime });
  });

  test.each([
    ['the ID of a session', 's:mXQ8j7b2Wk1v0c9Zx3n5h6u4y1r8t2e0.Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'],
    ['a JWT of something else', jwt({ sub: 'one'.repeat(60), exp: SECONDS + 60 })],
    ['another number of a ceremony', '7277'],
    ['a broken escape', '%E0%A4%A'],
    ['a number', 7277],
    ['nothing', undefined],
  ])('is not %s', (_, text) => {
    expect(variable(text)).toBeUndefined();
    if (typeof text === 'string') expect(cookie(text)).toBeUndefined();
  });

  test('is the challenge where that says something, or has more bytes than random ones', () => {
    const said = Buffer.from(JWT).toString('base64url');
    expect(itself(said)).toEqual({ in: 'challenge', name: 'challenge', text: said, lifetime: 300_000 });
    const signed = Buffer.alloc(72, 0xfb).toString('base64url');
    expect(itself(signed)).toEqual({ in: 'challenge', name: 'challenge', text: signed, lifetime: undefined });
    expect(itself(CHALLENGE)).toBeUndefined();
    expect(itself(Buffer.alloc(64, 0xfb).toString('base64url'))).toBeUndefined();
    expect(itself(Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url'))).toBeUndefined();
  });

  test('is the one that holds the challenge, where there are several', () => {
    const sealed = Buffer.alloc(160, 0xfb).toString('base64url');
    const variables = [['csrf', sealed] as const, ['state', JWT] as const];
    expect(findToken(CHALLENGE, { now: NOW, variables, cookies: [] })).toMatchObject({ name: 'state' });
  });
});
