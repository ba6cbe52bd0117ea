import { describe, expect, test } from 'vitest';
import { setPath } from '../../src/page/json.js';
import { AUTHENTICATION_FIELDS, REGISTRATION_FIELDS } from '../../src/page/setup/fields.js';
import { remarksOn } from '../../src/page/setup/remarks.js';

describe('remarksOn', () => {
  test.each([
    [
      'registration',
      { challenge: 'AA', rp: {}, user: {} },
      ['challenge', 'rp', 'user'].map((name) => `${name} is the server’s own; what stands here is not used.`),
    ],
    ['authentication', { challenge: 'x' }, ['challenge is the server’s own; what stands here is not used.']],
    ['registration', { attestion: 'direct' }, ['attestion is no member of these options; browsers pass over it.']],
    ['authentication', { attestation: 'direct' }, ['attestation is no member of these options; browsers pass over it.']],
    [
      'registration',
      { extensions: { credProtect: 1 } },
      ['extensions.credProtect is not known here; in browsers it goes by credentialProtectionPolicy.'],
    ],
    ['registration', { extensions: { nonsense: 1 } }, ['extensions.nonsense is not known here; browsers pass over what they do not know.']],
    [
      'registration',
      { extensions: { constructor: 1 } },
      ['extensions.constructor is not known here; browsers pass over what they do not know.'],
    ],
    ['registration', { extensions: { remoteClientDataJSON: '{}' } }, []],
    ['registration', { extensions: 5 }, []],
  ] as const)('%s %j', (dictionary, options, remarks) => {
    expect(remarksOn(dictionary, options)).toStrictEqual(remarks);
  });

  test.each([
    ['registration', REGISTRATION_FIELDS],
    ['authentication', AUTHENTICATION_FIELDS],
  ] as const)('has nothing to say about what the form for %s writes', (dictionary, groups) => {
    const options = groups.flatMap(({ fields }) => fields).reduce((all, { path }) => setPath(all, path, 'x'), {});
    expect(remarksOn(dictionary, options)).toStrictEqual([]);
  });
});
