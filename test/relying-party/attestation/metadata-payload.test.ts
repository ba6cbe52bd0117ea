import { expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
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

test('of a value the first 60 characters are shown, and a number may be 0', () => {
  const detail = (no: unknown) => {
    try {
      return readMetadataPayload({ ...payload(), no }).no;
    } catch (error) {
      return error instanceof PasskeyError ? error.errors?.[0]?.detail : error;
    }
  };
  const text = (length: number) => 'x'.repeat(length);
  expect([0, 1, -1, 1.5, 2 ** 53, null, text(58), text(59)].map(detail)).toEqual([
    0,
    1,
    'expected a whole number, got -1',
    'expected a whole number, got 1.5',
    'expected a whole number, got 9007199254740992',
    'expected a whole number, got null',
    `expected a whole number, got "${text(58)}"`,
    `expected a whole number, got "${text(59)}…`,
  ]);
});

test('a description is a text, and a date a text of that form', () => {
  const described = (description: unknown) => () => readMetadataPayload(payload(entry({}, { description }))).entries[0]?.description;
  expect(described('a key')()).toBe('a key');
  const pointer = '/entries/0/metadataStatement/description';
  for (const wrong of ['', 5, null]) expect(refusal(described(wrong)).errors).toMatchObject([{ pointer }]);
  const dated = (nextUpdate: unknown) => () => readMetadataPayload({ ...payload(), nextUpdate }).nextUpdate;
  expect(dated('2026-02-28')()).toBe(Date.UTC(2026, 1, 28));
  for (const wrong of [20260228, '2026-2-28', 'x2026-02-28', '2026-02-281']) {
    expect(refusal(dated(wrong)).errors).toMatchObject([{ pointer: '/nextUpdate' }]);
  }
});
