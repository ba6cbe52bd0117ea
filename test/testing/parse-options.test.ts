import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CREATION, type Dialect, replaced, requestFor } from '../client/dialect.js';
import { creationOptions, install, requestOptions } from './installed.js';
import { page } from './page.js';

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, '../client/chromium-dialect.json'), 'utf8')) as Dialect;
const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ type: 'public-key', id: `AAEC${1000 + index}` }));

const CALLS = {
  create: (json: object) => ({
    parse: () => page.PublicKeyCredential.parseCreationOptionsFromJSON(json),
    call: (publicKey: object) => page.navigator.credentials.create({ publicKey }),
  }),
  get: (json: object) => ({
    parse: () => page.PublicKeyCredential.parseRequestOptionsFromJSON(json),
    call: (publicKey: object) => page.navigator.credentials.get({ publicKey }),
  }),
};

/** The name of the error that a function throws; undefined where it throws none. */
function thrownBy(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

describe('options that parse…OptionsFromJSON() takes and the call refuses, as in Chromium', () => {
  test.for([
    ['create', { excludeCredentials: entries(65) }, 'RangeError', 'excludeCredentials'],
    ['create', { user: { id: '', name: 'ada', displayName: 'Ada' } }, 'TypeError', 'user.id'],
    ['create', { user: { id: 'A'.repeat(87), name: 'ada', displayName: 'Ada' } }, 'TypeError', 'user.id'],
    ['create', { pubKeyCredParams: [{ type: 'secret', alg: -7 }] }, 'NotSupportedError', 'pubKeyCredParams'],
    ['get', { allowCredentials: entries(65) }, 'RangeError', 'allowCredentials'],
  ] as const)('%s: %j', async ([kind, change, name, member]) => {
    install();
    const { parse, call } = CALLS[kind]({ ...(kind === 'create' ? await creationOptions() : await requestOptions()), ...change });
    const parsed = Object(parse());
    if (member === 'excludeCredentials' || member === 'allowCredentials') expect(parsed[member]).toHaveLength(65);
    await expect(call(parsed)).rejects.toMatchObject({ name, message: expect.stringContaining(member) });
  });
});

test.for([
  ['create', recorded.creation, CREATION],
  ['get', recorded.request, requestFor('AQIDBAUGBwgJCgsMDQ4PEA')],
] as const)('%s: the parser refuses the members that the recorded Chromium refuses, and no other', ([kind, table, base]) => {
  install();
  const tried = Object.entries(table).flatMap(([path, outcomes]) =>
    outcomes.flatMap(({ refused, values }) => values.split(' ').map((value) => ({ path, value, refused }))),
  );
  const isText = (value: string) => value.startsWith('"') || value === 'missing';
  const compared = tried.filter(({ path, value }) => !path.startsWith('extensions') && (isText(value) || !/id$|challenge/.test(path)));
  expect(compared.length).toBeGreaterThan(100);
  const differing = compared.filter(({ path, value, refused }) => {
    const { parse } = CALLS[kind](Object(replaced(base, path, value)));
    return thrownBy(parse) !== refused;
  });
  expect(differing).toEqual([]);
});
