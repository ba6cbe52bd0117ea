import { isObject } from '../../webauthn/json-value.js';
import { getPath } from '../json.js';
import type { FailedCall } from './not-allowed.js';

/** Rules of WebAuthn L3 §10.1.4 (prf) and §10.1.5 (largeBlob) that browsers answer with a bare error name. */
export function extensionMisuse({
  name,
  call,
  allowed,
  extensions,
}: Pick<FailedCall, 'name' | 'call' | 'allowed' | 'extensions'>): string[] {
  const has = (...path: readonly string[]) => getPath(extensions, path) !== undefined;
  const byCredential = getPath(extensions, ['prf', 'evalByCredential']);
  if (call === 'create') {
    return told([
      [isObject(byCredential), 'prf.evalByCredential is for logins: a new passkey has no id yet.'],
      [
        has('largeBlob', 'read') || has('largeBlob', 'write'),
        'largeBlob.read and largeBlob.write are for logins; a registration takes largeBlob.support.',
      ],
    ]);
  }
  return told([
    [has('largeBlob', 'support'), 'largeBlob.support is for registrations; a login takes read or write.'],
    [has('largeBlob', 'read') && has('largeBlob', 'write'), 'largeBlob.read and largeBlob.write were both asked for: one at a time.'],
    [
      has('largeBlob', 'write') && allowed !== 1,
      `largeBlob.write needs an allow list of exactly one passkey; this one has ${allowed}. Log in with a chosen passkey.`,
    ],
    [
      isObject(byCredential) && allowed === 0,
      'prf.evalByCredential needs an allow list. Log in with a chosen passkey, or set allowCredentials.',
    ],
    [
      isObject(byCredential) && allowed > 0 && name === 'SyntaxError',
      'Every key of prf.evalByCredential has to be the id (base64url) of a passkey in the allow list, and at least one of them is not.',
    ],
  ]);
}

function told(rules: readonly (readonly [boolean, string])[]): string[] {
  return rules.filter(([broken]) => broken).map(([, sentence]) => sentence);
}
