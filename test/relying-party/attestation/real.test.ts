import { describe, expect, test } from 'vitest';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { listReports, slugs } from './outcome.js';
import { RECORDINGS, recordedStatement } from './recordings.js';

describe.each(RECORDINGS)('$file: $description', (recording) => {
  const input = recordedStatement(recording);

  test('comes to the right verdict', () => {
    const report = verifyAttestation(input);
    expect({
      verdict: report.verdict,
      attestationType: report.attestationType,
      certificates: report.trustPath.length,
      fails: slugs(report, 'fail'),
      warns: slugs(report, 'warn'),
    }).toEqual(recording.expected);
  });

  test('leads to each of its own certificates', () => {
    for (const root of verifyAttestation(input).trustPath) {
      expect(verifyAttestation({ ...input, roots: [decodeCertificate(root)] }).trust.status).toBe('trusted');
    }
  });

  test('is there under a licence that allows it', () => {
    expect(recording.provenance.licence).toMatch(/^(MIT|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|ISC), Copyright /);
  });
});

test('say what is recorded of every requirement', async () => {
  const rows = RECORDINGS.map((recording) => ({ name: recording.file, report: verifyAttestation(recordedStatement(recording)) }));
  await expect(listReports(rows)).toMatchFileSnapshot('reports/real.txt');
});

test('are of every format that devices send, and of self attestation', () => {
  const kinds = RECORDINGS.map((recording) => {
    const { fmt, attestationType } = verifyAttestation(recordedStatement(recording));
    return fmt === 'packed' ? `${fmt}, ${attestationType}` : fmt;
  });
  expect([...new Set(kinds)].sort()).toEqual([
    'android-key',
    'android-safetynet',
    'apple',
    'fido-u2f',
    'none',
    'packed, basic-or-attca',
    'packed, self',
    'tpm',
  ]);
});
