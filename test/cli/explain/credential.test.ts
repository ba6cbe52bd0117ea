import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { toHex } from '../../../src/kernel/bytes.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { JSON_SAMPLES } from '../../explain/annotate/samples.js';
import { explain, fixtures, flagsOf, login, registration } from './run-explain.js';

describe('a credential by itself', () => {
  test('is undecided without flags, and each open step names its own', async () => {
    const { code, stdout } = await explain(['l.json', '--json'], { 'l.json': JSON.stringify(login.response) });
    const { verdict, steps }: ExplainDocument = JSON.parse(stdout);
    expect({ code, verdict }).toEqual({ code: 0, verdict: 'undecided' });
    const open = steps.flatMap(
      ({ reason }) => /was not given: `\w+` \((--[\w-]+)\), .*(?:your call|your options|you stored)/.exec(reason ?? '')?.[1] ?? [],
    );
    expect(open).toEqual(['--challenge', '--origin', '--rp-id', '--backup-eligible', '--public-key', '--sign-count']);
  });

  test('of a registration is accepted with the flags of its ceremony', async () => {
    const { code, stdout } = await explain(['r.json', ...flagsOf(registration, false), '--json'], {
      'r.json': JSON.stringify(registration.response),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'accepted',
      library: { verdict: 'accepted' },
      tree: { label: 'registration response' },
    });
  });

  test.each<[string, (challenge: Uint8Array) => string]>([
    ['hexadecimal', toHex],
    ['base64', encodeBase64],
  ])('takes the challenge in %s', async (_, encode) => {
    const flags = flagsOf(login).map((flag) => (flag === login.ceremony.challenge ? encode(Buffer.from(flag, 'base64url')) : flag));
    expect((await explain(['l.json', ...flags], { 'l.json': JSON.stringify(login.response) })).code).toBe(0);
  });

  test('of a login takes the public key from its registration', async () => {
    const made = fixtures.find(({ kind, response }) => kind === 'registration' && response['id'] === login.response['id']);
    const files = { 'l.json': JSON.stringify(login.response), 'r.json': JSON.stringify(made?.response) };
    const { code, stdout } = await explain(['l.json', ...flagsOf(login, false), '--public-key', 'r.json', '--json'], files);
    expect({ code, verdict: JSON.parse(stdout).verdict }).toEqual({ code: 0, verdict: 'accepted' });
  });

  test('of a login takes the public key from a fixture, too', async () => {
    const files = { 'l.json': JSON.stringify(login.response), 'f.json': JSON.stringify(login) };
    const { code, stdout } = await explain(['l.json', ...flagsOf(login, false), '--public-key', 'f.json', '--json'], files);
    expect({ code, verdict: JSON.parse(stdout).verdict }).toEqual({ code: 0, verdict: 'accepted' });
  });

  test.each<[string, string[], string, 'pass' | 'fail']>([
    ['a counter', ['--sign-count', '4000000000'], 'sign-count', 'fail'],
    ['that the user must be verified', ['--require-uv'], 'user-verified', 'pass'],
    ['an embedding page', ['--top-origin', 'https://shop.example'], 'cross-origin', 'pass'],
  ])('is held against the only thing that is known: %s', async (_, flags, slug, status) => {
    const { stdout, stderr } = await explain(['l.json', ...flags, '--json'], { 'l.json': JSON.stringify(login.response) });
    const { steps }: ExplainDocument = JSON.parse(stdout);
    expect(steps.find((step) => step.slug === slug)).toMatchObject({ status });
    expect(steps.find((step) => step.slug === 'signature')).toMatchObject({
      status: 'skip',
      reason: 'the stored public key was not given: `publicKey` (--public-key), `credential.publicKey` in your call',
    });
    expect(stderr).toBe('');
  });

  test.each<[string, (content: string) => Uint8Array | string]>([
    ['UTF-16', (content) => Buffer.from(`\ufeff${content}`, 'utf16le')],
    ['a byte order mark and carriage returns', (content) => `\ufeff${content.replaceAll('\n', '\r\n')}`],
  ])('is read in %s', async (_, encode) => {
    const { code } = await explain(['l.json', ...flagsOf(login)], { 'l.json': encode(JSON.stringify(login.response, null, 2)) });
    expect(code).toBe(0);
  });
});

test('a response that was stringified twice is read, and named', async () => {
  const { code, stdout } = await explain(['l.json', ...flagsOf(login), '--json'], {
    'l.json': JSON.stringify(JSON.stringify(login.response)),
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).observations).toContainEqual({
    slug: 'json-inside-json',
    message:
      'This is JSON inside JSON: call JSON.stringify once. Pass the object itself to JSON.stringify, or to the HTTP client, which may call it too.',
  });
});

test('without an RP ID the tree says whose hash it is, from the origin', async () => {
  const { stdout } = await explain(['l.json'], { 'l.json': JSON.stringify(JSON_SAMPLES.authentication) });
  expect(stdout).toMatch(/rpIdHash .*SHA-256 of "?example\.org/);
});
