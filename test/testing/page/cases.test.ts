import { describe, expect, test } from 'vitest';
import { SEVERITY_NAMES } from '../../../src/simulate/report/severity.js';
import { choosePageCases, PAGE_CASES, type PageCase } from '../../../src/testing/page/cases.js';
import { PAGE_CAUSES } from '../../../src/testing/page/causes.js';
import { NO_TRIGGER } from '../../../src/testing/page/driver.js';
import {
  answer,
  answered,
  baselineOf,
  call,
  conditional,
  document,
  failed,
  LOGIN,
  offer,
  options,
  press,
  runOf,
  verify,
} from './observed.js';

const lines = (rows: readonly unknown[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

/** Honest runs, to each of which a case may not apply. */
const BASELINES = {
  'a login': LOGIN,
  'options before the click': [options(1), offer(1, 1), press, call(1), answered(1), verify(2, 1), answer(2)],
  'no options': [press, call(1), answered(1), verify(2, 1), answer(2)],
  'options in the document': [press, options(1, { isNavigation: true }), offer(1, 1), call(1), answered(1), verify(2, 1), answer(2)],
  'options in a text': [
    press,
    options(1),
    answer(1, 200, { body: 'const options = "challenge-1"' }),
    call(1),
    answered(1),
    verify(2, 1),
    answer(2),
  ],
  'no verification': [press, options(1), offer(1, 1), call(1), answered(1)],
  'a verification by a form': [press, options(1), offer(1, 1), call(1), answered(1), verify(2, 1, { isNavigation: true })],
  'a call before the click': [document, call(1), press, answered(1), verify(2, 1), answer(2)],
  'autofill alone': [press, options(1), offer(1, 1), conditional(1), answered(1), verify(2, 1), answer(2)],
  'a passkey after autofill': [conditional(5), press, call(1, { method: 'create', mediation: 'conditional' }), failed(1)],
  'a passkey after a password': [press, call(1, { method: 'create', mediation: 'conditional' }), failed(1)],
};

const CREATION = {
  challenge: 'AQID',
  rp: { name: 'Shop' },
  user: { id: 'AQ' },
  pubKeyCredParams: [],
  timeout: 60_000,
  attestation: 'none',
  attestationFormats: ['packed'],
  hints: ['hybrid'],
  extensions: { prf: {} },
  authenticatorSelection: { authenticatorAttachment: 'platform', userVerification: 'required' },
  excludeCredentials: [],
  other: [],
};
const REQUEST = { challenge: 'AQID', rpId: 'shop.example', allowCredentials: [], userVerification: 'required', extensions: {}, later: [1] };

/** What a case does with the server's response. */
function describeChange({ changed }: PageCase): unknown {
  if (changed === undefined) return undefined;
  const { role, override } = changed;
  if (override.kind !== 'edit') return { role, override };
  const edited = [{ publicKey: CREATION }, REQUEST].map((body): unknown => JSON.parse(override.edit(JSON.stringify(body))));
  return { role, edited };
}

test('every case: its world, what it changes, its judges, and where it does not apply', async () => {
  const baselines = Object.entries(BASELINES).map(([name, observations]) => [name, baselineOf(observations)] as const);
  const idle = runOf([press, options(1)], { control: NO_TRIGGER });
  const rows = PAGE_CASES.map((each) => ({
    ...each,
    changed: describeChange(each),
    // A judge that asks for a call finds none in this run.
    judges: each.judges.map(({ cause, judge }) => {
      const verdict = judge(idle);
      return verdict !== undefined && 'shown' in verdict ? `${cause}: ${verdict.shown}` : cause;
    }),
    inapplicable: baselines.flatMap(([name, baseline]) => {
      const reason = each.inapplicable?.(baseline);
      return reason === undefined ? [] : [`${name}: ${reason}`];
    }),
  }));
  await expect(lines(rows)).toMatchFileSnapshot('tables/cases.txt');
});

test('every cause, the most serious first', async () => {
  const severities = Object.values(PAGE_CAUSES).map(({ severity }) => SEVERITY_NAMES.indexOf(severity));
  expect(severities).toEqual(severities.toSorted((one, other) => one - other));
  await expect(lines(Object.entries(PAGE_CAUSES))).toMatchFileSnapshot('tables/causes.txt');
});

describe('cases are chosen by their IDs', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      'in the order of the list',
      ['login.cancelled', 'register.*-400', 'login.cancelled'],
      ['login.cancelled', 'register.options-400', 'register.verification-400'],
    ],
    ['all where none is named', [], PAGE_CASES.map(({ id }) => id)],
  ])('%s', (_, patterns, ids) => {
    expect(choosePageCases(patterns).map(({ id }) => id)).toEqual(ids);
  });

  test('all where nothing is given', () => {
    expect(choosePageCases()).toEqual(PAGE_CASES);
  });

  test.each([
    ['login.canceled', 'There is no case "login.canceled". Did you mean login.cancelled?'],
    ['shop.*', 'There is no case "shop.*". Run `passkey browse --check --list` to see them all.'],
  ])('%s is none', (pattern, message) => {
    expect(() => choosePageCases(['login.cancelled', pattern])).toThrow(expect.objectContaining({ code: 'usage', message }));
  });
});
