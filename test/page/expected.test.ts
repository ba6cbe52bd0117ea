import { expect, test } from 'vitest';
import { EXPECTATION_MEMBERS, STATED_EXPECTATIONS } from '../../src/explain/expectation-members.js';
import { NOTHING_EXPLAINED } from '../../src/explain/nothing-explained.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { explain, explainAgain } from '../../src/page/flow/explain.js';
import { type Expected, expectedFromFragment, expectedToFragment, makeExpectations } from '../../src/page/setup/expected.js';
import type { Pasted } from '../../src/page/state.js';
import { tab } from './tab.js';

const LOADED = { status: 'loaded', rows: STATED_EXPECTATIONS } as const;
const expecting = (texts: Expected['texts']): Expected => ({ texts, wrong: {} });

test('expectations of the table become those of the request', () => {
  const texts = {
    rpId: ' shop.example ',
    origin: 'https://a.example, https://b.example',
    challenge: 'AAECAw',
    algorithms: 'ES256, -257',
    signCount: '7',
    backupEligible: 'false',
    requireUserVerification: 'true',
    mediation: '',
    roots: '-----BEGIN CERTIFICATE-----',
  };
  expect(makeExpectations(expecting(texts), STATED_EXPECTATIONS)).toEqual({
    rpId: 'shop.example',
    origin: ['https://a.example', 'https://b.example'],
    challenge: 'AAECAw',
    algorithms: ['ES256', '-257'],
    signCount: 7,
    backupEligible: false,
    requireUserVerification: true,
    roots: ['-----BEGIN CERTIFICATE-----'],
  });
});

test('the address keeps them, but for challenges, keys and roots', () => {
  const texts = Object.fromEntries(Object.keys(EXPECTATION_MEMBERS).map((name) => [name, `${name} & more`]));
  const fragment = expectedToFragment(expecting(texts));
  const { challenge, publicKey, roots, ...kept } = texts;
  expect([challenge, publicKey, roots].every((text) => text !== undefined)).toBe(true);
  expect(expectedFromFragment(`#app_name=Shop&${fragment}`)).toEqual(expecting(kept));
});

const REFUSED = { status: 422, answer: { errors: [{ pointer: '/expectations/signCount', detail: 'must be an integer' }] } };

/** A tab whose server refuses a sign count that is no number, and names what else it was given. */
function tabWith(texts: Expected['texts'], hold?: () => void) {
  const made = tab({
    answer: (path) => {
      if (path === '/dev/expectations') return { status: 200, answer: STATED_EXPECTATIONS };
      hold?.();
      const { signCount, ...others } = (made.asked.at(-1)?.body?.['expectations'] ?? {}) as JsonObject;
      if (typeof signCount === 'string') return REFUSED;
      const document = {
        ...NOTHING_EXPLAINED,
        source: '-',
        name: JSON.stringify(others),
        kind_name: 'a login',
        options: null,
        response: null,
      };
      return { status: 200, answer: { documents: [document] } };
    },
    state: { expected: expecting(texts), expectations: LOADED },
  });
  return made;
}

const given = { input: 'x' };
const pastedOf = (expected: Expected): Pasted => ({
  id: 1,
  at: 0,
  document: { ...NOTHING_EXPLAINED, source: '-', name: 'old' },
  options: undefined,
  response: undefined,
  from: { given, index: 0, expected },
});

test('one that the server cannot read is marked and left out, and the others count', async () => {
  const { app } = tabWith({ origin: 'https://a.example', signCount: 'many' });
  app.store.set({ pasted: [pastedOf(expecting({}))] });
  await explainAgain(app, given);
  const { pasted, expected } = app.store.get();
  expect(expected.wrong).toEqual({ signCount: 'must be an integer' });
  expect(pasted[0]?.document.name).toBe('{"origin":["https://a.example"]}');
  expect(pasted[0]).toMatchObject({ id: 1, from: { expected } });
});

test('an answer that comes after the next key changes nothing', async () => {
  const { app } = tabWith({ origin: 'https://a.example' }, () => app.store.set({ expected: expecting({ origin: 'https://b.example' }) }));
  app.store.set({ pasted: [pastedOf(expecting({}))] });
  await explainAgain(app, given);
  expect(app.store.get().pasted[0]?.document.name).toBe('old');
});

test('those of the address count for the first paste, before the fields are there', async () => {
  const { app, asked } = tabWith({ rpId: 'shop.example' });
  app.store.set({ expectations: { status: 'unasked' } });
  await explain(app, given);
  expect(asked.map(({ path }) => path)).toEqual(['/dev/expectations', '/dev/explain']);
  expect(app.store.get().pasted[0]?.document.name).toBe('{"rpId":"shop.example"}');
});
