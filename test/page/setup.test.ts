import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { blockedBecause } from '../../src/page/flow/ceremonies.js';
import { setPath } from '../../src/page/json.js';
import { remarksOn } from '../../src/page/setup/own-options.js';
import { findPreset, PRESETS, withPreset } from '../../src/page/setup/presets.js';
import {
  AS_IN_JSON,
  check,
  isChanged,
  isChecked,
  listSettings,
  readChoice,
  type Setting,
  writeChoice,
} from '../../src/page/setup/settings.js';
import { PLAIN_SETUP, parseDictionary, setupFromFragment, setupToFragment, withGivenSelection } from '../../src/page/setup/setup.js';
import { unverifiable } from '../../src/page/setup/verifiable.js';
import { VERIFIABLE } from '../../src/server/verifiable.js';

const settingsOf = (dictionary: 'registration' | 'authentication') => listSettings(dictionary, VERIFIABLE.algorithms);
/** What a server sends by itself. */
const OWN = {
  pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
  timeout: 60_000,
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  attestation: 'none',
};

function setting(name: string): Setting {
  const found = settingsOf('registration').find(({ path }) => path.at(-1) === name);
  if (found === undefined) throw new Error(`no setting ${name}`);
  return found;
}

function choice(name: string, label: string): Setting['choices'][number] {
  const found = setting(name).choices.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no choice ${label}`);
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

test('the presets, as the address has them', async () => {
  const lines = PRESETS.map((preset) => {
    const setup = withPreset({ ...PLAIN_SETUP, appName: 'Shop', autofill: true }, preset);
    expect(findPreset(setup)).toBe(preset);
    return `${preset.name}: ${decodeURIComponent(setupToFragment(setup))}`;
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('drawn/presets.txt');
  expect(findPreset({ ...PLAIN_SETUP, authentication: { hints: ['x'] } })).toBeUndefined();
});

describe('the JSON editor', () => {
  test.each(['', '  \n'])('reads %j as no change', (text) => {
    expect(parseDictionary(text)).toStrictEqual({ value: {} });
  });
  test.each(['[]', '"x"', 'null'])('wants an object, not %s', (text) => {
    expect(parseDictionary(text)).toStrictEqual({ problem: 'Expected a JSON object, such as { "attestation": "direct" }.' });
  });
  test('says what is wrong with what is no JSON, without the name of the error', () => {
    const parsed = parseDictionary('{"a":');
    expect('problem' in parsed ? parsed.problem : 'SyntaxError').not.toContain('SyntaxError');
  });
});

describe('settings', () => {
  test.each([
    ['authenticatorAttachment', 'cross-platform', { authenticatorSelection: { authenticatorAttachment: 'cross-platform' } }],
    ['residentKey', 'required', { authenticatorSelection: { residentKey: 'required' } }],
    ['userVerification', 'discouraged', { authenticatorSelection: { userVerification: 'discouraged' } }],
    ['attestation', 'direct', { attestation: 'direct' }],
  ])('%s is read, chosen, and chosen back to the server’s own', (name, label, changed) => {
    const one = setting(name);
    const before = readChoice(one, { own: OWN, changed: {} });
    const written = writeChoice(one, { own: OWN, changed: {} }, label);
    expect(written).toStrictEqual(changed);
    expect(readChoice(one, { own: OWN, changed: written })).toBe(label);
    expect([isChanged(one, { own: OWN, changed: {} }), isChanged(one, { own: OWN, changed: written })]).toEqual([false, true]);
    expect(writeChoice(one, { own: OWN, changed: written }, before)).toStrictEqual({});
  });

  test('a member that the server does not send has no choice', () => {
    expect(readChoice(setting('authenticatorAttachment'), { own: OWN, changed: {} })).toBe('');
  });

  test('what is checked goes last, what has no box keeps its place, and nothing checked is an empty list', () => {
    const algorithms = setting('pubKeyCredParams');
    const parameters = (...ids: readonly number[]) => ({ pubKeyCredParams: ids.map((alg) => ({ type: 'public-key', alg })) });
    const checked = (changed: JsonObject) =>
      algorithms.choices.filter((one) => isChecked(algorithms, { own: OWN, changed }, one)).map(({ label }) => label);
    expect(checked({})).toEqual(['ES256 (-7)', 'RS256 (-257)']);
    const more = check(algorithms, { own: OWN, changed: parameters(-999, -7, -257) }, choice('pubKeyCredParams', 'EdDSA (-8)'), true);
    expect(more).toStrictEqual(parameters(-999, -7, -257, -8));
    expect(check(algorithms, { own: OWN, changed: more }, choice('pubKeyCredParams', 'ES256 (-7)'), false)).toStrictEqual(
      parameters(-999, -257, -8),
    );
    expect(check(algorithms, { own: OWN, changed: parameters(-7) }, choice('pubKeyCredParams', 'ES256 (-7)'), false)).toStrictEqual(
      parameters(),
    );
    expect(check(algorithms, { own: OWN, changed: parameters(-7) }, choice('pubKeyCredParams', 'RS256 (-257)'), true)).toStrictEqual({});
    expect(check(setting('hints'), { own: OWN, changed: { hints: ['hybrid'] } }, choice('hints', 'hybrid'), false)).toStrictEqual({});
    expect(check(setting('hints'), { own: OWN, changed: { hints: 'x' } }, choice('hints', 'hybrid'), true)).toStrictEqual({
      hints: ['hybrid'],
    });
  });

  test('a list has the algorithms that the server can verify', () => {
    const [known] = VERIFIABLE.algorithms;
    expect(listSettings('registration', known === undefined ? [] : [known]).at(-1)?.choices).toHaveLength(1);
  });

  test('leaves other members alone', () => {
    const changed = { extensions: { credProps: true }, authenticatorSelection: { userVerification: 'required' } };
    const written = writeChoice(setting('residentKey'), { own: OWN, changed }, 'required');
    expect(written).toStrictEqual({ ...changed, authenticatorSelection: { userVerification: 'required', residentKey: 'required' } });
    expect(writeChoice(setting('residentKey'), { own: OWN, changed: written }, 'preferred')).toStrictEqual(changed);
  });

  test('shows and keeps values that only the JSON can express', () => {
    const changed = { attestation: 'something-new' };
    expect(readChoice(setting('attestation'), { own: OWN, changed })).toBe(AS_IN_JSON);
    expect(writeChoice(setting('attestation'), { own: OWN, changed }, AS_IN_JSON)).toBe(changed);
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

  test.each(['registration', 'authentication'] as const)('is empty for every setting of %s', (dictionary) => {
    const changed = settingsOf(dictionary).reduce((all, { path }) => setPath(all, path, 'x'), {});
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
    [{ timeout: 1 }, []],
    [{ timeout: 86_400_001 }, ['timeout must be a whole number from 1 to 86400000.']],
    [{ timeout: 1.5 }, ['timeout must be a whole number from 1 to 86400000.']],
    [{ timeout: '5' }, ['timeout must be a whole number from 1 to 86400000.']],
    [{ pubKeyCredParams: [{ type: 'public-key' }, 'x'], attestationFormats: [1, 'packed'] }, []],
    [{ attestationFormats: ['tpm', 'packed'] }, ['This server cannot verify the format “tpm”. Take it out of attestationFormats.']],
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

  test.each(['registration', 'authentication'] as const)('is no choice of a setting of %s', (dictionary) => {
    for (const { path, choices, several } of settingsOf(dictionary)) {
      const values = choices.map(({ value }) => value);
      for (const value of several ? [values] : values) {
        expect(unverifiable(dictionary, setPath({}, path, value), VERIFIABLE)).toStrictEqual([]);
      }
    }
  });
});
