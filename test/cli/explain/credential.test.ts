import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { toHex } from '../../../src/kernel/bytes.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { explain, fixtures, flagsOf, login, members, registration } from './run-explain.js';

describe('a credential by itself', () => {
  test('is undecided without flags, and each open step names its own', async () => {
    const { code, stdout } = await explain(['l.json', '--json'], { 'l.json': JSON.stringify(login.response) });
    const { verdict, steps }: ExplainDocument = JSON.parse(stdout);
    expect({ code, verdict }).toEqual({ code: 0, verdict: 'undecided' });
    const open = steps.flatMap(
      ({ reason }) => /was not given: (--[\w-]+), .*(?:your call|your options|you stored)/.exec(reason ?? '')?.[1] ?? [],
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

  test('that cannot be decoded is rejected, and shows the place', async () => {
    const response = { ...registration.response, response: { ...members(registration), attestationObject: 'o2NmbXQ' } };
    const { code, stdout } = await explain(['r.json'], { 'r.json': JSON.stringify(response) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ The attestation object is malformed at byte \d+/);
    expect(stdout).toContain('(attestation-object)');
  });

  test.each<[string, string, unknown, RegExp]>([
    ['missing', 'signature', undefined, /\/response\/signature is missing; send the whole credential/],
    ['an ArrayBuffer', 'authenticatorData', {}, /JSON cannot hold an ArrayBuffer.*credential\.toJSON\(\)/],
    ['text of bytes', 'signature', String.fromCharCode(48, 200, 1), /raw|as characters.*position 1/],
    ['plain JSON', 'clientDataJSON', '{"type":"webauthn.get"}', /plain JSON; encode its bytes/],
    ['an e-mail address', 'userHandle', 'ada@example.com', /"@" at position 3 .*of plain text its UTF-8/],
  ])('with a member that is %s is a wrong input', async (_, name, value, message) => {
    const response = { ...login.response, response: { ...members(login), [name]: value } };
    const { code, stderr } = await explain(['l.json', ...flagsOf(login)], { 'l.json': JSON.stringify(response) });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each<[string, (bytes: Uint8Array) => string, number, RegExp]>([
    ['hexadecimal', toHex, 1, /\/response\/signature is hexadecimal; write the bytes as base64url/],
    ['base64 of base64', (bytes) => encodeBase64(Buffer.from(encodeBase64(bytes))), 1, /signature was encoded twice/],
    ['base64', (bytes) => `${encodeBase64(bytes)}`, 0, /Verdict {2}accepted/],
  ])('whose signature is %s is told so', async (_, encode, code, message) => {
    const signature = encode(Buffer.from(String(members(login)['signature']), 'base64url'));
    const response = { ...login.response, response: { ...members(login), signature } };
    const ran = await explain(['l.json', ...flagsOf(login)], { 'l.json': JSON.stringify(response) });
    expect(ran.code).toBe(code);
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(message.source.replaceAll(' {2}', ' ')));
  });

  test.each<[string, string[], string]>([
    ['another RP ID', ['--rp-id', 'other.example'], 'rp-id-hash'],
    ['another challenge', ['--challenge', 'AAAAAAAAAAAAAAAAAAAAAA'], 'challenge'],
    ['a counter that was further', ['--sign-count', '4000000000'], 'sign-count'],
  ])('is rejected for %s', async (_, flags, slug) => {
    const { code, stdout } = await explain(['l.json', ...flagsOf(login), ...flags, '--json'], { 'l.json': JSON.stringify(login.response) });
    expect(code).toBe(1);
    const { verdict, steps }: ExplainDocument = JSON.parse(stdout);
    expect(verdict).toBe('rejected');
    expect(steps.filter(({ status }) => status === 'fail').map((step) => step.slug)).toContain(slug);
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
      reason: 'the stored public key was not given: --public-key, `credential.publicKey` in your call',
    });
    expect(stderr).toBe('');
  });

  test('of a login that is refused updates no record', async () => {
    const other = fixtures.find(
      ({ kind, credential }) => kind === 'authentication' && credential?.publicKey !== login.credential?.publicKey,
    );
    const key = other?.credential?.publicKey ?? '';
    const { stdout } = await explain(['l.json', ...flagsOf(login), '--public-key', key, '--json'], {
      'l.json': JSON.stringify(login.response),
    });
    const { steps }: ExplainDocument = JSON.parse(stdout);
    expect(steps.find(({ status }) => status === 'fail')?.slug).toBe('signature');
    expect(steps.find(({ slug }) => slug === 'credential-record')).toMatchObject({
      status: 'skip',
      reason: 'done when every step before it passes',
    });
  });

  test.each<[string, (content: string) => Uint8Array | string]>([
    ['UTF-16', (content) => Buffer.from(`\ufeff${content}`, 'utf16le')],
    ['a byte order mark and carriage returns', (content) => `\ufeff${content.replaceAll('\n', '\r\n')}`],
  ])('is read in %s', async (_, encode) => {
    const { code } = await explain(['l.json', ...flagsOf(login)], { 'l.json': encode(JSON.stringify(login.response, null, 2)) });
    expect(code).toBe(0);
  });

  test('is undecided where something that decides is not given', async () => {
    const { code, stdout } = await explain(['l.json', '--rp-id', login.rpId, '--json'], { 'l.json': JSON.stringify(login.response) });
    expect({ code, verdict: JSON.parse(stdout).verdict }).toEqual({ code: 0, verdict: 'undecided' });
  });
});
