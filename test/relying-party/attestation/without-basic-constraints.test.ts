import { expect, test } from 'vitest';
import { withoutExtension } from '../../../src/simulate/cases/attestation/makers/certified.js';
import { packed, tpm } from '../../../src/simulate/cases/attestation/makers/statements.js';
import { accepted } from '../../../src/simulate/cases/attestation/row.js';
import { EXTENSION } from '../../../src/webauthn/certificate-extensions.js';
import { judgeRow } from '../../simulate/cases/attestation/judge-row.js';
import { slugs } from './outcome.js';

/** §8.2.1 and §8.3.1 ask for CA set to false; to X.509, leaving the extension out means the same. */
const leaf = withoutExtension(EXTENSION.basicConstraints);
const row = { title: 'no basic constraints', rule: '§8.2.1, §8.3.1', why: 'X.509 reads it as no CA.' };
const rows = [
  ...accepted('packed', { 'without-basic-constraints': { ...row, make: packed({ leaf }) } }),
  ...accepted('tpm', { 'without-basic-constraints': { ...row, make: tpm({ leaf }) } }),
];

test.each(rows.flatMap((made) => (['no roots', 'test root'] as const).map((trust) => ({ made, id: made.id, trust }))))(
  '$id, $trust: the relying party accepts it, and the report warns',
  async ({ made, trust }) => {
    const { outcome, report } = await judgeRow(made, trust);
    expect(outcome).toBe('accepted');
    expect(report && slugs(report, 'warn')).toEqual(['certificate-basic-constraints']);
    expect(report?.trust.status).toBe(trust === 'test root' ? 'trusted' : 'not-assessed');
  },
);
