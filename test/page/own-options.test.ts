import { describe, expect, test } from 'vitest';
import { changedMembers } from '../../src/kernel/changed-members.js';
import { isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { changedLines, formatJson, setPath } from '../../src/page/json.js';
import { changesIn, effectiveOptions, ownOptions, remarksOn, takenOut } from '../../src/page/setup/own-options.js';
import { findPreset, PRESETS, withPreset } from '../../src/page/setup/presets.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import { unverifiable } from '../../src/page/setup/verifiable.js';
import type { AppState, ServerState } from '../../src/page/state.js';
import { VERIFIABLE } from '../../src/server/verifiable.js';
import { misusedExtensions } from '../../src/webauthn/extensions.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../src/webauthn/json.js';
import { SERVER as TAB_SERVER } from './tab.js';

const SERVER: ServerState = {
  ...TAB_SERVER,
  policy: {
    ...TAB_SERVER.policy,
    userVerification: 'required',
    residentKey: 'discouraged',
    algorithms: [-8],
    attestation: 'direct',
    timeout: 30_000,
  },
};
const STATE: Pick<AppState, 'server' | 'user' | 'setup' | 'passkeys'> = {
  server: SERVER,
  user: undefined,
  setup: PLAIN_SETUP,
  passkeys: [],
};
const ORIGIN = 'http://localhost:7277';

const own = ownOptions('registration', STATE, ORIGIN);

describe('what the server sends by itself', () => {
  test('is its policy, with placeholders for what it makes anew', () => {
    expect(own).toStrictEqual({
      rp: { name: 'Passkey test page', id: 'localhost' },
      user: { id: '(the user handle)', name: '(signed-in user)', displayName: '(signed-in user)' },
      challenge: '(new each time)',
      pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
      timeout: 30_000,
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
      attestation: 'direct',
    });
    expect(ownOptions('authentication', STATE, ORIGIN)).toStrictEqual({
      challenge: '(new each time)',
      timeout: 30_000,
      rpId: 'localhost',
      userVerification: 'required',
    });
  });

  test('follows from app_name, app_url, user and passkeys', () => {
    const setup = { ...PLAIN_SETUP, appName: 'Shop', appUrl: 'https://shop.example/x' };
    const user = { owner: 'User:1', name: 'ada', email: 'ada@example.com' };
    const passkey: AppState['passkeys'][number] = {
      id: 1,
      label: 'K',
      rp_id: 'localhost',
      credential_id: 'AQ',
      created_at: '',
      last_used_at: null,
    };
    expect(ownOptions('registration', { ...STATE, setup, user, passkeys: [passkey] }, ORIGIN)).toMatchObject({
      rp: { name: 'Shop', id: 'shop.example' },
      user: { name: 'ada@example.com', displayName: 'ada' },
      excludeCredentials: '(this user’s passkeys)',
    });
    const revoked = { ...passkey, id: 2, revoked_at: '2026-01-15T10:30:00.000Z' };
    const excluded = (passkeys: AppState['passkeys']) => 'excludeCredentials' in ownOptions('registration', { ...STATE, passkeys }, ORIGIN);
    expect([excluded([passkey, revoked]), excluded([revoked]), excluded([])]).toEqual([true, false, false]);
    const odd = { ...PLAIN_SETUP, appUrl: 'shop' };
    expect(ownOptions('authentication', { ...STATE, setup: odd }, ORIGIN)).toMatchObject({ rpId: 'localhost' });
  });

  test('is the default policy while the server has not sent its own', () => {
    const unknown = { ...STATE, server: undefined };
    expect(ownOptions('registration', unknown, ORIGIN)).toMatchObject({
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 60_000,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    });
    expect(ownOptions('authentication', unknown, ORIGIN)).toMatchObject({ timeout: 60_000, userVerification: 'preferred' });
  });
});

describe('changes', () => {
  const changed = { authenticatorSelection: { userVerification: 'discouraged' }, extensions: { credProps: true }, hints: ['hybrid'] };

  test('make the options that the browser gets, in the order of the standard', () => {
    const effective = effectiveOptions('registration', own, { ...changed, madeUp: 1 });
    expect(effective).toMatchObject({
      ...changed,
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
    });
    expect(Object.keys(effective)).toStrictEqual([
      ...CREATION_MEMBERS.filter((name) => name !== 'excludeCredentials' && name !== 'attestationFormats'),
      'madeUp',
    ]);
    expect(Object.keys(effectiveOptions('authentication', ownOptions('authentication', STATE, ORIGIN), {}))).toStrictEqual(
      REQUEST_MEMBERS.filter((name) => ['challenge', 'timeout', 'rpId', 'userVerification'].includes(name)),
    );
  });

  test.each([
    {},
    changed,
    { pubKeyCredParams: [] },
    { authenticatorSelection: { residentKey: null } },
    { timeout: 1, attestation: 'none' },
  ])('are found again in the options that they made: %j', (some) => {
    expect(changesIn(own, effectiveOptions('registration', own, some))).toStrictEqual(some);
  });

  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ authenticatorSelection: { a: 1, b: 2 } }, { authenticatorSelection: { a: 1, c: 3 } }, { authenticatorSelection: { c: 3, b: null } }],
    [{ authenticatorSelection: 1 }, { authenticatorSelection: { a: 1 } }, { authenticatorSelection: { a: 1 } }],
    [{ authenticatorSelection: { a: 1 } }, { authenticatorSelection: 1 }, { authenticatorSelection: 1 }],
    [{ extensions: { a: 1, b: 2 } }, { extensions: { a: 1 } }, { extensions: { a: 1 } }],
  ])('of %j to %j are %j', (given, edited, changes) => {
    expect(changesIn(given, edited)).toStrictEqual(changes);
  });

  test('cannot replace what binds the ceremony', () => {
    expect(effectiveOptions('registration', own, { challenge: 'AA', user: {}, rp: {} })).toStrictEqual(
      effectiveOptions('registration', own, {}),
    );
  });

  test('cannot take out what the server always sends', () => {
    const { timeout: _, ...without } = own;
    expect(changesIn(own, without)).toStrictEqual({});
    expect(takenOut(own, without)).toStrictEqual(['timeout']);
  });

  test('are counted by their dotted names; what the server sends anyway is none', () => {
    const named = (changes: JsonObject) => changedMembers(effectiveOptions('registration', own, changes), own);
    expect(named({ ...changed, attestation: 'direct', challenge: 'AA' })).toStrictEqual([
      'authenticatorSelection.userVerification',
      'hints',
      'extensions.credProps',
    ]);
    expect(named({ authenticatorSelection: { userVerification: 'required', residentKey: null } })).toStrictEqual([
      'authenticatorSelection.residentKey',
    ]);
  });
});

test.each<[JsonObject, readonly string[], unknown, JsonObject]>([
  [{ a: 1, b: 2 }, ['a'], 3, { a: 3, b: 2 }],
  [{ a: 1, b: 2 }, ['a'], undefined, { b: 2 }],
  [{ a: 1 }, ['a'], {}, { a: {} }],
  [{ a: { b: 1, c: 2 } }, ['a', 'b'], undefined, { a: { c: 2 } }],
  [{ a: { b: 1 }, d: 4 }, ['a', 'b'], undefined, { d: 4 }],
  [{ a: 1 }, ['a', 'b'], 2, { a: { b: 2 } }],
  [{ a: 1 }, [], 2, { a: 1 }],
])('in %j the member at %j becomes %j', (object, path, value, result) => {
  expect(setPath(object, path, value)).toStrictEqual(result);
});

describe('JSON for people', () => {
  test('is JSON, with what is short on one line', () => {
    const effective = effectiveOptions('registration', own, { extensions: { prf: { eval: { first: 'AQ' } } }, hints: [] });
    const text = formatJson(effective);
    expect(JSON.parse(text)).toStrictEqual(effective);
    expect(text).toContain('\n    { "type": "public-key", "alg": -8 }\n');
    expect(text).toContain('\n  "hints": [],\n');
    expect(formatJson({})).toBe('{}');
    expect(formatJson([1, { a: null }])).toBe('[\n  1,\n  { "a": null }\n]');
    expect(formatJson({ a: undefined, b: 1 })).toBe('{\n  "b": 1\n}');
    expect(formatJson([['x'.repeat(44)], ['x'.repeat(45)]])).toBe(`[\n  ["${'x'.repeat(44)}"],\n  [\n    "${'x'.repeat(45)}"\n  ]\n]`);
  });

  test('marks the lines that say something else, whatever the layout', () => {
    const before = formatJson({ attestation: 'none', timeout: 1 });
    expect(changedLines(formatJson({ attestation: 'direct', timeout: 1 }), before)).toStrictEqual([false, true, false, false]);
    expect(changedLines('{\n      "timeout": 1,\n\n  "attestation": "none"\n}', before)).toStrictEqual([false, false, false, false, false]);
  });
});

describe('presets', () => {
  test.each(PRESETS)('$name: sets members that browsers know, as the extensions are meant', (preset) => {
    for (const dictionary of ['registration', 'authentication'] as const) {
      const set = preset[dictionary];
      expect(remarksOn(dictionary, set)).toStrictEqual([]);
      expect(unverifiable(dictionary, set, VERIFIABLE)).toStrictEqual([]);
      const { extensions } = set;
      expect(misusedExtensions(isObject(extensions) ? extensions : {}, dictionary)).toStrictEqual([]);
    }
    const setup = withPreset({ ...PLAIN_SETUP, appName: 'Shop', autofill: true }, preset);
    expect(setup).toMatchObject({ appName: 'Shop', autofill: true });
    expect(findPreset(setup)).toBe(preset);
    expect(findPreset(withPreset(setup, { ...preset, authentication: { timeout: 1 } }))).toBeUndefined();
  });
});
