import { describe, expect, test } from 'vitest';
import type { CeremonyKind } from '../../src/webauthn/enumerations.js';
import { EXTENSION_INPUTS, findBrowserName, findExtensionInput, misusedExtensions } from '../../src/webauthn/extensions.js';

const NOT_SUPPORTED = 'NotSupportedError';
const BY_CREDENTIAL = '/prf/evalByCredential';

describe('misusedExtensions: what the standard has a client refuse', () => {
  // §10.1.4 and §10.1.5, client extension processing.
  test.each<[object, CeremonyKind, readonly string[], readonly string[]]>([
    [{ prf: { eval: {} }, largeBlob: { support: 'required' }, credProps: true }, 'registration', [], []],
    [{ prf: { evalByCredential: {} } }, 'registration', [], [`${BY_CREDENTIAL} ${NOT_SUPPORTED}`]],
    [{ prf: { evalByCredential: { AQID: {} } } }, 'registration', [], [`${BY_CREDENTIAL} ${NOT_SUPPORTED}`]],
    [{ prf: { evalByCredential: {} } }, 'authentication', [], []],
    [{ prf: { evalByCredential: { AQID: {} } } }, 'authentication', [], [`${BY_CREDENTIAL} ${NOT_SUPPORTED}`]],
    [{ prf: { evalByCredential: { AQID: {} } } }, 'authentication', ['AQID', 'BAUG'], []],
    [{ prf: { evalByCredential: { BwgJ: {} } } }, 'authentication', ['AQID', 'BAUG'], [`${BY_CREDENTIAL} SyntaxError`]],
    [{ prf: { evalByCredential: { '': {} } } }, 'authentication', ['AQID'], [`${BY_CREDENTIAL} SyntaxError`]],
    // Bits left over: no encoder writes it.
    [{ prf: { evalByCredential: { AR: {} } } }, 'authentication', ['AQ'], [`${BY_CREDENTIAL} SyntaxError`]],
    [
      { largeBlob: { read: true, write: 'AA' } },
      'registration',
      [],
      [`/largeBlob/read ${NOT_SUPPORTED}`, `/largeBlob/write ${NOT_SUPPORTED}`],
    ],
    [{ largeBlob: { support: 'preferred' } }, 'authentication', ['AQID'], [`/largeBlob/support ${NOT_SUPPORTED}`]],
    [{ largeBlob: { read: true, write: 'AA' } }, 'authentication', ['AQID'], [`/largeBlob ${NOT_SUPPORTED}`]],
    [{ largeBlob: { read: false, write: 'AA' } }, 'authentication', ['AQID'], [`/largeBlob ${NOT_SUPPORTED}`]],
    [{ largeBlob: { write: 'AA' } }, 'authentication', ['AQID'], []],
    [{ largeBlob: { write: 'AA' } }, 'authentication', [], [`/largeBlob/write ${NOT_SUPPORTED}`]],
    [{ largeBlob: { write: 'AA' } }, 'authentication', ['AQID', 'BAUG'], [`/largeBlob/write ${NOT_SUPPORTED}`]],
    [{ prf: 'x', largeBlob: null }, 'authentication', [], []],
  ])('%j at %s with %j', (extensions, ceremony, allowed, expected) => {
    const misuses = misusedExtensions({ ...extensions }, ceremony, allowed);
    expect(misuses.map(({ pointer, error }) => `${pointer} ${error}`)).toEqual(expected);
  });

  test('a sentence says what fits', () => {
    const [misuse] = misusedExtensions({ largeBlob: { support: 'required' } }, 'authentication', []);
    expect(misuse?.message).toBe('largeBlob.support is for registration only; authentication takes largeBlob.read or largeBlob.write.');
  });
});

describe('names of extensions', () => {
  test.each([
    ['hmac-secret', 'prf'],
    ['credProtect', 'credentialProtectionPolicy'],
    ['largeBlobKey', 'largeBlob'],
    ['credBlob', undefined],
    ['prf', undefined],
    ['toString', undefined],
  ])('%s is %s in browsers', (identifier, name) => {
    expect(findBrowserName(identifier)).toBe(name);
  });

  test('an input that the authenticator signs names its authenticator extension', () => {
    for (const name of Object.keys(EXTENSION_INPUTS)) {
      const input = findExtensionInput(name);
      if (input?.output === 'signed') expect([name, input.authenticator]).toEqual([name, expect.any(String)]);
    }
    expect(findExtensionInput('constructor')).toBeUndefined();
  });
});
