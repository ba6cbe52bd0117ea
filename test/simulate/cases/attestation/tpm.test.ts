import { describe } from 'vitest';
import { TPM } from '../../../../src/simulate/cases/attestation/tpm.js';
import { TPM_CERTIFICATE } from '../../../../src/simulate/cases/attestation/tpm-certificate.js';
import { judgedAsTold } from './rows.js';

describe('statement and path', () => judgedAsTold(TPM));
describe('AIK certificate', () => judgedAsTold(TPM_CERTIFICATE));
