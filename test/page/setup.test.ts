import { describe, expect, test } from 'vitest';
import { listCredentials, listedCredentials } from '../../src/page/setup/credentials.js';
import { AUTHENTICATION_FIELDS, type OptionField, REGISTRATION_FIELDS } from '../../src/page/setup/fields.js';
import { withGivenSelection } from '../../src/page/setup/selection.js';
import { PLAIN_SETUP, parseDictionary, setupFromFragment, setupToFragment } from '../../src/page/setup/setup.js';
import { AS_IN_JSON, readControl, writeControl } from '../../src/page/setup/values.js';

const FIELDS = [...REGISTRATION_FIELDS, ...AUTHENTICATION_FIELDS].flatMap(({ fields }) => fields);

function field(label: string): OptionField {
  const found = FIELDS.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no field ${label}`);
  return found;
}

describe('a set-up in the address', () => {
  test('is nothing for the plain one', () => {
    expect(setupToFragment(PLAIN_SETUP)).toBe('');
    expect(setupFromFragment('')).toStrictEqual({ setup: PLAIN_SETUP, problems: [] });
  });

  test('comes back as it went', () => {
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
  ])('tells what cannot be read: %s', (fragment, problem) => {
    const { setup, problems } = setupFromFragment(fragment);
    expect(setup).toStrictEqual(PLAIN_SETUP);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('the JSON editor', () => {
  test.each(['', '  \n'])('takes %j as no change', (text) => {
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
    ['prf', 'ask whether it is there', { extensions: { prf: {} } }],
    ['prf.eval.first', 'Ä', { extensions: { prf: { eval: { first: 'w4Q' } } } }],
    ['largeBlob.read', 'true', { extensions: { largeBlob: { read: true } } }],
    ['credProtect', 'userVerificationRequired', { extensions: { credentialProtectionPolicy: 'userVerificationRequired' } }],
    ['timeout (ms)', '5000', { timeout: 5000 }],
    ['rpId', 'example.com', { rpId: 'example.com' }],
  ])('%s writes its member, reads it, and takes it away again', (label, input, options) => {
    const written = writeControl(field(label), {}, input);
    expect(written).toStrictEqual(options);
    expect(readControl(field(label), written)).toStrictEqual(input);
    expect(writeControl(field(label), written, typeof input === 'string' ? '' : [])).toStrictEqual({});
  });

  test('leaves neighbours alone', () => {
    const options = { extensions: { credProps: true }, authenticatorSelection: { userVerification: 'required' } };
    const written = writeControl(field('prf.eval.first'), options, 'x');
    expect(written).toStrictEqual({ ...options, extensions: { credProps: true, prf: { eval: { first: 'eA' } } } });
    expect(writeControl(field('prf.eval.first'), written, '')).toStrictEqual(options);
  });

  test('shows and keeps what only the JSON can say', () => {
    const options = { attestation: 'something-new' };
    expect(readControl(field('attestation'), options)).toBe(AS_IN_JSON);
    expect(writeControl(field('attestation'), options, AS_IN_JSON)).toBe(options);
  });

  test('shows bytes that are no text as base64url', () => {
    expect(readControl(field('largeBlob.write'), { extensions: { largeBlob: { write: '_w' } } })).toBe('_w');
  });

  test('no two fields of a dictionary write the same member', () => {
    for (const groups of [REGISTRATION_FIELDS, AUTHENTICATION_FIELDS]) {
      const paths = groups.flatMap(({ fields }) => fields.map(({ path }) => path.join('.')));
      expect(new Set(paths).size).toBe(paths.length);
    }
  });
});

describe('lists of credentials', () => {
  const path = ['excludeCredentials'];
  const known = [{ credentialId: 'AQ', transports: ['internal'] }];

  test('as given, empty, of known and of foreign ones', () => {
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
  test('fills in what the change leaves alone', () => {
    expect(withGivenSelection({ authenticatorSelection: { userVerification: 'required' } }, given)).toStrictEqual({
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
    expect(withGivenSelection({ attestation: 'direct' }, given)).toStrictEqual({ attestation: 'direct' });
  });
});
