import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticationCase } from '../../src/simulate/cases/authentication-case.js';
import { flipBit } from '../../src/simulate/cases/byte-edits.js';
import { ACCEPTED, type Case, denied, refused, runCase } from '../../src/simulate/cases/case.js';
import { registrationCase } from '../../src/simulate/cases/registration-case.js';
import { post, requestCase } from '../../src/simulate/cases/request-case.js';
import { createKeySource, type Playhouse } from '../../src/simulate/cases/stage.js';
import { startInProcess } from '../../src/simulate/in-process.js';

let playhouse: Playhouse;
beforeAll(() => {
  playhouse = { server: startInProcess(), remote: undefined, newPrivateKey: createKeySource() };
});
afterAll(() => playhouse.server.close());

const signature = { signature: flipBit(-1) };
const common = { id: 'x', title: 'x' };

describe('a case that goes another way', () => {
  it.each<[what: string, played: Case, mismatch: object]>([
    [
      'refused, and should not be',
      authenticationCase({ ...common, edits: signature, expected: ACCEPTED }),
      {
        at: 'POST /api/passkeys/login',
        expected: 'verified',
        received: '401 signature_invalid (step signature)',
        step: { slug: 'signature', number: 21 },
      },
    ],
    [
      'accepted, and should not be',
      registrationCase({ ...common, expected: refused('origin_mismatch') }),
      { at: 'POST /api/passkeys/register', expected: '422 origin_mismatch', received: 'accepted (200)' },
    ],
    [
      'refused by another code',
      authenticationCase({ ...common, edits: signature, expected: denied('rp_id_mismatch') }),
      { expected: '401 rp_id_mismatch', received: '401 signature_invalid (step signature)' },
    ],
    [
      'refused by another step',
      authenticationCase({ ...common, edits: signature, expected: denied('signature_invalid', 'origin') }),
      { expected: '401 signature_invalid (step origin)', received: '401 signature_invalid (step signature)' },
    ],
    [
      'refused with another status',
      authenticationCase({ ...common, edits: signature, expected: denied('signature_invalid', 'signature', 422) }),
      { expected: '422 signature_invalid (step signature)' },
    ],
    [
      'refused by the client',
      registrationCase({ ...common, actor: { user: ['denied'] }, expected: ACCEPTED }),
      { at: 'the client', expected: 'a response', received: expect.stringMatching(/^NotAllowedError: /) },
    ],
    [
      'stopped in its preparation',
      authenticationCase({ ...common, room: { settings: { origins: ['https://example.org'] } }, expected: ACCEPTED }),
      {
        at: 'POST /api/passkeys/register/options (preparation)',
        expected: '200',
        received: expect.stringMatching(/^403 origin_not_allowed: /),
      },
    ],
    [
      'answered without a header',
      requestCase({ ...common, request: () => post('/api/passkeys/login/options', {}), headers: { allow: /POST/ }, expected: ACCEPTED }),
      { at: 'POST /api/passkeys/login/options: header allow', expected: '/POST/', received: 'none' },
    ],
  ])('fails: %s', async (_, played, mismatch) => {
    expect(await runCase(played, playhouse)).toMatchObject({ status: 'failed', mismatches: [mismatch] });
  });
});
