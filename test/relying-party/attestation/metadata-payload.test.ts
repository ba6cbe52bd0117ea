import { expect, test } from 'vitest';
import { readMetadataPayload } from '../../../src/relying-party/attestation/metadata-payload.js';
import { blobPayload, readRefusal as refusal } from './metadata-writer.js';

const payload = (...entries: readonly unknown[]) => blobPayload(Date.UTC(2026, 1, 14), entries);
const entry = (change: object = {}, metadataStatement: unknown = {}) => ({ metadataStatement, statusReports: [], ...change });

test('the least that a payload may say', () => {
  const { legalHeader: _, ...least } = payload({ statusReports: [{ status: 'REVOKED' }] });
  expect(readMetadataPayload(least)).toEqual({
    legalHeader: undefined,
    no: 7,
    nextUpdate: Date.UTC(2026, 1, 14),
    entries: [
      {
        pointer: '/entries/0',
        aaguid: undefined,
        attestationCertificateKeyIdentifiers: [],
        description: undefined,
        attestationTypes: [],
        attestationRootCertificates: [],
        statusReports: [{ status: 'REVOKED', effectiveDate: undefined, authenticatorVersion: undefined, certificates: [] }],
      },
    ],
  });
});

test.each([
  ['/no', { ...payload(), no: '7' }, 'expected a whole number, got "7"'],
  ['/nextUpdate', { ...payload(), nextUpdate: '2026-13-01' }, 'expected a date such as 2026-01-31, got "2026-13-01"'],
  ['/entries', { ...payload(), entries: undefined }, 'expected an array of objects, got nothing'],
  ['/entries', payload(null), 'expected an array of objects, got [null]'],
  ['/entries/1/aaguid', payload(entry(), entry({ aaguid: 'abc' })), 'expected an AAGUID in 8-4-4-4-12 hexadecimal digits, got "abc"'],
  [
    '/entries/0/attestationCertificateKeyIdentifiers',
    payload(entry({ attestationCertificateKeyIdentifiers: ['ab'] })),
    'expected an array of key identifiers',
  ],
  ['/entries/0/metadataStatement', payload(entry({ metadataStatement: [] })), 'expected an object, got []'],
  [
    '/entries/0/metadataStatement/attestationRootCertificates',
    payload(entry({}, { attestationRootCertificates: 'MII' })),
    'expected an array of strings',
  ],
  ['/entries/0/statusReports', payload(entry({ statusReports: undefined })), 'expected an array of objects, got nothing'],
  ['/entries/0/statusReports/0/status', payload(entry({ statusReports: [{}] })), 'expected a text, got nothing'],
  [
    '/entries/0/statusReports/0/effectiveDate',
    payload(entry({ statusReports: [{ status: 'REVOKED', effectiveDate: 5 }] })),
    'expected a date',
  ],
])('%s of the payload is checked', (pointer, wrong, words) => {
  const error = refusal(() => readMetadataPayload(wrong));
  expect(error.code).toBe('validation_failed');
  expect(error.message).toContain(`at ${pointer}: ${words}`);
  expect(error.errors).toEqual([{ pointer, detail: expect.stringContaining(words) }]);
});
