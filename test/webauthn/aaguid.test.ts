import { describe, expect, test } from 'vitest';
import { formatAaguid, parseAaguid, providerName } from '../../src/webauthn/aaguid.js';
import { AAGUID_NAMES } from '../../src/webauthn/aaguid-names.js';
import { fc } from '../properties.js';
import { bytes } from './arbitraries.js';

describe('formatAaguid and parseAaguid', () => {
  test('come back as it was', () => {
    fc.assert(
      fc.property(bytes(16, 16), (value) => {
        expect(formatAaguid(value)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(parseAaguid(formatAaguid(value))).toEqual(value);
        expect(parseAaguid(formatAaguid(value).toUpperCase())).toEqual(value);
      }),
    );
  });

  test('keep the order of the bytes', () => {
    expect(formatAaguid(Uint8Array.from({ length: 16 }, (_, index) => index))).toBe('00010203-0405-0607-0809-0a0b0c0d0e0f');
  });

  test.each([0, 15, 17])('refuse %i bytes', (length) => {
    expect(() => formatAaguid(new Uint8Array(length))).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(`got ${length}`) }),
    );
  });

  test.each(['', 'fbfc3007154e4ecc8c0b6e020557d7bd', 'fbfc3007-154e-4ecc-8c0b-6e020557d7b', 'gbfc3007-154e-4ecc-8c0b-6e020557d7bd'])(
    'refuse %j',
    (text) => {
      expect(() => parseAaguid(text)).toThrow(
        expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining('8-4-4-4-12') }),
      );
    },
  );
});

describe('providerName', () => {
  test.each([
    ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'iCloud Keychain'],
    ['FBFC3007-154E-4ECC-8C0B-6E020557D7BD', 'iCloud Keychain'],
    ['ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', 'Google Password Manager'],
    ['08987058-cadc-4b81-b6e1-30de50dcbe96', 'Windows Hello'],
    ['9ddd1817-af5a-4672-a2b9-3e3dd95000a9', 'Windows Hello'],
    ['6028b017-b1d4-4c02-b4b3-afcdafc96bb2', 'Windows Hello'],
    ['bada5566-a7aa-401f-bd96-45619a55120d', '1Password'],
    ['ee882879-721c-4913-9775-3dfcce97072a', 'YubiKey 5 Series'],
    ['58276709-bb4b-4bb3-baf1-60eea99282a7', 'YubiKey Bio Series - Multi-protocol Edition'],
  ])('of %s is %s', (aaguid, name) => {
    expect(providerName(aaguid)).toBe(name);
  });

  test.each(['00000000-0000-0000-0000-000000000000', '01020304-0506-0708-0102-030405060708', 'no AAGUID'])(
    'of %s is not known',
    (aaguid) => {
      expect(providerName(aaguid)).toBeUndefined();
    },
  );
});

describe('AAGUID_NAMES', () => {
  test('has well-formed lines, each AAGUID once', () => {
    expect(AAGUID_NAMES.size).toBeGreaterThan(250);
    for (const [aaguid, name] of AAGUID_NAMES) {
      expect(formatAaguid(parseAaguid(aaguid))).toBe(aaguid);
      expect(name).toMatch(/^\S(.*\S)?$/);
    }
  });
});
