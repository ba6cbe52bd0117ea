import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { cooperativeUser, scriptedUser, type UserPrompt } from '../../src/authenticator/user-verifier.js';
import { getRequest, granted, makeRequest, RP_ID, user, withCredential } from './requests.js';

describe('createAuthenticator', () => {
  test('says what it is', () => {
    const extensions = ['credProtect', 'prf', 'largeBlob', 'credBlob', 'minPinLength', 'hmac-secret', 'hmac-secret-mc'];
    const pins = { pinNotSet: false, pinUvAuthProtocols: [2, 1] };
    expect(createAuthenticator().info).toEqual({
      extensions,
      ...pins,
      attachment: 'platform',
      transports: ['internal'],
      residentKey: true,
      userVerification: true,
    });
    const userVerifier = scriptedUser('verified', 'present');
    const { info } = createAuthenticator({ userVerifier, attachment: 'cross-platform', transports: ['usb'], residentKey: false });
    expect(info).toEqual({
      extensions,
      ...pins,
      attachment: 'cross-platform',
      transports: ['usb'],
      residentKey: false,
      userVerification: true,
    });
  });

  test('discovers what is discoverable, newest first', async () => {
    const { authenticator } = await withCredential();
    granted(await authenticator.makeCredential(makeRequest({ user: user('2') })));
    granted(await authenticator.makeCredential(makeRequest({ user: user('3'), requireResidentKey: false })));
    expect(await authenticator.discover(RP_ID)).toMatchObject([
      { rpId: RP_ID, userHandle: user('2').id, name: '2@example.com', displayName: '2' },
      { rpId: RP_ID, userHandle: user('1').id, name: '1@example.com', displayName: '1' },
    ]);
    expect(await authenticator.discover('other.example')).toEqual([]);
  });

  test('asks its user with all that the client requests', async () => {
    const asked: unknown[] = [];
    const verify = (prompt: UserPrompt) => {
      asked.push(prompt);
      return 'verified' as const;
    };
    const { signal } = new AbortController();
    const { authenticator } = await withCredential(
      { userVerifier: { canVerify: true, verify } },
      { signal, requireUserVerification: false },
    );
    granted(await authenticator.getAssertion(getRequest({ signal })));
    granted(await authenticator.getAssertion(getRequest({ requireUserVerification: false })));
    granted(await authenticator.getAssertion(getRequest({ requireUserPresence: false, requireUserVerification: false })));
    expect(asked).toEqual([
      { operation: 'create', rpId: RP_ID, userVerification: false, signal },
      { operation: 'get', rpId: RP_ID, userVerification: true, signal },
      { operation: 'get', rpId: RP_ID, userVerification: false },
    ]);
  });

  describe('users', () => {
    const prompt = { operation: 'get', rpId: RP_ID, userVerification: true } as const;

    test('a script runs to its end and stays there', () => {
      const scripted = scriptedUser('verified', 'denied', 'present');
      expect([1, 2, 3, 4].map(() => [scripted.canVerify, scripted.verify(prompt)])).toEqual([
        [true, 'verified'],
        [true, 'denied'],
        [false, 'present'],
        [false, 'present'],
      ]);
      expect(() => scriptedUser()).toThrow(TypeError);
    });

    test('a cooperative user does what is asked', () => {
      expect(cooperativeUser().verify(prompt)).toBe('verified');
      expect(cooperativeUser().verify({ ...prompt, userVerification: false })).toBe('present');
      expect(cooperativeUser({ canVerify: false }).verify(prompt)).toBe('present');
    });
  });
});
