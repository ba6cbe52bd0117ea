import { expect, test } from 'vitest';
import { encodeUtf8, toHex } from '../../src/kernel/bytes.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import { findMisreading } from '../../src/webauthn/text-encoding.js';

// Of each length, as hexadecimal may lose its last digit when it is read as base64url.
test.each([0, 1, 2, 3, 4, 5])('client data that were written otherwise, with %i more characters', (more) => {
  const bytes = encodeUtf8(JSON.stringify({ type: 'webauthn.get', challenge: 'A'.repeat(32 + more), origin: 'https://example.org' }));
  const asRead = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  expect(findMisreading(asRead(toHex(bytes)), decodeClientData)).toBe('hexadecimal');
  expect(findMisreading(asRead(toHex(bytes).toUpperCase()), decodeClientData)).toBe('hexadecimal');
  expect(findMisreading(encodeUtf8(encodeBase64url(bytes)), decodeClientData)).toBe('encoded-twice');
  expect(findMisreading(bytes.slice(1), decodeClientData)).toBeUndefined();
});
