import { afterAll, describe, expect, test } from 'vitest';
import { type Case, runCase, toScenario } from '../../../src/simulate/engine/case.js';
import { authenticationCase, registrationCase } from '../../../src/simulate/engine/ceremony-cases.js';
import { flipBit } from '../../../src/simulate/engine/edits.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { ACCEPTED, denied, refused } from '../../../src/simulate/engine/outcome.js';
import { requestCase } from '../../../src/simulate/engine/request-case.js';
import { post } from '../../../src/simulate/http/http.js';

const run = await openRun();
afterAll(() => run.close());

const signature = { signature: flipBit(-1) };
const common = { id: 'x', title: 'x' };

describe('a case with another outcome than expected', () => {
  test.each<[what: string, each: Case, mismatch: object]>([
    [
      'wrongly refused',
      authenticationCase({ ...common, edits: signature, expected: ACCEPTED }),
      {
        at: 'POST /api/passkeys/login',
        expected: 'verified',
        received: '401 signature_invalid (step signature)',
        step: { slug: 'signature', number: 21 },
      },
    ],
    [
      'wrongly accepted',
      registrationCase({ ...common, expected: refused('origin_mismatch') }),
      { at: 'POST /api/passkeys/register', expected: '422 origin_mismatch', received: 'accepted (200)' },
    ],
    [
      'refused with another code',
      authenticationCase({ ...common, edits: signature, expected: denied('rp_id_mismatch') }),
      { expected: '401 rp_id_mismatch', received: '401 signature_invalid (step signature)' },
    ],
    [
      'refused at another step',
      authenticationCase({ ...common, edits: signature, expected: denied('signature_invalid', 'origin') }),
      { expected: '401 signature_invalid (step origin)', received: '401 signature_invalid (step signature)' },
    ],
    [
      'refused with another status',
      authenticationCase({ ...common, edits: signature, expected: refused('signature_invalid', 'signature') }),
      { expected: '422 signature_invalid (step signature)' },
    ],
    [
      'refused by the client',
      registrationCase({ ...common, browser: { user: ['denied'] }, expected: ACCEPTED }),
      { at: 'the client', expected: 'a response', received: expect.stringMatching(/^NotAllowedError: /) },
    ],
    [
      'failed during preparation',
      authenticationCase({ ...common, setup: { settings: { mode: 'production', origins: ['https://example.org'] } }, expected: ACCEPTED }),
      {
        at: 'POST /api/passkeys/register/options (preparation)',
        expected: 'options',
        received: expect.stringMatching(/^refused: 403 origin_not_allowed: /),
      },
    ],
    [
      'answered without a header',
      requestCase({ ...common, request: () => post('/api/passkeys/login/options', {}), headers: { allow: /POST/ }, expected: ACCEPTED }),
      { at: 'POST /api/passkeys/login/options: header allow', expected: '/POST/', received: 'none' },
    ],
  ])('fails: %s', async (_, each, mismatch) => {
    expect(await runCase(each, run)).toMatchObject({ status: 'failed', mismatches: [mismatch] });
  });
});

test.each<[each: Case, tags: readonly string[]]>([
  [registrationCase({ ...common, id: 'register.x', tags: ['own'], expected: ACCEPTED }), ['case', 'registration', 'own', 'verified']],
  [
    authenticationCase({ ...common, id: 'login.x', wants: { login: 'discoverable' }, expected: denied('signature_invalid') }),
    ['case', 'authentication', 'discoverable', 'rejected', 'signature_invalid'],
  ],
  [
    authenticationCase({ ...common, id: 'verify.x', wants: { login: 'named' }, expected: ACCEPTED }),
    ['case', 'authentication', 'verified'],
  ],
  [
    registrationCase({ ...common, id: 'register.y', wants: { login: 'discoverable' }, expected: ACCEPTED }),
    ['case', 'registration', 'verified'],
  ],
  [registrationCase({ ...common, id: 'odd.x', expected: ACCEPTED }), ['case', 'verified']],
])('$0.id has the tags of its kind, its outcome and its own', (each, tags) => {
  expect(toScenario(each, run).tags).toEqual(tags);
});
