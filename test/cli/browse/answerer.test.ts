import { describe, expect, test } from 'vitest';
import type { EndedCeremony } from '../../../src/browse/ceremony.js';
import { asObject } from '../../../src/kernel/json-value.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { ACCEPTED, challengeOf, openSite } from './browsed.js';

const answeredChallenge = ({ response }: EndedCeremony) =>
  decodeClientData(decodeBase64url(String(asObject(response?.['response'])['clientDataJSON']))).challenge;
const byWhom = ({ persona, tamper }: EndedCeremony) => [persona, tamper];

describe('who answers', () => {
  test('is a plain authenticator, until a persona is chosen, and plain again', async () => {
    const { answerer, perform } = openSite();
    expect([answerer.persona(), byWhom(await perform('create'))]).toEqual(['plain', ['plain', null]]);
    answerer.choose({ persona: 'icloud-keychain' });
    expect([answerer.persona(), byWhom(await perform('create'))]).toEqual(['icloud-keychain', ['icloud-keychain', null]]);
    answerer.choose({ tamper: 'login.type-other' });
    expect(answerer.persona()).toBe('icloud-keychain');
    answerer.choose({ persona: 'plain' });
    expect([answerer.persona(), byWhom(await perform('create'))]).toEqual(['plain', ['plain', null]]);
  });

  test('is no persona that there is not, and nothing changes', () => {
    const { answerer } = openSite({ persona: 'yubikey-5' });
    expect(() => answerer.choose({ persona: 'toaster' })).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: 'Expected a persona of GET /dev/personas, or plain; got toaster.',
      }),
    );
    expect(answerer.persona()).toBe('yubikey-5');
  });
});

describe('a change of the responses', () => {
  test('of the command line breaks each response of its kind', async () => {
    const { answerer, perform } = openSite({ tamper: 'signature-bit' });
    const always = answerer.tamper();
    expect(always).toEqual({ id: 'signature-bit', kind: 'authentication', title: 'one bit of the signature flipped' });
    expect(byWhom(await perform('create'))).toEqual(['plain', null]);
    for (const _ of [1, 2]) expect(byWhom(await perform('get'))).toEqual(['plain', 'signature-bit']);
    expect(answerer.tamper()).toEqual(always);
  });

  test('that is chosen comes first and breaks one response of its kind; null takes it back', async () => {
    const { answerer, perform } = openSite({ tamper: 'login.signature-bit' });
    await perform('create');
    answerer.choose({ tamper: 'register.origin-other-port' });
    expect(answerer.tamper()).toEqual({
      id: 'register.origin-other-port',
      kind: 'registration',
      title: 'a page on another port of the same host',
    });
    // Another choice leaves it.
    answerer.choose({ persona: 'plain' });
    expect(byWhom(await perform('get'))).toEqual(['plain', 'login.signature-bit']);
    expect(byWhom(await perform('create'))).toEqual(['plain', 'register.origin-other-port']);
    expect(byWhom(await perform('create'))).toEqual(['plain', null]);
    answerer.choose({ tamper: 'login.type-other' });
    answerer.choose({ tamper: null });
    expect(answerer.tamper()).toMatchObject({ id: 'login.signature-bit', kind: 'authentication' });
    expect(openSite().answerer.tamper()).toBeNull();
  });

  test('that does not exist is refused', () => {
    expect(() => openSite({ tamper: 'login.nothing' })).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

test.each([
  ['login.challenge-used', 'get', 2],
  ['login.challenge-expired', 'get', 3],
  ['login.challenge-of-registration', 'get', 1],
  ['register.challenge-used', 'create', 1],
  ['register.challenge-of-login', 'create', 3],
] as const)('%s answers the last challenge of that kind and state at the same RP ID', async (tamper, call, expected) => {
  const { answerer, perform } = openSite();
  await perform('create', { answered: ACCEPTED });
  await perform('get', { answered: ACCEPTED });
  await perform('get');
  // No passkey of this RP ID is there.
  await perform('get', { more: { rpId: 'shop.example.org' } });
  answerer.choose({ tamper });
  const broken = await perform(call);
  expect([broken.tamper, answeredChallenge(broken)]).toEqual([tamper, challengeOf(expected)]);
});

test('without such a challenge, the page gets an exception', async () => {
  const { answerer, perform } = openSite();
  await perform('create', { answered: ACCEPTED });
  answerer.choose({ tamper: 'login.challenge-used' });
  expect((await perform('get')).error).toEqual({
    name: 'NotAllowedError',
    message: expect.stringMatching(/^The mutation login\.challenge-used does not apply here: it needs a login that has been answered/),
  });
});
