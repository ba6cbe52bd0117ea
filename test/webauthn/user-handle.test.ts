import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from '../../src/kernel/bytes.js';
import { encodeUserHandle } from '../../src/webauthn/user-handle.js';

describe('encodeUserHandle', () => {
  test.each([
    ['User', 7, '7'],
    ['Admin', 7, 'Admin:7'],
    ['App\\Models\\User', 12, 'App\\Models\\User:12'],
    ['é'.repeat(20), Number.MAX_SAFE_INTEGER, `${'é'.repeat(20)}:9007199254740991`],
  ])('of %s %i', (type, id, expected) => {
    const handle = encodeUserHandle({ type, id }, 'User');
    expect(decodeUtf8(handle)).toBe(expected);
    expect(handle.length).toBeLessThanOrEqual(64);
  });

  test.each([
    ['', '"" has 0'],
    ['é'.repeat(21), 'has 42'],
  ])('refuses the type %j', (type, detail) => {
    expect(() => encodeUserHandle({ type, id: 1 }, 'User')).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(detail) }),
    );
  });
});
