import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { DIFFERENCES } from '../../../src/relying-party/differences.js';
import { FOREIGN_ROOT } from '../../../src/simulate/cases/values.js';
import { writePem } from '../../../src/webauthn/pem.js';
import { STANDARD_ROOT } from '../../authenticator/attestation/w3c-formats.js';
import { standardCeremonies } from '../../client/standard-ceremonies.js';
import { members } from '../../relying-party/attestation/statements.js';
import { es256Key, ORIGIN, RP_ID, registrationResponse } from '../../relying-party/ceremony.js';
import { PUBLISHED_HASHES } from '../../webauthn/w3c-vectors.js';
import { explain, recorded } from './run-explain.js';

const files = { 'f.json': recorded('registration-synced'), 'root.pem': FOREIGN_ROOT };

describe('--roots, for a registration without attestation', () => {
  test('rejects it at step 24, as the server does', async () => {
    const { code, stdout } = await explain(['f.json', '--roots', 'root.pem', '--json'], files);
    const document: ExplainDocument = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      verdict: 'rejected',
      library: { verdict: 'accepted' },
      difference: DIFFERENCES.find(({ where }) => where === 'attestation-trust')?.why,
    });
    expect(document.steps.filter(({ status }) => status === 'fail')).toMatchObject([
      { number: 24, slug: 'attestation-trust', code: 'attestation_untrusted', received: 'no attestation (format "none")' },
    ]);
  });
});

test.each([
  ['fido-u2f.ES256', /expected an AAGUID of zeros, .* received AAGUID afb3c2ef-/],
  ['android-key.ES256', /received no origin[\s\S]*received no purpose/],
])('--roots, for the test vector %s of the standard: accepts it, and says how it deviates', async (info, deviation) => {
  const [vector] = PUBLISHED_HASHES.filter(({ recipe }) => recipe.info === info);
  if (vector === undefined) throw new Error(`Expected the vector ${info}; got none.`);
  const { registration } = await standardCeremonies(vector.recipe);
  const { challenge } = JSON.parse(Buffer.from(registration.response.clientDataJSON, 'base64url').toString());
  const policy = ['--algorithms', 'ES256', '--no-require-uv'];
  const known = ['--rp-id', 'example.org', '--origin', 'https://example.org', '--challenge', challenge, ...policy];
  const { code, stdout } = await explain(['f.json', ...known, '--roots', 'root.pem'], {
    'f.json': JSON.stringify(registration),
    'root.pem': writePem(STANDARD_ROOT),
  });
  expect(code).toBe(0);
  expect(stdout).toContain('Verdict  accepted');
  expect(stdout.replace(/\n {9}/g, ' ')).toMatch(deviation);
});

describe('--self-attestation, for a registration that attests itself', () => {
  const key = es256Key();
  const response = registrationResponse({
    key,
    challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA',
    fmt: 'packed',
    attStmt: (authData, hash) => members({ alg: -7, sig: key.sign(concatBytes(authData, hash)) }),
  });
  const packed = { 'f.json': JSON.stringify(response), 'root.pem': FOREIGN_ROOT };
  const KNOWN = ['f.json', '--rp-id', RP_ID, '--origin', ORIGIN, '--challenge', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA', '--json'];

  test.each([
    ['accepts it by default, with roots too', ['--roots', 'root.pem'], 0, 'pass'],
    ['accepts it', ['--self-attestation', 'accept'], 0, 'pass'],
    ['refuses it', ['--self-attestation', 'refuse'], 1, 'fail'],
  ])('%s', async (_, flags, exitCode, status) => {
    const { code, stdout } = await explain([...KNOWN, ...flags], packed);
    const document: ExplainDocument = JSON.parse(stdout);
    expect(code).toBe(exitCode);
    expect(document.steps.find(({ slug }) => slug === 'attestation-trust')).toMatchObject({
      status,
      received: expect.stringContaining('self'),
    });
  });

  test('takes no other value', async () => {
    expect(await explain(['f.json', '--self-attestation', 'perhaps'], packed)).toMatchObject({ code: 2 });
  });
});
