import { describe } from 'vitest';
import { TPM } from '../../../../src/simulate/cases/attestation/tpm.js';
import { TPM_CERTIFICATE } from '../../../../src/simulate/cases/attestation/tpm-certificate.js';
import { TPM_STRUCTURES } from '../../../../src/simulate/cases/attestation/tpm-structures.js';
import { judgedAsTold } from './rows.js';

describe('statement and path', () => {
  judgedAsTold(TPM);
});
describe('structures', () => {
  judgedAsTold(TPM_STRUCTURES);
});
describe('AIK certificate', () => {
  judgedAsTold(TPM_CERTIFICATE);
});
