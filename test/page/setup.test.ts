import { describe, expect, test } from 'vitest';
import { blockedBecause } from '../../src/page/flow/ceremonies.js';
import { setPath } from '../../src/page/json.js';
import { remarksOn } from '../../src/page/setup/own-options.js';
import { PLAIN_SETUP, parseDictionary, setupFromFragment, setupToFragment, withGivenSelection } from '../../src/page/setup/setup.js';
import {
  AS_IN_JSON,
  isChanged,
  listCredentials,
  listedCredentials,
  NOT_SENT,
  readControl,
  resetControl,
  writeControl,
} from '../../src/page/setup/values.js';
import { unverifiable } from '../../src/page/setup/verifiable.js';
import { AUTHENTICATION_FIELDS, REGISTRATION_FIELDS } from '../../src/server/option-form/fields.js';
import type { OptionField } from '../../src/server/schemas/option-form.js';
import { VERIFIABLE } from '../../src/server/verifiable.js';
import { EXTENSION_INPUTS, findExtensionInput } from '../../src/webauthn/extensions.js';

const DICTIONARIES = { registration: REGISTRATION_FIELDS, authentication: AUTHENTICATION_FIELDS } as const;
const fieldsOf = (dictionary: keyof typeof DICTIONARIES) =>
  DICTIONARIES[dictionary].flatMap(({ fields, rare = [] }) => [...fields, ...rare]);
const FIELDS = [...fieldsOf('registration'), ...fieldsOf('authentication')];
/** What a server sends by itself. */
const OWN = {
  pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
  timeout: 60_000,
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  attestation: 'none',
};

function field(label: string): OptionField {
  const found = FIELDS.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no field ${label}`);
  return found;
}

describe('the setup in the address', () => {
  test('is empty for the plain setup', () => {
    expect(setupToFragment(PLAIN_SETUP)).toBe('');
    expect(setupFromFragment('')).toStrictEqual({ setup: PLAIN_SETUP, problems: [] });
  });

  test('survives a round trip', () => {
    const setup = {
      registration: { attestation: 'direct', extensions: { prf: { eval: { first: 'w6Q' } } } },
      authentication: { allowCredentials: [], timeout: 5000 },
      appName: 'Ä & Co #1',
      appUrl: 'https://example.com/?a=b',
      autofill: true,
    };
    expect(setupFromFragment(`#${setupToFragment(setup)}`)).toStrictEqual({ setup, problems: [] });
  });

  test.each([
    ['registration={', /registration options that cannot be read/],
    ['registration=[]', /Expected a JSON object/],
    ['authentication=1', /authentication options/],
  ])('reports options that cannot be read: %s', (fragment, problem) => {
    const { setup, problems } = setupFromFragment(fragment);
    expect(setup).toStrictEqual(PLAIN_SETUP);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('the JSON editor', () => {
  test.each(['', '  \n'])('reads %j as no change', (text) => {
    expect(parseDictionary(text)).toStrictEqual({ value: {} });
  });
  test.each(['[]', '"x"', 'null', '{"a":'])('has a problem with %s', (text) => {
    expect(parseDictionary(text)).toHaveProperty('problem');
  });
});

describe('controls of the form', () => {
  test.each<[string, string | readonly string[], object]>([
    ['residentKey', 'required', { authenticatorSelection: { residentKey: 'required' } }],
    ['requireResidentKey', 'true', { authenticatorSelection: { requireResidentKey: true } }],
    ['hints', ['security-key', 'hybrid'], { hints: ['security-key', 'hybrid'] }],
    ['pubKeyCredParams', ['ES256 (-7)'], { pubKeyCredParams: [{ type: 'public-key', alg: -7 }] }],
    ['prf', 'ask for support', { extensions: { prf: {} } }],
    ['prf.eval.first', 'Ä', { extensions: { prf: { eval: { first: 'w4Q' } } } }],
    ['largeBlob.read', 'true', { extensions: { largeBlob: { read: true } } }],
    ['credProtect', 'userVerificationRequired (level 3)', { extensions: { credentialProtectionPolicy: 'userVerificationRequired' } }],
    ['credBlob', 'x', { extensions: { credBlob: 'eA' } }],
    ['payment.isPayment', 'true', { extensions: { payment: { isPayment: true } } }],
    ['appid', 'https://example.com/u2f', { extensions: { appid: 'https://example.com/u2f' } }],
    ['timeout (ms)', '5000', { timeout: 5000 }],
    ['rpId', 'example.com', { rpId: 'example.com' }],
  ])('%s writes, reads and resets its member', (label, input, changed) => {
    const written = writeControl(field(label), { own: OWN, changed: {} }, input);
    expect(written).toStrictEqual(changed);
    expect(readControl(field(label), { own: OWN, changed: written })).toStrictEqual(input);
    expect(isChanged(field(label), { own: OWN, changed: written })).toBe(true);
    expect(resetControl(field(label), { own: OWN, changed: written })).toStrictEqual({});
  });

  test.each<[string, string | readonly string[], string | readonly string[]]>([
    ['residentKey', 'preferred', 'required'],
    ['attestation', 'none', 'direct'],
    ['timeout (ms)', '60000', '1'],
    ['pubKeyCredParams', ['ES256 (-7)', 'RS256 (-257)'], ['RS256 (-257)']],
  ])('%s shows the value of the server, and choosing it again is no change', (label, own, other) => {
    const one = field(label);
    expect(readControl(one, { own: OWN, changed: {} })).toStrictEqual(own);
    expect(isChanged(one, { own: OWN, changed: {} })).toBe(false);
    const changed = writeControl(one, { own: OWN, changed: {} }, other);
    expect(isChanged(one, { own: OWN, changed })).toBe(true);
    expect(isChanged(one, { own: OWN, changed: writeControl(one, { own: OWN, changed }, own) })).toBe(label === 'pubKeyCredParams');
  });

  test('a member that the server does not send is shown as not sent', () => {
    expect(readControl(field('authenticatorAttachment'), { own: OWN, changed: {} })).toBe(NOT_SENT);
    expect(field('authenticatorAttachment').unset).toBe('any');
  });

  test('what is checked goes last, what has no box keeps its place, and nothing checked is an empty list', () => {
    const algorithms = field('pubKeyCredParams');
    const unnamed = { type: 'public-key', alg: -999 };
    const changed = { pubKeyCredParams: [unnamed, ...OWN.pubKeyCredParams] };
    const written = writeControl(algorithms, { own: OWN, changed }, ['RS256 (-257)', 'EdDSA (-8)']);
    expect(written).toStrictEqual({ pubKeyCredParams: [unnamed, ...[-257, -8].map((alg) => ({ type: 'public-key', alg }))] });
    expect(writeControl(algorithms, { own: OWN, changed: {} }, [])).toStrictEqual({ pubKeyCredParams: [] });
    expect(writeControl(field('hints'), { own: OWN, changed: { hints: ['hybrid'] } }, [])).toStrictEqual({});
  });

  test('leaves other members alone', () => {
    const changed = { extensions: { credProps: true }, authenticatorSelection: { userVerification: 'required' } };
    const written = writeControl(field('prf.eval.first'), { own: OWN, changed }, 'x');
    expect(written).toStrictEqual({ ...changed, extensions: { credProps: true, prf: { eval: { first: 'eA' } } } });
    expect(writeControl(field('prf.eval.first'), { own: OWN, changed: written }, '')).toStrictEqual(changed);
  });

  test('shows and keeps values that only the JSON can express', () => {
    const changed = { attestation: 'something-new' };
    expect(readControl(field('attestation'), { own: OWN, changed })).toBe(AS_IN_JSON);
    expect(writeControl(field('attestation'), { own: OWN, changed }, AS_IN_JSON)).toBe(changed);
  });

  test('shows bytes that are not text as base64url', () => {
    expect(readControl(field('largeBlob.write'), { own: {}, changed: { extensions: { largeBlob: { write: '_w' } } } })).toBe('_w');
  });

  test.each(['registration', 'authentication'] as const)('no two fields of %s write the same member', (dictionary) => {
    const paths = fieldsOf(dictionary).map(({ path }) => path.join('.'));
    expect(new Set(paths).size).toBe(paths.length);
  });

  test.each(['registration', 'authentication'] as const)('every extension that %s may ask for has a form', (dictionary) => {
    const known = Object.keys(EXTENSION_INPUTS).filter((name) => findExtensionInput(name)?.ceremonies.includes(dictionary));
    const asked = fieldsOf(dictionary).flatMap(({ path }) => (path[0] === 'extensions' ? (path[1] ?? []) : []));
    expect([...new Set(asked)].toSorted()).toStrictEqual(known.toSorted());
  });
});

describe('lists of credentials', () => {
  const path = ['excludeCredentials'];
  const known = [{ credential_id: 'AQ', transports: ['internal'] }];

  test('can be the server’s, empty, or of known and foreign credentials', () => {
    expect(listedCredentials({}, path)).toBeUndefined();
    expect(listCredentials({}, path, [], known)).toStrictEqual({ excludeCredentials: [] });
    const foreign = { excludeCredentials: [{ id: 'Ag', type: 'public-key', transports: ['usb'] }] };
    expect(listedCredentials(foreign, path)).toStrictEqual(['Ag']);
    expect(listCredentials(foreign, path, ['Ag', 'AQ'], known)).toStrictEqual({
      excludeCredentials: [...foreign.excludeCredentials, { id: 'AQ', type: 'public-key', transports: ['internal'] }],
    });
    expect(listCredentials(foreign, path, undefined, known)).toStrictEqual({});
  });
});

describe('withGivenSelection', () => {
  const given = { residentKey: 'preferred', userVerification: 'preferred' };
  test('fills in unchanged entries', () => {
    expect(withGivenSelection({ authenticatorSelection: { userVerification: 'required' } }, given)).toStrictEqual({
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
    expect(withGivenSelection({ attestation: 'direct' }, given)).toStrictEqual({ attestation: 'direct' });
  });

  test('leaves out what was taken out', () => {
    expect(withGivenSelection({ authenticatorSelection: { residentKey: null } }, given)).toStrictEqual({
      authenticatorSelection: { userVerification: 'preferred' },
    });
  });
});

describe('remarksOn', () => {
  test.each([
    [
      'registration',
      { challenge: 'AA', rp: {}, user: {} },
      ['challenge', 'rp', 'user'].map((name) => `${name} comes from the server; the value here is not used.`),
    ],
    ['authentication', { challenge: 'x' }, ['challenge comes from the server; the value here is not used.']],
    ['registration', { attestion: 'direct' }, ['attestion is not a member of these options; browsers ignore it.']],
    ['authentication', { attestation: 'direct' }, ['attestation is not a member of these options; browsers ignore it.']],
    ['registration', { extensions: { remoteClientDataJSON: '{}' } }, []],
    ['registration', { extensions: 5 }, []],
  ] as const)('%s %j', (dictionary, options, remarks) => {
    expect(remarksOn(dictionary, options)).toStrictEqual(remarks);
  });

  test.each(['registration', 'authentication'] as const)('is empty for everything the form for %s writes', (dictionary) => {
    const changed = fieldsOf(dictionary).reduce((all, { path }) => setPath(all, path, 'x'), {});
    expect(remarksOn(dictionary, changed)).toStrictEqual([]);
  });
});

describe('what nobody can verify here', () => {
  const { algorithms: known, attestation_formats: formats } = VERIFIABLE;
  const verifiable = {
    ...VERIFIABLE,
    algorithms: known.filter(({ id }) => id === -7),
    attestation_formats: formats.filter(({ id }) => id === 'packed'),
  };
  const algorithms = (...ids: readonly number[]) => ({ pubKeyCredParams: ids.map((alg) => ({ type: 'public-key', alg })) });

  test.each<[object, readonly string[]]>([
    [{ ...algorithms(-7), attestationFormats: ['packed'], extensions: { credProps: true } }, []],
    [
      { pubKeyCredParams: 'x', attestationFormats: 1, extensions: null, timeout: 0 },
      [
        'pubKeyCredParams must be a list.',
        'attestationFormats must be a list.',
        'extensions must be an object.',
        'timeout must be a whole number from 1 to 86400000.',
      ],
    ],
    [{ timeout: 86_400_000, hints: [], excludeCredentials: [], authenticatorSelection: {} }, []],
    [
      algorithms(-999, -7, -8),
      [
        'This server cannot verify COSE algorithm -999. Take it out of pubKeyCredParams.',
        'This server cannot verify COSE algorithm -8. Take it out of pubKeyCredParams.',
      ],
    ],
    [{ attestationFormats: ['tpm'] }, ['This server cannot verify the format “tpm”. Take it out of attestationFormats.']],
    [{ extensions: { nonsense: 1 } }, ['This server knows no extension “nonsense”. Take it out of extensions.']],
    [
      { extensions: { credProtect: 2 } },
      ['This server knows no extension “credProtect”; browsers call it credentialProtectionPolicy. Take it out of extensions.'],
    ],
    [{ extensions: { appid: 'x' } }, ['The extension appid is for authentication only. Take it out.']],
  ])('cannot be asked for: %j', (options, problems) => {
    expect(unverifiable('registration', { ...options }, verifiable)).toStrictEqual(problems);
  });

  test('blocks the ceremony whose options the address of the page gives, and says why', () => {
    const server = { local: true, verifiable: VERIFIABLE };
    const setup = { ...PLAIN_SETUP, registration: { extensions: { appid: 'x' } }, authentication: { hints: 'x' } };
    const state = { setup, server, invalid: {}, waiting: undefined };
    expect(blockedBecause(state, 'registration')).toBe(
      'The options to register cannot be used. The extension appid is for authentication only. Take it out.',
    );
    expect(blockedBecause(state, 'authentication')).toBe('The options to log in cannot be used. hints must be a list.');
    // They are not used there.
    expect(blockedBecause({ ...state, server: { ...server, local: false } }, 'registration')).toBeUndefined();
    expect(blockedBecause({ ...state, setup: PLAIN_SETUP }, 'registration')).toBeUndefined();
  });

  test('is nothing while the server has not answered', () => {
    const asked = { ...algorithms(-999), attestationFormats: ['x'], extensions: { nonsense: 1 } };
    expect(unverifiable('registration', asked, undefined)).toStrictEqual([]);
  });

  test.each(['registration', 'authentication'] as const)('is nothing that the form for %s has', (dictionary) => {
    for (const { kind, path, ...field } of fieldsOf(dictionary)) {
      const value = kind === 'set' && 'choices' in field ? field.choices.map((choice) => choice.value) : kind === 'number' ? 1 : [];
      const options = setPath({}, path, value);
      expect(unverifiable(dictionary, options, VERIFIABLE)).toStrictEqual([]);
    }
  });
});
