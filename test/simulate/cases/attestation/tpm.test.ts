import { describe } from 'vitest';
import { TPM } from '../../../../src/simulate/cases/attestation/tpm.js';
import { TPM_CERTIFICATE } from '../../../../src/simulate/cases/attestation/tpm-certificate.js';
import { TPM_STRUCTURES } from '../../../../src/simulate/cases/attestation/tpm-structures.js';
import { share } from '../../../thorough.js';
import { judgedAsTold } from './rows.js';

describe('statement and path', () => {
  judgedAsTold(share(TPM, 3));
});
describe('structures', () => {
  judgedAsTold(share(TPM_STRUCTURES, 3));
});
describe('AIK certificate', () => {
  judgedAsTold(share(TPM_CERTIFICATE, 3));
});
